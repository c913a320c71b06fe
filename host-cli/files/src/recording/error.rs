//! What can be wrong with a recording.

use std::io;

use bytesize::ByteSize;
use tresse_core::run::RunConfigError;

use crate::escape::one_line;

/// A recording that cannot be used; the path is added outside.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The system does not let it be read.
    #[error("cannot be read ({0})")]
    Unreadable(#[from] io::Error),
    /// Not a regular file, or one of another kind.
    #[error("is not a recording")]
    Foreign,
    /// A pool's recording, where a solver's is wanted.
    #[error("is the recording of a pool of tasks, and has no field to come to")]
    OfPool,
    /// A solver's recording, where a pool's is wanted.
    #[error("is the recording of a solver, and not of a pool of tasks")]
    OfRun,
    /// The recording has a format that this program does not know.
    #[error(
        "is a recording of format {found}, and this program reads format {read}: \
         use the version of tresse that wrote it, or record again"
    )]
    Format {
        /// The format's number.
        found: u32,
        /// The number of the format that is read.
        read: u32,
    },
    /// The end is missing.
    #[error("is cut off after {0} bytes: copy it again, or record again")]
    CutOff(u64),
    /// A checksum is not right, or something follows the end.
    #[error("is damaged at byte {0}: copy it again, or record again")]
    Damaged(u64),
    /// The checksums are right, but what they protect makes no sense.
    #[error("makes no sense ({0}): it was not written by this program; record again")]
    Nonsense(String),
    /// The configuration in it cannot run.
    #[error("makes no sense ({0}): it was not written by this program; record again")]
    Config(#[from] RunConfigError),
    /// Not enough memory.
    #[error(
        "needs {} of memory, but {} are available: replay it on a larger machine",
        ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// Bytes.
        needed: u64,
        /// Bytes.
        available: u64,
    },
}

impl RecordingError {
    /// A recording that makes no sense; `what` may quote the file: whatever is in there, it stays one line.
    pub fn nonsense(what: impl AsRef<str>) -> Self {
        Self::Nonsense(one_line(what.as_ref()))
    }
}
