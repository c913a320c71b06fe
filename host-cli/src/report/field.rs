//! The solution, in the formats of other programs.

mod band;
pub mod heat_map;
mod name;
pub mod npy;
pub mod shared_npy;
pub mod vti;

pub use band::FieldBand;
pub use name::FieldName;

use thiserror::Error;

/// A field of `rows` × `columns` cells, borrowed from the run; row 0 is the top of every picture.
#[derive(Clone, Copy, Debug)]
pub struct FieldView<'a> {
    rows: usize,
    columns: usize,
    cells: FieldCells<'a>,
}

/// Cells, row after row, in the precision of the run.
#[derive(Clone, Copy, Debug)]
pub enum FieldCells<'a> {
    /// 32-bit floats.
    F32(&'a [f32]),
    /// 64-bit floats.
    F64(&'a [f64]),
}

impl FieldCells<'_> {
    const fn len(&self) -> usize {
        match self {
            Self::F32(cells) => cells.len(),
            Self::F64(cells) => cells.len(),
        }
    }
}

impl<'a> From<&'a [f32]> for FieldCells<'a> {
    fn from(cells: &'a [f32]) -> Self {
        Self::F32(cells)
    }
}

impl<'a> From<&'a [f64]> for FieldCells<'a> {
    fn from(cells: &'a [f64]) -> Self {
        Self::F64(cells)
    }
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
    /// Looks at `cells`, which are row after row, as a field.
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
