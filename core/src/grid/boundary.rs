//! Sides.

/// A side of a rectangle of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Beyond row 0.
    Top,
    /// Beyond the last row.
    Bottom,
    /// Beyond column 0.
    Left,
    /// Beyond the last column.
    Right,
}

impl Side {
    /// All of them, in the order of their [`Side::index`].
    pub const ALL: [Self; 4] = [Self::Top, Self::Bottom, Self::Left, Self::Right];

    /// The side across.
    pub const fn opposite(self) -> Self {
        match self {
            Self::Top => Self::Bottom,
            Self::Bottom => Self::Top,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// The side's place in an array of four.
    pub const fn index(self) -> usize {
        self as usize
    }
}
