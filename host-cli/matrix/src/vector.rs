//! Vectors: right-hand sides, starts and solutions.

use std::io::{self, BufRead, Seek, Write};
use std::path::Path;

use tresse_files::npy::Header;
use tresse_files::problem::{self, NpyError};

use crate::market::{self, MarketError};

/// A file that is no vector; prints as one line, which does not name the file.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// The file is none in Matrix Market's form.
    #[error(transparent)]
    Market(#[from] MarketError),
    /// The file is none of `NumPy`.
    #[error(transparent)]
    Npy(#[from] NpyError),
    /// The vector has another length than the system.
    #[error("has {found} values, and the matrix {rows} rows: give one value for each")]
    Length {
        /// Values of the vector.
        found: usize,
        /// Rows of the matrix.
        rows: u32,
    },
}

/// The forms of a vector's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// Matrix Market: an array of one column, or a sparse one.
    Market,
    /// `NumPy`'s array.
    Npy,
}

impl VectorForm {
    /// Returns the form that a path's ending names, if it is that of a vector's file.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?;
        let is = |name: &str| ending.eq_ignore_ascii_case(name);
        is("npy").then_some(Self::Npy).or_else(|| is("mtx").then_some(Self::Market))
    }

    /// Reads a vector with a value for each of the `rows` of a system.
    pub fn read(self, from: impl BufRead + Seek, rows: u32) -> Result<Vec<f64>, VectorError> {
        let values = match self {
            Self::Market => market::read_vector(from, rows)?,
            Self::Npy => problem::vector(from)?,
        };
        let found = values.len();
        if found == rows as usize { Ok(values) } else { Err(VectorError::Length { found, rows }) }
    }

    /// Writes a vector; of one dimension in `NumPy`'s form.
    pub fn write(self, values: &[f64], mut w: impl Write) -> io::Result<()> {
        match self {
            Self::Market => market::write_vector(values, w),
            Self::Npy => {
                let header = Header::new("<f8", &[values.len()]).to_bytes();
                w.write_all(&header.unwrap_or_default())?;
                values.iter().try_for_each(|value| w.write_all(&value.to_le_bytes()))
            }
        }
    }
}
