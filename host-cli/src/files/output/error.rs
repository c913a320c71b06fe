//! What can be wrong with a place for results.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use thiserror::Error;

use crate::exit::{Exit, Failure};

/// Something could not be left behind.
#[derive(Debug, Error)]
pub enum OutputError {
    /// Found before the run: bad input, exit code 2.
    #[error("{flag} {}: cannot be written ({source}): {}", .path.display(), mend(.source, .flag))]
    NotWritable {
        /// The flag that names it.
        flag: &'static str,
        /// The directory or file, as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It would replace what the run reads, or where standard output goes: bad input, exit code 2.
    #[error("{flag} {}: this is {taken}: name another place with {flag}", .path.display())]
    Taken {
        /// The flag that names it.
        flag: &'static str,
        /// The file that would be written.
        path: PathBuf,
        /// What it is already.
        taken: String,
    },
    /// Two results would be one file: bad input, exit code 2.
    #[error(
        "{flag} {}: this is the same file as {} of {other_flag}: give them different names",
        .path.display(), .other.display()
    )]
    Twice {
        /// The flag that names it.
        flag: &'static str,
        /// The file that would be written.
        path: PathBuf,
        /// The flag that names the other one.
        other_flag: &'static str,
        /// The other one.
        other: PathBuf,
    },
    /// A pipe or a device where only a regular file will do: bad input, exit code 2.
    #[error("{flag} {}: is no regular file, and {why}: name a regular file with {flag}", .path.display())]
    Stream {
        /// The flag that names it.
        flag: &'static str,
        /// The pipe or device.
        path: PathBuf,
        /// Why it has to be one.
        why: &'static str,
    },
    /// Found after the run: exit code 1.
    #[error("{}: could not be written ({source}): {}", .path.display(), mend(.source, .flag))]
    Write {
        /// The flag that names where it should be.
        flag: &'static str,
        /// The file, under the name that it would have had.
        path: PathBuf,
        /// What the system said.
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

/// What a person can do about it.
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
