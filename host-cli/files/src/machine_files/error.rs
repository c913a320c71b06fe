//! What can be wrong with a machine.

use std::path::PathBuf;

use tresse_core::machine;

use super::NAMES;
use crate::document::DocumentError;

/// A machine that cannot be used; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum MachineFileError {
    /// Neither a shipped machine nor a file.
    #[error(
        "{name}: no machine of this name: give one of {}, or the path of a machine file, which \
         ends in .toml", NAMES.join(", ")
    )]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// Any of the others, with the name of the machine file.
    #[error("{}: {error}", file.display())]
    InFile {
        /// The machine file.
        file: PathBuf,
        /// What is wrong with it.
        error: Box<MachineFileError>,
    },
    /// The file is no TOML, or has keys or values that mean nothing.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// A machine that makes no sense.
    #[error(transparent)]
    Machine(#[from] machine::HardwareError),
    /// The file of a speed trace cannot be used.
    #[error("`{key}`: {}: {error}", file.display())]
    Trace {
        /// The key that names the file.
        key: String,
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        error: Box<SpeedTraceError>,
    },
}

/// A file of speeds over time that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpeedTraceError {
    /// Not a text file that can be read.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// Not a table.
    #[error("is not CSV with the header seconds,speed: {0}")]
    Csv(#[from] csv::Error),
    /// A number that makes no sense.
    #[error("row {row} below the header: expected {expected}")]
    Number {
        /// The row, from 1.
        row: usize,
        /// The mend.
        expected: &'static str,
    },
    /// Times and speeds that do not go together.
    #[error("{0}")]
    Order(&'static str),
}
