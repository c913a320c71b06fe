//! Round numbers for ticks, and numbers short enough to stand at an axis.

use std::ops::Range;

/// A unit, in multiples of which numbers from `at_least` on are written.
struct Unit {
    at_least: f64,
    size: f64,
    suffix: &'static str,
}

const fn unit(at_least: f64, size: f64, suffix: &'static str) -> Unit {
    Unit { at_least, size, suffix }
}

const PLAIN: Unit = unit(1e-3, 1.0, "");

const UNITS: [Unit; 7] = [
    unit(1e12, 1e12, "T"),
    unit(1e9, 1e9, "G"),
    unit(1e6, 1e6, "M"),
    unit(1e4, 1e3, "k"),
    PLAIN,
    unit(1e-6, 1e-6, "µ"),
    unit(1e-9, 1e-9, "n"),
];

/// Returns at most eleven ticks within the range, at multiples of 1, 2 or 5 times a power of ten,
/// with their labels.
pub fn round_ticks(range: &Range<f64>) -> Vec<(f64, String)> {
    let raw = (range.end - range.start) / 8.0;
    let power = 10_f64.powf(raw.log10().floor());
    let Some(step) =
        [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= raw)
    else {
        return Vec::new();
    };
    let first = (range.start / step - 1e-9).ceil();
    // A tick at the very end belongs to the range, whatever its rounding.
    let within = |tick: &f64| (range.start - 1e-9 * step..=range.end + 1e-9 * step).contains(tick);
    let ticks = (0..=10).map(|index| (first + f64::from(index)) * step);
    let ticks: Vec<f64> = ticks.filter(within).collect();
    let largest = ticks.iter().fold(0.0, |largest: f64, tick| tick.abs().max(largest));
    ticks.into_iter().map(|tick| (tick, label(tick, largest, step))).collect()
}

/// Range of the numbers that are written out on a logarithmic axis.
const WRITTEN_OUT: Range<f64> = 0.99e-4..0.99e6;

/// Returns ticks at the powers of ten within a range above zero, and also at their doubles and
/// fives where the powers would be few.
///
/// All are written in one style: out, or, where that would be long, as powers, or in one unit.
pub fn decade_ticks(range: &Range<f64>) -> Vec<(f64, String)> {
    let factors = if range.end / range.start > 1e3 { &[1.0][..] } else { &[1.0, 2.0, 5.0] };
    #[expect(clippy::cast_possible_truncation, reason = "a logarithm of a finite number")]
    let [low, high] = [range.start, range.end].map(|end| end.log10().floor() as i32);
    let every = usize::try_from(1 + (high - low) / 10).unwrap_or(1);
    let ticks: Vec<f64> = (low..=high)
        .step_by(every)
        .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)))
        .filter(|tick| range.contains(tick))
        .collect();
    let written_out = ticks.iter().all(|tick| WRITTEN_OUT.contains(tick));
    let largest = ticks.iter().fold(0.0, |largest: f64, &tick| tick.max(largest));
    let named = |tick: f64| match () {
        () if written_out => in_unit(tick, &PLAIN, tick),
        () if factors.len() > 1 => label(tick, largest, tick),
        () => format!("{tick:.0e}").replace('-', "−"),
    };
    ticks.iter().map(|&tick| (tick, named(tick))).collect()
}

/// Returns the labels of numbers in equal steps on one scale: in one unit, exact to a part of the
/// step.
pub fn labels(values: &[f64]) -> Vec<String> {
    labels_exact_to(values, 1.0 / 25.0)
}

/// Returns labels of numbers in one unit, exact to a part of the least step between two of them.
pub fn labels_exact_to(values: &[f64], part: f64) -> Vec<String> {
    let largest = values.iter().fold(0.0, |largest: f64, value| value.abs().max(largest));
    let smallest_step = values.array_windows().map(|[a, b]| (a - b).abs()).fold(largest, f64::min);
    let exact = if smallest_step > 0.0 { smallest_step } else { largest } * part;
    values.iter().map(|&value| label(value, largest, exact)).collect()
}

