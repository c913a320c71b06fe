//! Problems ([`tresse_core::field::problem`]), as they are read from the disk.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;

pub use tresse_core::field::problem::{
    AMPLITUDE, Boundary, CellValues, Problem, Profile, side_length, worker_beside_source,
};
pub use tresse_files::problem::{Built, Loss, NpyError, ProblemError, ProblemFile};

use crate::files::document;

/// Reads a problem file, but not the array files that it names.
pub fn load(path: &Path) -> Result<ProblemFile, ProblemError> {
    document::read(path, ProblemFile::LIMIT)
        .map_err(ProblemError::from)
        .and_then(|text| ProblemFile::parse(&text))
        .map_err(|error| error.within(path))
}

/// Opens an array file, for [`ProblemFile::grid`] and [`ProblemFile::build`].
pub fn open_array(path: &Path) -> Result<File, NpyError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(NpyError::NotAFile);
    }
    Ok(File::open(path)?)
}
