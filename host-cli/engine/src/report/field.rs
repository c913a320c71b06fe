//! The solution, in the formats of other programs.

mod band;
pub mod heat_map;
pub mod npy;
pub mod shared_npy;
pub mod vti;

pub use band::FieldBand;
pub use tresse_files::field_name::{About, FieldName};
pub use tresse_files::stored_cell::FieldCells;

use thiserror::Error;
use tresse_files::field::Field;

/// A field of `rows` × `columns` cells, borrowed from the run; row 0 is the top of every picture.
#[derive(Clone, Copy, Debug)]
pub struct FieldView<'a> {
    rows: usize,
    columns: usize,
    cells: FieldCells<'a>,
}

/// The number of cells is not rows × columns, or there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{cells} cells do not make a field of {rows}x{columns}")]
pub struct ShapeError {
    rows: usize,
    columns: usize,
    cells: usize,
}

impl<'a> FieldView<'a> {
    /// Returns a view of `cells`, which are row by row, as a field of this shape.
    pub fn new(
        rows: usize,
        columns: usize,
        cells: impl Into<FieldCells<'a>>,
    ) -> Result<Self, ShapeError> {
        let cells = cells.into();
        let count = cells.len();
        if count == 0 || rows.checked_mul(columns) != Some(count) {
            return Err(ShapeError { rows, columns, cells: count });
        }
        Ok(Self { rows, columns, cells })
    }

    /// Returns a view of a whole field, or `None` for a field without cells.
    pub fn of(field: &'a Field) -> Option<Self> {
        let (rows, columns, cells) = match field {
            Field::F32(cells) => {
                (cells.nrows(), cells.ncols(), cells.as_slice().map(FieldCells::F32))
            }
            Field::F64(cells) => {
                (cells.nrows(), cells.ncols(), cells.as_slice().map(FieldCells::F64))
            }
        };
        Self::new(rows, columns, cells?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shape_must_fit() {
        let cells = [0.0_f64; 6];
        assert!(FieldView::new(2, 3, &cells[..]).is_ok());
        for (rows, columns) in [(2, 2), (usize::MAX, 2), (0, 0), (0, 6)] {
            let error = FieldView::new(rows, columns, &cells[..]).unwrap_err();
            assert_eq!(error, ShapeError { rows, columns, cells: 6 });
        }
        assert!(FieldView::new(0, 0, &cells[..0]).is_err());
    }
}
