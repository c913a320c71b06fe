//! Draws a field as a heat map, from memory or from a file.

use std::io::{self, Write};
use std::path::Path;

use tresse_core::run::{GridSize, Precision};
use tresse_draw::pictures::{Scaled, Scaling, heat_map};

use super::npy::read_rows;
use super::{FieldCells, FieldView};

/// Writes the field as [`heat_map::write`] draws it.
pub fn write(field: FieldView<'_>, title: &str, w: impl Write) -> io::Result<()> {
    heat_map::write(&scaled(field), title, w)
}

/// Writes the picture of a field in a file of [`super::npy::write`] or
/// [`super::shared_npy::SharedNpy`]; holds no more than a row of the field.
pub fn write_npy(
    npy: &Path,
    grid: GridSize,
    precision: Precision,
    title: &str,
    w: impl Write,
) -> io::Result<()> {
    let mut scaling = Scaling::new(grid);
    match precision {
        Precision::F32 => read_rows(npy, grid, |row: &[f32]| scaling.add_row(row))?,
        Precision::F64 => read_rows(npy, grid, |row: &[f64]| scaling.add_row(row))?,
    }
    heat_map::write(&scaling.finish(), title, w)
}

/// Averages the field down, in one pass and without a copy of it.
fn scaled(field: FieldView<'_>) -> Scaled {
    let mut scaling = Scaling::new(GridSize { rows: field.rows, columns: field.columns });
    match field.cells {
        FieldCells::F32(cells) => cells.chunks(field.columns).for_each(|row| scaling.add_row(row)),
        FieldCells::F64(cells) => cells.chunks(field.columns).for_each(|row| scaling.add_row(row)),
    }
    scaling.finish()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::report::field::npy;

    #[test]
    fn a_file_has_the_same_picture_as_its_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("field.npy");
        let numbers = (0..3_500_u16).map(|i| f32::from(i % 97) / 7.0);
        let single: Vec<f32> = numbers.chain([f32::NAN; 4]).collect();
        let double: Vec<f64> = single.iter().map(|&cell| f64::from(cell) / 3.0).collect();
        let fields = [
            (FieldView::new(1752, 2, &single[..]).unwrap(), Precision::F32),
            (FieldView::new(2, 1752, &double[..]).unwrap(), Precision::F64),
        ];
        for (field, precision) in fields {
            npy::write(field, fs::File::create(&path).unwrap()).unwrap();
            let grid = GridSize { rows: field.rows, columns: field.columns };
            let (mut of_field, mut of_file) = (Vec::new(), Vec::new());
            write(field, "a field", &mut of_field).unwrap();
            write_npy(&path, grid, precision, "a field", &mut of_file).unwrap();
            assert!(of_field == of_file);

            let other = GridSize { rows: field.columns, columns: field.rows };
            assert!(write_npy(&path, other, precision, "a field", io::sink()).is_err());
            fs::File::options().write(true).open(&path).unwrap().set_len(14_000).unwrap();
            assert!(write_npy(&path, grid, precision, "a field", io::sink()).is_err());
        }
    }
}
