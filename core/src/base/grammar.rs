//! The small grammar of option values, shared by every host: `split:0.001`, `core=2,duty=0.19`.
//!
//! Numbers are read as integers (a decimal fraction times a power of ten), so that a configuration
//! means the same on every platform. Characters are looked for as sets of one, `[',']`: the
//! standard library's search for a single character is the one that has panicking paths.

use core::fmt;

/// A description, for a person, of the option value that was expected. The host adds the option's
/// name and the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError(&'static str);

impl ParseError {
    /// A whole number was expected.
    pub const COUNT: Self = Self("expected a whole number");
    /// A whole number that fits 64 bits was expected.
    const COUNT_64: Self = Self("expected a whole number of at most 18446744073709551615");
    /// A whole number that fits 32 bits was expected.
    const COUNT_32: Self = Self("expected a whole number of at most 4294967295");

    /// Returns an error with this description, which begins with "expected".
    pub(crate) const fn new(expected: &'static str) -> Self {
        Self(expected)
    }

    /// Returns the description of the right form.
    pub const fn expected(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ParseError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
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
    /// Reads a decimal fraction such as `12`, `0.001` or `.5`, without sign or exponent; none for
    /// another text or too many digits.
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

    /// Returns the number times `10^places`; none where that is not whole or does not fit 64 bits.
    pub fn scaled(self, places: u32) -> Option<u64> {
        if places >= self.scale {
            return 10_u64.checked_pow(places - self.scale)?.checked_mul(self.digits);
        }
        let divisor = 10_u64.checked_pow(self.scale - places)?;
        self.digits.is_multiple_of(divisor).then_some(self.digits / divisor)
    }
}

/// Reads a whole number of plain digits that fits 64 bits.
pub fn count(text: &str) -> Result<u64, ParseError> {
    Decimal::parse(text)
        .filter(|_| !text.contains(['.']))
        .and_then(|decimal| decimal.scaled(0))
        .ok_or(if is_whole(text) { ParseError::COUNT_64 } else { ParseError::COUNT })
}

/// Whether a text is one or more digits.
fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a whole number of plain digits that fits 32 bits.
pub fn count32(text: &str) -> Result<u32, ParseError> {
    let number = count(text).ok().and_then(|number| u32::try_from(number).ok());
    number.ok_or(if is_whole(text) { ParseError::COUNT_32 } else { ParseError::COUNT })
}

/// Reads a whole number of plain digits, or one with an exponent such as `1e6` or `2.5e7`.
pub fn large_count(text: &str) -> Result<u64, ParseError> {
    let Some((digits, exponent)) = text.split_once(['e']) else { return count(text) };
    let places = count32(exponent)?;
    Decimal::parse(digits).and_then(|decimal| decimal.scaled(places)).ok_or(ParseError::COUNT)
}
