//! Times as whole numbers of a power of ten, in which decisions are exact.

use std::fmt::{self, Write as _};

use serde::Serialize;

/// The total of a phase has at most this number of digits, so that it is exact as a float as well.
const DIGITS: i32 = 15;

/// A number of seconds that is a power of ten, in which the loads of a phase are counted.
///
/// Loads are taken as the decimal numbers that they are written as, the shortest that mean the
/// float: 0.1 and 0.2 make 0.3, and ten times the loads in ten times the unit are the same whole
/// numbers. The unit is the smallest in which the total has at most 15 digits; a load between two
/// whole numbers goes to the nearer one, and to the even one where both are as near.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Unit {
    /// The unit is ten to the minus this many seconds.
    exponent: i32,
}

/// A time that is negative or not a number, and therefore no load.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0} is no time: it must be a number of 0 or more")]
pub struct NotATime(pub f64);

impl Unit {
    /// One second.
    pub const SECOND: Self = Self { exponent: 0 };

    /// Returns the unit of these loads, and the loads counted in this unit.
    pub fn of(seconds: &[f64]) -> Result<(Self, Vec<u64>), NotATime> {
        let loads = seconds.iter().map(|&load| Decimal::of(load)).collect::<Result<Vec<_>, _>>()?;
        let largest =
            loads.iter().filter(|load| load.digits > 0).map(|load| load.magnitude()).max();
        // In this unit the largest load alone has all the digits.
        let mut exponent = largest.map_or(0, |magnitude| DIGITS - magnitude);
        loop {
            let sum: u128 = loads.iter().map(|load| u128::from(load.rounded(exponent))).sum();
            let excess = digits(sum) - DIGITS;
            if excess <= 0 {
                let loads = loads.iter().map(|load| load.rounded(exponent)).collect();
                return Ok((Self { exponent }, loads));
            }
            exponent -= excess;
        }
    }

    /// Returns a number of units in seconds.
    pub fn seconds(self, units: u64) -> f64 {
        // As a decimal number, which is rounded once only.
        let mut text = heapless::String::<48>::new();
        let written = write!(text, "{units}e{}", -i64::from(self.exponent));
        // The largest of all times, rounded up, would be infinite.
        written
            .ok()
            .and_then(|()| text.parse().ok())
            .map_or(0.0, |seconds: f64| seconds.min(f64::MAX))
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1e{} s", -i64::from(self.exponent))
    }
}

/// A number as its digits times a power of ten.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Returns the shortest decimal that is read as this float.
    fn of(seconds: f64) -> Result<Self, NotATime> {
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(NotATime(seconds));
        }
        let mut text = heapless::String::<32>::new();
        // Such as 1.25e-3; no float has more than 17 digits.
        write!(text, "{:e}", seconds.abs()).map_err(|_| NotATime(seconds))?;
        let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = whole.bytes().chain(fraction.bytes());
        let digits = digits.fold(0, |sum, digit| sum * 10 + u64::from(digit.wrapping_sub(b'0')));
        let places = i32::try_from(fraction.len()).unwrap_or(0);
        let power: i32 = power.parse().map_err(|_| NotATime(seconds))?;
        Ok(Self { digits, exponent: power - places })
    }

    /// Returns the number of digits before the point; below 1 for a number less than one.
    fn magnitude(self) -> i32 {
        digits(u128::from(self.digits)) + self.exponent
    }

    /// Returns the number of units of ten to the minus `exponent`, rounded half to even.
    fn rounded(self, exponent: i32) -> u64 {
        let shift = self.exponent.saturating_add(exponent);
        let power = |shift: i32| 10_u64.checked_pow(shift.unsigned_abs());
        if shift >= 0 {
            // It has at most the digits of the largest, which fit.
            return power(shift).and_then(|power| self.digits.checked_mul(power)).unwrap_or(0);
        }
        let Some(power) = power(shift) else { return 0 };
        let (whole, rest) = (self.digits / power, self.digits % power);
        let up = match (rest * 2).cmp(&power) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => whole % 2 == 1,
            std::cmp::Ordering::Greater => true,
        };
        whole + u64::from(up)
    }
}

