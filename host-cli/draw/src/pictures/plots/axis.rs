//! Axes with their ticks: linear, logarithmic, or with names.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::numbers;

use crate::statistics::extremes;

/// Ratio between greatest and least value from which on a logarithmic axis is used.
const LOG_RATIO: f64 = 50.0;

/// A vertical or horizontal axis. Its range is finite and not empty.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    range: Range<f64>,
    scale: Scale,
    /// Positions of the ticks, with their labels.
    ticks: Vec<(f64, String)>,
}

#[derive(Clone, Copy, Debug)]
enum Scale {
    Linear,
    /// A logarithmic scale, on which zeros stand at the place of the value `zero`.
    Logarithmic {
        zero: f64,
    },
}

impl Axis {
    /// Returns a linear axis over the values with a little space around them; the space does not
    /// reach below zero unless a value does.
    pub fn linear(values: impl IntoIterator<Item = f64>) -> Self {
        let (least, most) = extremes(values).unwrap_or((0.0, 1.0));
        let size = least.abs().max(most.abs());
        let space = match most - least {
            width if width > size * 1e-6 => width * 0.05,
            _ if size > 0.0 => size * 0.1,
            _ => 1.0,
        };
        let low = if least >= 0.0 { (least - space).max(0.0) } else { least - space };
        Self::from_range(low..most + space)
    }

    /// Returns an axis for the values that a line goes along: logarithmic where all are above zero
    /// and differ by more than fifty times, and otherwise linear with room before the first value,
    /// so that a marker there hides no numbers of the other axis.
    pub fn along(values: &[f64]) -> Self {
        let Some((least, most)) = extremes(values.iter().copied()) else { return Self::linear([]) };
        if least > 0.0 && most / least > LOG_RATIO {
            return Self::logarithmic(values);
        }
        Self::linear([least - (most - least) * 0.03, most])
    }

    /// Returns a linear axis from zero to a little beyond the greatest value.
    pub fn from_zero(values: impl IntoIterator<Item = f64>) -> Self {
        let most = extremes(values).map_or(0.0, |(_, most)| most);
        Self::from_range(0.0..if most > 0.0 { most * 1.05 } else { 1.0 })
    }

    fn from_range(range: Range<f64>) -> Self {
        let ticks = numbers::round_ticks(&range);
        Self { range, scale: Scale::Linear, ticks }
    }

    /// Returns a logarithmic axis where the values (none negative) differ by more than fifty times,
    /// and otherwise a linear one.
    ///
    /// A logarithm has no zero: zeros stand at the lower end, at a tick of their own.
    pub fn logarithmic_if_wide(values: &[f64]) -> Self {
        Self::logarithmic_from(LOG_RATIO, values)
    }

    /// Returns a logarithmic axis where two values above zero differ, and otherwise a linear one.
    pub fn logarithmic(values: &[f64]) -> Self {
        Self::logarithmic_from(1.0, values)
    }

    /// Returns a logarithmic axis for values whose greatest is more than `ratio` times the least
    /// above 0, and otherwise a linear one from 0. Where there are zeros they have a place of their
    /// own, below all others.
    fn logarithmic_from(ratio: f64, values: &[f64]) -> Self {
        let has_zero = values.contains(&0.0);
        let wide = extremes(values.iter().copied().filter(|&value| value > 0.0))
            .map(|(least, most)| (if has_zero { least.min(1.0) } else { least }, most))
            .filter(|(least, most)| most / least > ratio);
        let Some((least, most)) = wide else {
            return Self::from_zero(values.iter().copied());
        };
        let zero = least / if has_zero { 3.0 } else { 1.0 };
        let mut ticks = numbers::decade_ticks(&(least / 1.01..most * 1.5));
        if has_zero {
            ticks.push((0.0, "0".to_owned()));
        }
        Self { range: zero / 1.5..most * 1.5, scale: Scale::Logarithmic { zero }, ticks }
    }

    /// Returns a linear axis over a range, with ticks at whole numbers only.
    pub fn whole(range: Range<f64>) -> Self {
        let axis = Self::from_range(range);
        let is_whole = |tick: f64| (tick - tick.round()).abs() < 1e-9;
        let ticks = axis.ticks.into_iter().filter(|&(tick, _)| is_whole(tick));
        // Labels such as 0.5 leave a digit behind the point to the others.
        let named = ticks.map(|(tick, label)| {
            let cut = label.trim_end_matches('0').strip_suffix('.').map(str::to_owned);
            (tick, cut.unwrap_or(label))
        });
        Self { ticks: named.collect(), ..axis }
    }

