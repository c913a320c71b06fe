//! Whole rows of a field that is too large for one memory.

use std::ops::Range;

use tresse_core::run::GridSize;

use super::{FieldCells, FieldView, ShapeError};

/// The rows of a field that one rank has.
#[derive(Clone, Copy, Debug)]
pub struct FieldBand<'a> {
    grid: GridSize,
    first_row: usize,
    rows: FieldView<'a>,
}

impl<'a> FieldBand<'a> {
    /// Returns a band of `cells`, whole rows of a field of `grid` from `first_row` on; there is at
    /// least one row.
    pub fn new(
        grid: GridSize,
        first_row: usize,
        cells: impl Into<FieldCells<'a>>,
    ) -> Result<Self, ShapeError> {
        let cells = cells.into();
        let rows = cells.len().checked_div(grid.columns).unwrap_or(0);
        let rows = FieldView::new(rows, grid.columns, cells)?;
        if first_row.checked_add(rows.rows).is_none_or(|end| end > grid.rows) {
            return Err(ShapeError { rows: grid.rows, columns: grid.columns, cells: cells.len() });
        }
        Ok(Self { grid, first_row, rows })
    }

    /// Returns the band with all rows of a field.
    pub const fn whole(field: FieldView<'a>) -> Self {
        let grid = GridSize { rows: field.rows, columns: field.columns };
        Self { grid, first_row: 0, rows: field }
    }

    /// Returns the grid of the whole field.
    pub const fn grid(&self) -> GridSize {
        self.grid
    }

    /// Returns the rows of the band.
    pub const fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.rows.rows
    }

    /// Returns the cells of the band.
    pub const fn cells(&self) -> FieldCells<'a> {
        self.rows.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_whole_rows_of_the_grid() {
        let cells = [0.0_f64; 12];
        let grid = GridSize { rows: 4, columns: 3 };
        assert_eq!(FieldBand::new(grid, 1, &cells[..6]).unwrap().rows(), 1..3);
        assert_eq!(FieldBand::new(grid, 0, &cells[..]).unwrap().rows(), 0..4);
        for (first, count) in [(0, 0), (0, 4), (1, 12), (4, 3), (usize::MAX, 3)] {
            assert!(FieldBand::new(grid, first, &cells[..count]).is_err(), "{first} {count}");
        }
        assert!(FieldBand::new(GridSize { rows: 1, columns: 0 }, 0, &cells[..]).is_err());
    }
}
