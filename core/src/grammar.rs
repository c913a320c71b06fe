//! The small grammar of option values, shared by every host: `split:0.001`, `core=2,duty=0.19`.
//!
//! Numbers are read as integers (a decimal fraction times a power of ten), so that a configuration
//! means the same on every platform. Characters are looked for as sets of one, `[',']`: the standard
//! library's search for a single character is the one that has panicking paths.

use core::fmt;

/// What was wrong with an option value; the host adds which option, and the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// Not a duration.
    Duration,
    /// Not a whole number in range.
    Count,
    /// Not a mode.
    Mode,
    /// Not a balancing policy.
    Balance,
    /// A balancing policy without its period.
    Period,
    /// Not a balancing policy between nodes.
    NodeBalance,
    /// Not a rule of the balancing between nodes.
    NodeRule,
    /// Not a share of the workload.
    Imbalance,
    /// Not a pair `RxC`.
    Size,
    /// Not a place for noise.
    Place,
    /// Not a kind of noise.
    Noise,
    /// A mean length of zero.
    Bursts,
    /// A duty outside 0..1.
    Duty,
    /// Neither a duty nor a range of them.
    Duties,
    /// Neither a number of places nor a range of them.
    Number,
    /// Not a precision.
    Precision,
}

impl ParseError {
    /// What would have been right, in a few words for a person.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Duration => "expected a time such as 200us, 1ms, 0.5s or 0.001 (seconds)",
            Self::Count => "expected a whole number",
            Self::Mode => "expected sync, ssync:N or async",
            Self::Balance => {
                "expected none, joint:F, split:F, hybrid:F,N, swap:F, gradient:F or grapevine:F \
                 (F: seconds between rounds, such as 0.001; N: rounds)"
            }
            Self::Period => {
                "expected a period above zero after the colon, such as split:0.001 or hybrid:0.001,500"
            }
            Self::NodeBalance => {
                "expected none, dplb:F,THRESHOLD (F: seconds between looks, above 0; THRESHOLD: \
                 updates), such as dplb:0.5,10, or chaos:SEED"
            }
            Self::NodeRule => "expected settled or published",
            Self::Imbalance => "expected a share from 0 to below 1, such as 0.25",
            Self::Size => "expected ROWSxCOLUMNS, such as 300x300, both at least 1",
            Self::Place => {
                "expected core=C, socket=S, node=N, any-core=K, any-socket=K or any-node=K before \
                 the first comma"
            }
            Self::Noise => {
                "expected sleep=TIME,work=COUNT, burst=TIME,gap=TIME or duty=SHARE after the place"
            }
            Self::Bursts => "expected burst=TIME,gap=TIME after the place, both above 0",
            Self::Duty => "expected a share of the core's time above 0 and below 1, such as 0.19",
            Self::Duties => {
                "expected a share of the core's time above 0 and below 1, such as 0.19, or a range \
                 of them, such as 0.15..0.4"
            }
            Self::Number => {
                "expected a number of places after any-core=, any-socket= or any-node=, such as 3, \
                 or a range of them, such as 0..15"
            }
            Self::Precision => "expected f32 or f64",
        }
    }
}

impl fmt::Display for ParseError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected())
    }
}

impl core::error::Error for ParseError {}

/// A non-negative decimal fraction: `digits / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    digits: u64,
    scale: u32,
}

impl Decimal {
    /// Reads `12`, `0.001` or `.5`; no sign, no exponent.
    pub fn parse(text: &str) -> Option<Self> {
        let mut value = Self { digits: 0, scale: 0 };
        let (mut point, mut any) = (false, false);
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => {
                    any = true;
                    let digit = u64::from(byte - b'0');
                    value.digits = value.digits.checked_mul(10)?.checked_add(digit)?;
                    value.scale += u32::from(point);
                }
                b'.' if !point => point = true,
                _ => return None,
            }
        }
        any.then_some(value)
    }

    /// The number times `10^places`, where that is a whole number that fits.
    pub fn scaled(self, places: u32) -> Option<u64> {
        if places >= self.scale {
            return 10_u64.checked_pow(places - self.scale)?.checked_mul(self.digits);
        }
        let divisor = 10_u64.checked_pow(self.scale - places)?;
        self.digits.is_multiple_of(divisor).then_some(self.digits / divisor)
    }
}

/// Reads a whole number of plain digits.
pub fn count(text: &str) -> Result<u64, ParseError> {
    Decimal::parse(text)
        .filter(|_| !text.contains(['.']))
        .and_then(|decimal| decimal.scaled(0))
        .ok_or(ParseError::Count)
}

/// Reads a whole number of plain digits that fits 32 bits.
pub fn count32(text: &str) -> Result<u32, ParseError> {
    u32::try_from(count(text)?).map_err(|_| ParseError::Count)
}
