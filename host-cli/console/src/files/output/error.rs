//! Errors of places for results.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use thiserror::Error;

use crate::exit::{Exit, Failure};

/// An error of storing a result.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The place cannot be written, found before the run: bad input, exit code 2.
    #[error("{flag} {}: cannot be written ({source}): {}", .path.display(), mend(.source, .flag))]
    NotWritable {
        /// Flag that names the place.
        flag: &'static str,
        /// Directory or file, as it was given.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file would replace one that the run reads, or one that standard output goes to: bad
    /// input, exit code 2.
    #[error("{flag} {}: this is {taken}: name another place with {flag}", .path.display())]
    Taken {
        /// Flag that names the file.
        flag: &'static str,
        /// File that would be written.
        path: PathBuf,
        /// Description of the file that is already there.
        taken: String,
    },
    /// Two results would be one file: bad input, exit code 2.
    #[error(
        "{flag} {}: this is the same file as {} of {other_flag}: give them different names",
        .path.display(), .other.display()
    )]
    Twice {
        /// Flag that names the file.
        flag: &'static str,
        /// File that would be written.
        path: PathBuf,
        /// Flag that names the other result.
        other_flag: &'static str,
        /// Path of the other result.
        other: PathBuf,
    },
    /// The path is that of a pipe or a device where a regular file is required: bad input, exit
    /// code 2.
    #[error("{flag} {}: is no regular file, and {why}: name a regular file with {flag}", .path.display())]
    Stream {
        /// Flag that names the path.
        flag: &'static str,
        /// The pipe or device.
        path: PathBuf,
        /// Reason for which a regular file is required.
        why: &'static str,
    },
    /// The file could not be written, found after the run: exit code 1.
    #[error("{}: could not be written ({source}): {}", .path.display(), mend(.source, .flag))]
    Write {
        /// Flag that names the file or its directory.
        flag: &'static str,
        /// File, under the name that it would have had.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl Failure for OutputError {
    fn exit(&self) -> Exit {
        match self {
            Self::Write { .. } => Exit::NotReached,
            Self::NotWritable { .. }
            | Self::Taken { .. }
            | Self::Twice { .. }
            | Self::Stream { .. } => Exit::BadInput,
        }
    }
}

/// Returns advice for a person about an error.
fn mend(error: &io::Error, flag: &str) -> String {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("free some space, or name a place on another disk with {flag}")
        }
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => {
            format!("a file is in the way: name another place with {flag}")
        }
        ErrorKind::IsADirectory => format!("name a file with {flag}"),
        ErrorKind::BrokenPipe => "keep its reader until the end".to_owned(),
        _ => format!("name a place that you may create and write with {flag}"),
    }
}
