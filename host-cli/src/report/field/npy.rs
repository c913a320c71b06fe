//! `NumPy`'s format: `numpy.load` gives an array of shape (rows, columns).

use std::io::{self, Write};

use ndarray::ArrayView2;
use ndarray_npy::npy::header::{Header, Layout};
use ndarray_npy::{WritableElement, WriteNpyError, WriteNpyExt};
use tresse_core::run::{GridSize, Precision};

use super::{Cells, FieldView};

/// Writes the field as `.npy`: shape (rows, columns), C order, f32 or f64 as in the run.
pub fn write(field: FieldView<'_>, w: impl Write) -> io::Result<()> {
    let shape = (field.rows, field.columns);
    match field.cells {
        Cells::F32(cells) => write_cells(shape, cells, w),
        Cells::F64(cells) => write_cells(shape, cells, w),
    }
}

/// What [`write`] begins a field of `grid` with; the cells follow, row after row.
pub(super) fn header(grid: GridSize, precision: Precision) -> io::Result<Vec<u8>> {
    let type_descriptor = match precision {
        Precision::F32 => f32::type_descriptor(),
        Precision::F64 => f64::type_descriptor(),
    };
    let shape = vec![grid.rows, grid.columns];
    let header = Header { type_descriptor, layout: Layout::Standard, shape };
    header.to_bytes().map_err(io::Error::other)
}

fn write_cells<T: WritableElement>(
    shape: (usize, usize),
    cells: &[T],
    w: impl Write,
) -> io::Result<()> {
    let array = ArrayView2::from_shape(shape, cells).map_err(io::Error::other)?;
    array.write_npy(w).map_err(|error| match error {
        WriteNpyError::Io(error) => error,
        other => io::Error::other(other),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use ndarray_npy::ReadNpyExt;

    #[test]
    fn both_precisions_read_back_equal() {
        let double: Vec<f64> = (0..6).map(|i| f64::from(i) / 7.0).collect();
        let mut bytes = Vec::new();
        write(FieldView::new(2, 3, &double[..]).unwrap(), &mut bytes).unwrap();
        assert!(bytes.starts_with(b"\x93NUMPY"));
        let array = Array2::<f64>::read_npy(bytes.as_slice()).unwrap();
        assert_eq!(array, Array2::from_shape_vec((2, 3), double).unwrap());

        let single = [1.0_f32, f32::MIN_POSITIVE, -0.1];
        let mut bytes = Vec::new();
        write(FieldView::new(3, 1, &single[..]).unwrap(), &mut bytes).unwrap();
        let array = Array2::<f32>::read_npy(bytes.as_slice()).unwrap();
        assert_eq!(array, Array2::from_shape_vec((3, 1), single.to_vec()).unwrap());
    }
}
