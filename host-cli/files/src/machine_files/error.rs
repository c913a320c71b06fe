//! Errors of virtual machines.

use std::path::PathBuf;

use tresse_core::sim::machine;

use super::NAMES;
use crate::document::DocumentError;

/// A machine that cannot be used; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum MachineFileError {
    /// The name is neither that of a shipped machine nor that of a file.
    #[error(
        "{name}: no machine of this name: give one of {}, or the path of a machine file, which \
         ends in .toml", NAMES.join(", ")
    )]
    Unknown {
        /// Name or path that was asked for.
        name: String,
    },
    /// One of the other errors, with the name of the machine file.
    #[error("{}: {error}", file.display())]
    InFile {
        /// The machine file.
        file: PathBuf,
        /// The error in the file.
        error: Box<MachineFileError>,
    },
    /// The file is no TOML, or has unknown keys or wrong values.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The machine is not possible.
    #[error(transparent)]
    Machine(#[from] machine::HardwareError),
    /// The file of a speed trace cannot be used.
    #[error("`{key}`: {}: {error}", file.display())]
    Trace {
        /// The key that names the file.
        key: String,
        /// The file.
        file: PathBuf,
        /// The error in the file.
        error: Box<SpeedTraceError>,
    },
}

/// A file of speeds over time that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpeedTraceError {
    /// The file is not a text file that can be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The file is not a table.
    #[error("is not CSV with the header seconds,speed: {0}")]
    Csv(#[from] csv::Error),
    /// A number is out of range.
    #[error("row {row} below the header: expected {expected}")]
    Number {
        /// The row, from 1.
        row: usize,
        /// A description of the numbers that are accepted.
        expected: &'static str,
    },
    /// The times and speeds do not go together.
    #[error("{0}")]
    Order(&'static str),
}
