//! The sides of the grid and the values along them.

/// A side of the grid. Row 0 lies along the top, column 0 along the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Beside row 0.
    Top,
    /// Beside the last row.
    Bottom,
    /// Beside column 0.
    Left,
    /// Beside the last column.
    Right,
}

impl Side {
    /// Every side, in the order of [`Side::index`].
    pub const ALL: [Self; 4] = [Self::Top, Self::Bottom, Self::Left, Self::Right];

    /// Returns the opposite side of the grid.
    #[inline]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Top => Self::Bottom,
            Self::Bottom => Self::Top,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// Returns the index of this side in an array that has one element for each side.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Top => 0,
            Self::Bottom => 1,
            Self::Left => 2,
            Self::Right => 3,
        }
    }
}

/// Returns the bell `amplitude · exp(−(position − centre)² / (2 width²))`.
///
/// `position`, `centre` and `width` are shares of the side's length, 0 at its first cell's outer
/// edge and 1 at its last one's. The papers name a "Gaussian shaped source" on one side (Zarins &
/// Weiland 2017, section 4.2) without its parameters; hosts choose them.
/// `libm` computes it, so that every platform has the same boundary to the bit.
pub fn gaussian(position: f64, amplitude: f64, centre: f64, width: f64) -> f64 {
    let distance = (position - centre) / width;
    amplitude * libm::exp(-0.5 * distance * distance)
}

#[cfg(test)]
mod tests {
    use super::{Side, gaussian};

    #[test]
    fn sides_have_distinct_places_and_opposites() {
        for (index, side) in Side::ALL.into_iter().enumerate() {
            assert_eq!(side.index(), index);
            assert_ne!(side.opposite(), side);
            assert_eq!(side.opposite().opposite(), side);
        }
    }

    #[test]
    fn the_bell_peaks_at_its_centre_and_falls_to_both_sides() {
        assert_eq!(gaussian(0.3, 2.5, 0.3, 0.1).to_bits(), 2.5_f64.to_bits());
        let one_width = gaussian(0.6, 1.0, 0.5, 0.1);
        assert!((one_width - 0.606_530_659_712_633_4).abs() < 1e-12, "{one_width}");
        assert!((gaussian(0.4, 1.0, 0.5, 0.1) - one_width).abs() < 1e-12);
        assert!(gaussian(0.0, 1.0, 0.5, 0.1) < 1e-5);
    }
}
