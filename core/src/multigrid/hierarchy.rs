//! The levels, from the problem's grid to one of a few unknowns.

use crate::base::bug::Minus;
use crate::base::table::{Add, At};
use heapless::Vec;

use super::level_axis::LevelAxis;

/// Levels at most: each has half of the cells in each direction, of which there are less than 2⁶⁴.
pub const MAX_LEVELS: usize = 66;

/// Greatest number of unknowns that a caller may ask for on the coarsest level: the direct solution
/// takes their number to the power of 1.5, once a cycle, of one worker.
pub const MAX_COARSEST: usize = 4096;

/// One level: a grid of cells of equal width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The direction along columns of cells: a cell is a row.
    pub rows: LevelAxis,
    /// The direction along rows of cells: a cell is a column.
    pub columns: LevelAxis,
}

impl Level {
    /// Returns the number of cells, which is that of numbers in a right-hand side.
    pub const fn cells(self) -> usize {
        self.rows.cells().saturating_mul(self.columns.cells())
    }

    /// Returns the cells of a row with the one beyond each end, as they lie in a [`Correction`].
    pub const fn stride(self) -> usize {
        self.columns.cells().saturating_add(2)
    }

    /// Returns the number of numbers in a [`Correction`].
    pub const fn correction_len(self) -> usize {
        self.stride().saturating_mul(self.rows.cells().saturating_add(2))
    }

    /// Returns the level with the closures of [`LevelAxis::linear`].
    pub(super) const fn linear(self) -> Self {
        Self { rows: self.rows.linear(), columns: self.columns.linear() }
    }

    /// Returns the next coarser level.
    const fn coarser(self) -> Self {
        Self { rows: self.rows.coarser(), columns: self.columns.coarser() }
    }

    /// Returns the number of rows or of columns, whichever is less.
    const fn narrowest(self) -> usize {
        let (rows, columns) = (self.rows.cells(), self.columns.cells());
        if rows < columns { rows } else { columns }
    }
}

/// The levels of a grid, the finest first; two at least.
#[derive(Clone, Debug, PartialEq)]
pub struct Hierarchy {
    levels: Vec<Level, MAX_LEVELS>,
}

impl Hierarchy {
    /// Returns the levels of a grid of `rows` by `columns` cells, down to the first coarser one of
    /// at most `coarsest` cells, or of one row or one column, where the direct solution is cheap at
    /// any length. None without a cell.
    pub fn new(rows: usize, columns: usize, coarsest: usize) -> Option<Self> {
        let mut level =
            Level { rows: LevelAxis::finest(rows)?, columns: LevelAxis::finest(columns)? };
        let mut levels = Vec::new();
        levels.push(level).ok()?;
        loop {
            level = level.coarser();
            levels.add(level);
            if level.cells() <= coarsest || level.narrowest() <= 1 {
                return Some(Self { levels });
            }
        }
    }

    /// Returns the levels, the finest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}

/// Some rows of an array of a level, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a, F> {
    /// The numbers.
    pub values: &'a [F],
    /// How many of them a row has.
    pub stride: usize,
    /// Number of the first row.
    pub first: usize,
}

impl<'a, F> Rows<'a, F> {
    /// Returns all rows of an array.
    pub const fn all(values: &'a [F], stride: usize) -> Self {
        Self { values, stride, first: 0 }
    }

    /// Returns a row, which is among these, by its number in the whole array.
    pub(super) fn row(&self, row: usize) -> &'a [F] {
        let start = row.minus(self.first) * self.stride;
        self.values.stretch(start..start + self.stride)
    }
}

/// A level's correction, or some rows of it: of all its [`Level::correction_len`] numbers, which
/// are rows of [`Level::stride`] with the ghost values beyond the boundary all around, from the
/// ghost row at the top on.
#[derive(Clone, Copy, Debug)]
pub struct Correction<'a, F>(pub Rows<'a, F>);

impl<'a, F> Correction<'a, F> {
    /// Returns the two rows of the correction between which row `row` of the finer level lies: the
    /// nearer one, with weight ¾, and the farther one.
    pub(super) fn around(&self, row: usize) -> [&'a [F]; 2] {
        let near = row / 2 + 1;
        let far = if row.is_multiple_of(2) { near - 1 } else { near + 1 };
        [self.0.row(near), self.0.row(far)]
    }

    /// Returns row `row` of the level, with the cell beyond each end.
    pub(super) fn of(&self, row: usize) -> &'a [F] {
        self.0.row(row + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(rows: usize, columns: usize, coarsest: usize) -> std::vec::Vec<(usize, usize)> {
        let hierarchy = Hierarchy::new(rows, columns, coarsest).unwrap();
        hierarchy.levels().iter().map(|level| (level.rows.cells(), level.columns.cells())).collect()
    }

    extern crate std;

    #[test]
    fn levels_end_at_few_cells_or_at_one_row() {
        assert_eq!(sizes(64, 64, 64), [(64, 64), (32, 32), (16, 16), (8, 8)]);
        assert_eq!(sizes(2, 2, 64), [(2, 2), (1, 1)]);
        assert_eq!(sizes(1, 9, 1), [(1, 9), (1, 5)]);
        assert_eq!(sizes(4, 100, 1), [(4, 100), (2, 50), (1, 25)]);
        // 5 pads; then the boundary is a quarter of a width from the last centre: 3 drops one.
        assert_eq!(sizes(5, 5, 1), [(5, 5), (3, 3), (1, 1)]);
        assert_eq!(Hierarchy::new(0, 5, 64), None);
    }

    #[test]
    fn the_largest_grid_has_levels() {
        let hierarchy = Hierarchy::new(usize::MAX, usize::MAX, 1).unwrap();
        assert!(hierarchy.levels().len() <= MAX_LEVELS);
    }
}
