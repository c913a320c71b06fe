//! `NumPy`'s format: `numpy.load` gives an array of shape (rows, columns).

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::Path;

use tresse_core::run::{GridSize, Precision};
use tresse_files::npy::Header;
use tresse_files::stored_cell::StoredCell;

use super::{FieldCells, FieldView};

/// Number of cells that are written at once.
const BLOCK: usize = 1 << 16;

/// Writes the field as `.npy`: shape (rows, columns), C order, f32 or f64 as in the run.
pub fn write(field: FieldView<'_>, mut w: impl Write) -> io::Result<()> {
    let grid = GridSize { rows: field.rows, columns: field.columns };
    match field.cells {
        FieldCells::F32(cells) => write_cells(grid, cells, &mut w),
        FieldCells::F64(cells) => write_cells(grid, cells, &mut w),
    }
}

/// Returns the header with which [`write`] begins a field of `grid`; the cells follow, row after
/// row.
pub(super) fn header(grid: GridSize, precision: Precision) -> io::Result<Vec<u8>> {
    let descr = match precision {
        Precision::F32 => "<f4",
        Precision::F64 => "<f8",
    };
    let header = Header::new(descr, &[grid.rows, grid.columns]);
    header.to_bytes().ok_or_else(|| io::Error::other("the header is too long"))
}

/// Passes the rows of a field that [`write`] has written to `show`, one by one.
pub(super) fn read_rows<F: StoredCell>(
    path: &Path,
    grid: GridSize,
    mut show: impl FnMut(&[F]),
) -> io::Result<()> {
    let mut file = BufReader::new(File::open(path)?);
    let expected = header(grid, F::PRECISION)?;
    let mut bytes = vec![0; expected.len()];
    file.read_exact(&mut bytes)?;
    if bytes != expected {
        return Err(io::Error::new(ErrorKind::InvalidData, "not the field that was written"));
    }
    let mut row = Vec::new();
    bytes.resize(grid.columns * size_of::<F>(), 0);
    for _ in 0..grid.rows {
        file.read_exact(&mut bytes)?;
        F::from_bytes(&bytes, &mut row);
        show(&row);
    }
    Ok(())
}

/// Writes the header and the cells row by row, a block at a time.
fn write_cells<F: StoredCell>(grid: GridSize, cells: &[F], w: &mut impl Write) -> io::Result<()> {
    w.write_all(&header(grid, F::PRECISION)?)?;
    let mut bytes = Vec::new();
    for cells in cells.chunks(BLOCK) {
        F::to_bytes(cells, &mut bytes);
        w.write_all(&bytes)?;
    }
    Ok(())
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
