//! The height and the width of a cell.

use core::fmt;

use crate::base::grammar::ParseError;

/// Distances of neighbouring cells, finite and above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSize {
    /// From row to row.
    pub height: f64,
    /// From column to column.
    pub width: f64,
}

impl CellSize {
    /// The size where nobody asks for another.
    pub const ONE: Self = Self::square(1.0);
    /// Error for a text that is no size of a cell.
    pub const EXPECTED: ParseError = ParseError::new(
        "expected HEIGHTxWIDTH or one distance for both, such as 0.5x2 or 0.01, above 0",
    );

    /// Returns the size of a square cell.
    pub const fn square(distance: f64) -> Self {
        Self { height: distance, width: distance }
    }

    /// Reads `HEIGHTxWIDTH`, or one distance for both; all must be finite and above 0.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (height, width) = text.split_once(['x', 'X', '×']).unwrap_or((text, text));
        let distance = |text: &str| text.trim().parse().map_err(|_| Self::EXPECTED);
        let size = Self { height: distance(height)?, width: distance(width)? };
        if size.is_valid() { Ok(size) } else { Err(Self::EXPECTED) }
    }

    /// Whether both distances, and the ratio of them, are finite and above 0.
    pub fn is_valid(&self) -> bool {
        let ratio = self.ratio();
        [self.height, self.width, ratio, 1.0 / ratio]
            .into_iter()
            .all(|number| number > 0.0 && number.is_finite())
    }

    /// Returns the height divided by the width.
    pub fn ratio(&self) -> f64 {
        self.height / self.width
    }

    /// Returns the height times the width.
    pub fn area(&self) -> f64 {
        self.height * self.width
    }
}

/// Writes `HEIGHTxWIDTH`; reads back with [`CellSize::parse`].
impl fmt::Display for CellSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.height, self.width)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn sizes_are_read_as_they_are_written() {
        for (text, height, width) in [("0.5x2", 0.5, 2.0), ("3", 3.0, 3.0), ("1e-3×2", 1e-3, 2.0)]
        {
            let size = CellSize::parse(text).unwrap();
            assert_eq!(size, CellSize { height, width });
            assert_eq!(CellSize::parse(&size.to_string()), Ok(size));
        }
        for text in ["", "x", "0x1", "1x-1", "1xinf", "nan", "1x2x3", "1e-200x1e200"] {
            assert_eq!(CellSize::parse(text), Err(CellSize::EXPECTED), "{text}");
        }
    }
}