/// Returns the number of digits of a number; 0 has none.
fn digits(number: u128) -> i32 {
    number.checked_ilog10().map_or(0, |log| i32::try_from(log).unwrap_or(0) + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_tenth_and_two_make_three() {
        let (unit, loads) = Unit::of(&[0.1, 0.2, 0.3]).unwrap();
        assert_eq!(loads, [100_000_000_000_000, 200_000_000_000_000, 300_000_000_000_000]);
        assert_eq!((unit.to_string().as_str(), loads[0] + loads[1]), ("1e-15 s", loads[2]));
        assert!((unit.seconds(loads[1]) - 0.2).abs() < f64::EPSILON / 100.0);
    }

    #[test]
    fn halves_go_to_the_even_one() {
        // The large one leaves two digits behind the point.
        let seconds = [9_999_999_999_999.0, 0.005, 0.015, 0.025, 0.026, 0.0];
        let (unit, loads) = Unit::of(&seconds).unwrap();
        assert_eq!(unit.to_string(), "1e-2 s");
        assert_eq!(loads, [999_999_999_999_900, 0, 2, 2, 3, 0]);
    }

    #[test]
    fn every_size_of_time_has_a_unit() {
        for seconds in [f64::MAX, 5e-324, f64::MIN_POSITIVE, 1e15, 1.0, 0.0, -0.0] {
            let (unit, loads) = Unit::of(&[seconds]).unwrap();
            assert!(loads[0] < 10_u64.pow(15), "{seconds}: {loads:?}");
            let again = unit.seconds(loads[0]);
            assert!((again - seconds).abs() <= seconds * 1e-14, "{seconds}: {again}");
        }
        assert!(Unit::of(&[]).unwrap().1.is_empty());
        // Rounded up, they would have a digit more.
        let (_, loads) = Unit::of(&[0.999_999_999_999_999_9; 10]).unwrap();
        assert!(loads.iter().sum::<u64>() < 10_u64.pow(15));
        let (_, loads) = Unit::of(&[f64::MAX, f64::MAX, 1.0]).unwrap();
        assert!(loads[0] == loads[1] && loads[2] == 0);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for seconds in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -5e-324] {
            assert!(Unit::of(&[1.0, seconds]).is_err());
        }
    }

    proptest! {
        #[test]
        fn tens_change_nothing(
            loads in prop::collection::vec((0_u64..10_000_000, 0_i32..8), 1..20),
            shift in -30_i32..30,
        ) {
            let read = |by: i32| {
                let number = |(digits, power): &(u64, i32)| format!("{digits}e{}", by - power);
                loads.iter().map(|load| number(load).parse().unwrap()).collect::<Vec<f64>>()
            };
            let (unit, whole) = Unit::of(&read(0)).unwrap();
            let (other, shifted) = Unit::of(&read(shift)).unwrap();
            prop_assert_eq!(&whole, &shifted);
            let any = loads.iter().any(|load| load.0 > 0);
            prop_assert!(!any || unit.exponent == other.exponent + shift);
        }

        #[test]
        fn no_load_is_off_by_more_than_half_a_unit(
            loads in prop::collection::vec(0.0..1e6, 1..50),
        ) {
            let (unit, whole) = Unit::of(&loads).unwrap();
            let half = unit.seconds(1) * 0.5;
            for (&load, &whole) in loads.iter().zip(&whole) {
                // Floats of that size are not exact to a small part of the unit.
                let slack = half * 0.01 + load * f64::EPSILON;
                prop_assert!((unit.seconds(whole) - load).abs() <= half + slack);
            }
            let sum: u64 = whole.iter().sum();
            prop_assert!((10_u64.pow(13)..10_u64.pow(15)).contains(&sum) || loads.iter().all(|l| *l < 1e-9));
        }
    }
}
