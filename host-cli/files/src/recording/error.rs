//! Errors of recordings.

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
    /// The file is not a regular file, or not a recording.
    #[error("is not a recording")]
    Foreign,
    /// A recording of tasks, a pool's or multigrid's, is given where one of subdomains is required.
    #[error("is the recording of tasks, of a pool or of multigrid, and has no field to come to")]
    OfPool,
    /// A recording of parts of one's own is given where one of subdomains is required.
    #[error("is the recording of parts of one's own: their own program makes it again")]
    OfParts,
    /// The recording of a field's solver is given where another kind is required.
    #[error("is the recording of a solver of grids, and another kind is wanted here")]
    OfRun,
    /// A recording of other parts than those of the run.
    #[error(
        "is of {saved} parts with at most {links} links, and this run has {found} with at most {most}"
    )]
    OtherParts {
        /// Parts of the recording.
        saved: u64,
        /// The most links of one of them.
        links: usize,
        /// Parts of the run.
        found: usize,
        /// The most links of one of them.
        most: usize,
    },
    /// A recording of parts that are joined in another way than those of the run.
    #[error("is of parts with other links, or edges of other lengths, than those of this run")]
    OtherGraph,
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
    /// The end of the recording is missing.
    #[error("is cut off after {0} bytes: copy it again, or record again")]
    CutOff(u64),
    /// A checksum is wrong, or something follows the end.
    #[error("is damaged at byte {0}: copy it again, or record again")]
    Damaged(u64),
    /// The checksums are right, but the bytes under them are not possible in a recording.
    #[error("makes no sense ({0}): it was not written by this program; record again")]
    Nonsense(String),
    /// The configuration in the recording is not valid.
    #[error("makes no sense ({0}): it was not written by this program; record again")]
    Config(#[from] RunConfigError),
    /// There is not enough memory.
    #[error(
        "needs {} of memory, but {} are available: replay it on a larger machine",
        ByteSize(*needed), ByteSize(*available)
    )]
    Memory {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are available.
        available: u64,
    },
}

impl RecordingError {
    /// Returns the error about a recording that is not possible; `what` may quote the file and is
    /// escaped for one line.
    pub fn nonsense(what: impl AsRef<str>) -> Self {
        Self::Nonsense(one_line(what.as_ref()))
    }
}
