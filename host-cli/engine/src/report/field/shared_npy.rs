//! Writes one `.npy` file for a field whose bands are in several processes, on a disk that all of
//! them see.
//!
//! In three steps, between which the processes wait for each other: one of them makes room
//! ([`SharedNpy::create`]), all of them write their bands ([`write_band`]), and when all have
//! succeeded the first gives the file its name ([`SharedNpy::finish`]).

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use tresse_core::run::{GridSize, Precision};
use tresse_files::stored_cell::StoredCell;

use super::npy::header;
use super::{FieldBand, FieldCells};
use crate::report::output::{OutputDir, OutputError, Target};

/// Number of bytes that are written at once.
const BLOCK: usize = 1 << 20;

/// A shared file that becomes whole or disappears: it is removed where it is dropped before it is
/// finished.
#[derive(Debug)]
pub struct SharedNpy {
    unfinished: PathBuf,
    target: Target,
    name: &'static str,
    out: OutputDir,
    is_finished: bool,
}

impl SharedNpy {
    /// Makes room for the file `name`: a header as of [`super::npy::write`], and all the space that
    /// the cells will need, so that a full disk is noticed now.
    pub fn create(
        out: &OutputDir,
        name: &'static str,
        grid: GridSize,
        precision: Precision,
    ) -> Result<Self, OutputError> {
        let target = out.target(name, WHY)?;
        let unfinished = unfinished(&target);
        let attempt = || {
            let header = header(grid, precision)?;
            let cells = u128::from(grid.cells()) * u128::from(precision.bytes());
            let length = u64::try_from(header.len() as u128 + cells);
            // What a killed run has left.
            match fs::remove_file(&unfinished) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = File::create_new(&unfinished)?;
            let shared = Self { unfinished, target, name, out: out.clone(), is_finished: false };
            reserve(&file, length.map_err(io::Error::other)?)?;
            file.write_all(&header)?;
            Ok(shared)
        };
        attempt().map_err(|error| out.failed(name, error))
    }

    /// Gives the file its final name, once every band is written.
    pub fn finish(mut self) -> Result<(), OutputError> {
        let attempt = || {
            let file = File::open(&self.unfinished)?;
            self.target.replace_by(&file, |name| fs::rename(&self.unfinished, name))
        };
        attempt().map_err(|error| self.out.failed(self.name, error))?;
        self.is_finished = true;
        Ok(())
    }
}

impl Drop for SharedNpy {
    fn drop(&mut self) {
        if !self.is_finished {
            // Whatever was in the way is told already.
            let _ = fs::remove_file(&self.unfinished);
        }
    }
}

/// Writes a band into the file `name`, for which another process or this one has made room; it is
/// on the disk afterwards.
pub fn write_band(out: &OutputDir, name: &str, band: FieldBand<'_>) -> Result<(), OutputError> {
    let path = unfinished(&out.target(name, WHY)?);
    let attempt = || {
        let file = File::options().write(true).open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => io::Error::other(UNSEEN),
            _ => error,
        })?;
        match band.cells() {
            FieldCells::F32(cells) => write_cells(&file, band, cells)?,
            FieldCells::F64(cells) => write_cells(&file, band, cells)?,
        }
        file.sync_all()
    };
    attempt().map_err(|error| out.failed(name, error))
}

/// Error where the file that rank 0 has made is not there.
const UNSEEN: &str = "the folder of rank 0 is not seen here; all hosts must share it";

/// Writes the cells of a band to their place in the file.
fn write_cells<F: StoredCell>(file: &File, band: FieldBand<'_>, cells: &[F]) -> io::Result<()> {
    let header = header(band.grid(), F::PRECISION)?.len() as u64;
    let before = band.rows().start as u64 * band.grid().columns as u64;
    let mut place = header + before * F::PRECISION.bytes();
    let mut bytes = Vec::new();
    for cells in cells.chunks(BLOCK / size_of::<F>()) {
        F::to_bytes(cells, &mut bytes);
        file.write_all_at(&bytes, place)?;
        place += bytes.len() as u64;
    }
    Ok(())
}

/// Reason for which the file must be a regular one.
const WHY: &str = "all ranks write into it at once";

/// Returns the path of the file until it is finished.
fn unfinished(target: &Target) -> PathBuf {
    target.beside(".part")
}

/// Makes a file of this length, and reserves its space where the disk supports that.
fn reserve(file: &File, length: u64) -> io::Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::empty(), 0, length) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => file.set_len(length),
        reserved => Ok(reserved?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::field::{FieldView, npy};
    use crate::report::output::Outputs;

    const GRID: GridSize = GridSize { rows: 7, columns: 5 };

    fn names(out: &OutputDir) -> Vec<String> {
        let entries = fs::read_dir(out.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn write_all<F: StoredCell>(cells: &[F]) {
        let folder = tempfile::tempdir().unwrap();
        let out = Outputs::default().folder("--out", folder.path(), ["field.npy"]).unwrap();
        // A killed run's, longer than ours.
        fs::write(out.path().join(".tresse-field.npy.part"), [9; 4096]).unwrap();
        let file = SharedNpy::create(&out, "field.npy", GRID, F::PRECISION).unwrap();
        for (first, end) in [(3, 4), (0, 3), (4, 7)] {
            let cells = F::view(&cells[first * 5..end * 5]);
            write_band(&out, "field.npy", FieldBand::new(GRID, first, cells).unwrap()).unwrap();
            assert!(!out.path().join("field.npy").exists());
        }
        file.finish().unwrap();
        let mut expected = Vec::new();
        npy::write(FieldView::new(7, 5, F::view(cells)).unwrap(), &mut expected).unwrap();
        assert_eq!(fs::read(out.path().join("field.npy")).unwrap(), expected);
        assert_eq!(names(&out), ["field.npy"]);
    }

    #[test]
    fn bands_make_the_same_bytes_as_the_whole() {
        write_all(&(0..35_u8).map(|i| f32::from(i) / 3.0).collect::<Vec<_>>());
        let mut cells: Vec<f64> = (0..35_u8).map(|i| f64::from(i) / 7.0).collect();
        cells[3] = f64::from_bits(0x7ff0_0000_0000_0001);
        write_all(&cells);
    }

    #[test]
    fn what_is_not_finished_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let out = Outputs::default().folder("--out", folder.path(), ["field.npy"]).unwrap();
        drop(SharedNpy::create(&out, "field.npy", GRID, Precision::F64).unwrap());
        assert!(names(&out).is_empty());
        let band = FieldBand::new(GRID, 0, &[0.0_f64; 5][..]).unwrap();
        let error = write_band(&out, "field.npy", band).unwrap_err().to_string();
        assert!(error.contains("field.npy") && error.contains("all hosts must share"), "{error}");
    }

    #[test]
    fn a_field_larger_than_any_disk_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let out = Outputs::default().folder("--out", folder.path(), ["field.npy"]).unwrap();
        for rows in [1 << 28, usize::MAX >> 32] {
            let grid = GridSize { rows, columns: 1 << 24 };
            let error = SharedNpy::create(&out, "field.npy", grid, Precision::F64).unwrap_err();
            assert!(error.to_string().contains("field.npy"), "{error}");
            assert!(names(&out).is_empty());
        }
    }
}
