//! The core's own time: integer nanoseconds since a start that the host chooses.

use core::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::base::grammar::{Decimal, ParseError};

/// A point in time, in nanoseconds since the host's start. Arithmetic saturates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Instant(pub u64);

/// A length of time in nanoseconds. Arithmetic saturates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Duration(pub u64);

/// Serialises a duration as a number of seconds, as in reports.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
pub(crate) fn in_seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.seconds())
}

impl Instant {
    /// The host's start.
    pub const ZERO: Self = Self(0);
    /// Later than everything: the deadline of what never happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// Returns the time from `earlier` to this instant; zero where this one is not later.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// Returns the instant `wait` later.
    #[inline]
    pub const fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait.0))
    }

    /// Returns the seconds since the start, for reports.
    #[inline]
    pub fn seconds(self) -> f64 {
        Duration(self.0).seconds()
    }
}

impl Duration {
    /// Error for a text that is no duration.
    pub const EXPECTED: ParseError =
        ParseError::new("expected a time such as 200us, 1ms, 0.5s or 0.001 (seconds)");

    /// Error for a text that is no time, or one without its unit.
    pub const EXPECTED_WITH_UNIT: ParseError =
        ParseError::new("expected a time with its unit, such as 200us, 1ms or 0.5s");

    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// Returns a duration of whole microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros.saturating_mul(1_000))
    }

    /// Returns a duration of whole milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Returns the length in seconds, for reports.
    #[inline]
    pub fn seconds(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// Reads `200us`, `1ms`, `0.5s`, `10min`, `2h` or, as in the papers' labels, bare seconds:
    /// `0.001`.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        // Powers of ten of a nanosecond, and how many of these.
        let units = [
            ("ns", 0, 1),
            ("us", 3, 1),
            ("µs", 3, 1),
            ("ms", 6, 1),
            ("s", 9, 1),
            ("min", 9, 60),
            ("h", 9, 3600),
        ];
        let (number, scale, times) = units
            .iter()
            .find_map(|&(unit, scale, times)| Some((text.strip_suffix(unit)?, scale, times)))
            .unwrap_or((text, 9, 1));
        Decimal::parse(number)
            .and_then(|decimal| decimal.scaled(scale)?.checked_mul(times))
            .map(Self)
            .ok_or(Self::EXPECTED)
    }

    /// Reads a time as [`Duration::parse`] does, but refuses a bare number other than 0: who writes
    /// 200 may mean microseconds.
    pub fn parse_with_unit(text: &str) -> Result<Self, ParseError> {
        let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
        Self::parse(text)
            .ok()
            .filter(|&time| has_unit || time == Self::ZERO)
            .ok_or(Self::EXPECTED_WITH_UNIT)
    }
}

/// Prints seconds without trailing zeros, as in `split:0.001`; reads back with [`Duration::parse`].
impl fmt::Display for Duration {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, mut part) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        write!(f, "{whole}")?;
        if part > 0 {
            let mut digits = 9;
            while part.is_multiple_of(10) {
                part /= 10;
                digits -= 1;
            }
            write!(f, ".{part:0digits$}")?;
        }
        Ok(())
    }
}