    /// Returns a vertical axis with one unit for each name, from the top down: the `i`-th name is
    /// at `i`.
    pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<_> = names.into_iter().map(str::to_owned).enumerate().collect();
        Self::some_names(names.len(), names)
    }

    /// Returns a vertical axis with one unit for each of a number of things, from the top down,
    /// with labels only at the given places.
    pub fn some_names(number: usize, names: impl IntoIterator<Item = (usize, String)>) -> Self {
        let ticks = names.into_iter().map(|(place, name)| (place as f64, name)).collect();
        let end = number.max(1) as f64 - 0.5;
        Self { range: end..-0.5, scale: Scale::Linear, ticks }
    }

    /// Returns a linear axis with a little space before its start, so that a marker there hides no
    /// number of the other axis; a logarithmic one stays unchanged.
    pub fn with_foot(self) -> Self {
        let Range { start, end } = self.range;
        let start = match self.scale {
            Scale::Linear => start - 0.03 * (end - start),
            Scale::Logarithmic { .. } => start,
        };
        Self { range: start..end, ..self }
    }

    /// Returns the axis with its ends exchanged: names begin at the left of a horizontal axis.
    pub fn reversed(self) -> Self {
        Self { range: self.range.end..self.range.start, ..self }
    }

    /// Returns the labels of the ticks.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.ticks.iter().map(|(_, label)| label.as_str())
    }

    /// Returns the place of a value: itself, or its decimal logarithm.
    fn position(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic { zero } if value == 0.0 => zero.log10(),
            Scale::Logarithmic { .. } => value.log10(),
        }
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let [start, end] = [self.range.start, self.range.end].map(|end| self.position(end));
        let share = (self.position(*value) - start) / (end - start);
        // A little beyond the chart is far enough for anything that lies outside.
        let share = share.clamp(-1.0, 2.0);
        #[expect(clippy::cast_possible_truncation, reason = "a place on the canvas; NaN is 0")]
        let pixel = (f64::from(low) + f64::from(high - low) * share).round() as i32;
        pixel
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(tick, _)| *tick).collect()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let mut ticks = self.ticks.iter();
        let found = ticks.find(|(tick, _)| tick.total_cmp(value).is_eq());
        found.map_or_else(String::new, |(_, label)| label.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.labels().collect()
    }

    #[test]
    fn a_wide_axis_is_logarithmic_and_has_a_zero() {
        let axis = Axis::logarithmic_if_wide(&[0.0, 3.0, 900.0]);
        assert_eq!(labels(&axis), ["1", "10", "100", "1000", "0"]);
        let place = |value: f64| axis.map(&value, (0, 1000));
        assert!(0 < place(0.0) && place(0.0) < place(1.0) && place(900.0) < 1000);
        assert_eq!(place(100.0) - place(10.0), place(10.0) - place(1.0));
        let narrow = Axis::logarithmic_if_wide(&[2.0, 99.0]);
        assert!(matches!(narrow.scale, Scale::Linear));
    }

    #[test]
    fn a_line_goes_along_a_logarithm_where_it_is_long() {
        assert_eq!(labels(&Axis::along(&[1.0, 100.0])), ["1", "2", "5", "10", "20", "50", "100"]);
        for short in [&[1.0, 16.0][..], &[0.0, 0.1, 90.0], &[]] {
            assert!(matches!(Axis::along(short).scale, Scale::Linear), "{short:?}");
        }
    }

    #[test]
    fn whole_numbers_have_ticks_at_whole_numbers() {
        assert_eq!(labels(&Axis::whole(-0.5..2.5)), ["0", "1", "2"]);
        assert_eq!(labels(&Axis::whole(-0.5..31.5)).len(), 7);
        assert_eq!(labels(&Axis::whole(-0.02..1.02)), ["0", "1"]);
    }

    #[test]
    fn nothing_to_show_still_makes_an_axis() {
        for axis in [
            Axis::linear([]),
            Axis::linear([f64::NAN]),
            Axis::linear([5.0, 5.0]),
            Axis::linear([0.0]),
            Axis::linear([1e300, -1e300]),
            Axis::from_zero([]),
            Axis::logarithmic_if_wide(&[]),
            Axis::logarithmic_if_wide(&[0.0, 0.0]),
            Axis::names([]),
        ] {
            assert!((axis.range.end - axis.range.start).abs() > 0.0, "{axis:?}");
            assert!(axis.map(&f64::NAN, (0, 100)) <= 200);
        }
    }

    #[test]
    fn the_first_name_is_on_top() {
        let axis = Axis::names(["a", "b"]);
        // A vertical axis maps its start to the lower edge, which has the larger coordinate.
        assert_eq!([axis.map(&0.0, (100, 0)), axis.map(&1.0, (100, 0))], [25, 75]);
        assert_eq!(axis.format_ext(&1.0), "b");
        let across = axis.reversed();
        assert_eq!([across.map(&0.0, (0, 100)), across.map(&1.0, (0, 100))], [25, 75]);
    }
}