/// Returns a single number as text, with three significant digits.
pub fn short(value: f64) -> String {
    label(value, value.abs(), value.abs() / 100.0)
}

/// Returns the label of a tick, in the unit that suits the largest tick of its axis, exact to the
/// step between ticks.
fn label(tick: f64, largest: f64, step: f64) -> String {
    if tick == 0.0 {
        return "0".to_owned();
    }
    let Some(unit) = UNITS.iter().find(|unit| largest >= unit.at_least) else {
        return format!("{tick:.1e}");
    };
    in_unit(tick, unit, step)
}

/// Returns a number in multiples of a unit, exact to the step between ticks.
fn in_unit(tick: f64, unit: &Unit, step: f64) -> String {
    // Rounding errors of the logarithm must not add a digit.
    let power = ((step / unit.size).log10() + 1e-9).floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let decimals = (-power).clamp(0.0, 12.0) as usize;
    let sign = if tick < 0.0 { "−" } else { "" };
    format!("{sign}{:.decimals$}{}", tick.abs() / unit.size, unit.suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(range: Range<f64>) -> Vec<String> {
        round_ticks(&range).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_and_short() {
        assert_eq!(labels(0.0..10.1), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.3..0.31), ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]);
        assert_eq!(labels(812.0..814.1).first().unwrap(), "812.0");
        assert_eq!(labels(0.0..31_000.0).last().unwrap(), "30k");
        assert_eq!(labels(1.0e6..1.1e6)[1], "1.02M");
        assert_eq!(labels(0.0..5e-5)[1], "10µ");
        assert_eq!(labels(0.0..1e-12).len(), 6);
        assert!(labels(f64::NEG_INFINITY..f64::INFINITY).is_empty());
        assert!(labels(1.0..1.0).is_empty());
    }

    #[test]
    fn decades_fill_with_doubles_and_fives() {
        let labels = |range| decade_ticks(&range).into_iter().map(|(_, l)| l).collect::<Vec<_>>();
        assert_eq!(labels(0.9..60.0), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(labels(0.9..15_000.0), ["1", "10", "100", "1000", "10000"]);
        assert!(decade_ticks(&(1e-300..1e300)).len() < 12);
    }

    #[test]
    fn numbers_of_one_axis_are_in_one_style() {
        let labels = |range| decade_ticks(&range).into_iter().map(|(_, l)| l).collect::<Vec<_>>();
        assert_eq!(labels(5e-5..20.0), ["0.0001", "0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(5e-6..0.2), ["1e−5", "1e−4", "1e−3", "1e−2", "1e−1"]);
        assert_eq!(labels(5e2..2e6), ["1e3", "1e4", "1e5", "1e6"]);
        assert_eq!(labels(8e3..22e3), ["10000", "20000"]);
        assert_eq!(labels(8e5..22e5), ["1M", "2M"]);
        assert_eq!(labels(9e-6..6e-5), ["10µ", "20µ", "50µ"]);
    }

    #[test]
    fn single_numbers_have_three_digits() {
        let numbers = [0.0, 9.876, -123.4, 1234.0, 12_345.0, 0.000_012_34];
        let expected = ["0", "9.88", "−123", "1234", "12.3k", "12.3µ"];
        assert_eq!(numbers.map(short), expected);
    }

    #[test]
    fn marks_of_a_scale_differ() {
        assert_eq!(super::labels(&[1.0, 0.75, 0.5, 0.0]), ["1.00", "0.75", "0.50", "0"]);
        assert_eq!(super::labels(&[273.16, 273.15]), ["273.1600", "273.1500"]);
        assert_eq!(super::labels(&[-7.0, -7.0]), ["−7.0", "−7.0"]);
        assert_eq!(super::labels(&[0.0, 0.0]), ["0", "0"]);
        assert_eq!(super::labels(&[1e-20])[0], "1.0e-20");
    }
}
