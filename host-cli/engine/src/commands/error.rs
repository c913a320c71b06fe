//! Errors that end a subcommand, as one line for a person.

use std::io;
use std::path::{Path, PathBuf};

use crate::experiments::bench::engine::EngineBenchError;
use crate::experiments::bench::kernel::BenchError;
use crate::experiments::bench::round::RoundError;
use crate::experiments::calibrate::CalibrationError;
use crate::files::checkpoint::CheckpointError;
use crate::files::recording::RecordingError;
use crate::threads::EngineError;
use crate::wording;
use tresse_console::exit::{Exit, Failure};

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", path.display(), wording::recording(error))]
pub struct RecordingFailed {
    /// Path of the recording.
    pub path: PathBuf,
    /// Error of the recording.
    pub error: RecordingError,
}

impl RecordingFailed {
    /// Returns the error about a recording.
    pub(super) fn of(path: &Path) -> impl FnOnce(RecordingError) -> Self {
        |error| Self { path: path.to_owned(), error }
    }
}

/// A run that cannot be recorded, saved or gone on with as it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// All iterations are already made.
    #[error(
        "--iterations {asked}: the checkpoint of --resume has made {made} already; ask for more"
    )]
    Made {
        /// Number of iterations asked for.
        asked: u64,
        /// Number of iterations made already.
        made: u64,
    },
    /// A recorded run begins in the middle.
    #[error(
        "--record (or `record` in [run]) cannot be used with --resume: a recording begins with the \
         problem"
    )]
    RecordOfResumed,
    /// A solver that waits for messages does not have the requested feature.
    #[error("{flag}: {method} {why}: leave it out, or use {instead}")]
    OfBulkSynchronous {
        /// Flag that chooses the solver.
        method: &'static str,
        /// Flag that asks for the feature.
        flag: &'static str,
        /// Reason.
        why: &'static str,
        /// Solvers to use instead.
        instead: &'static str,
    },
    /// Signals cannot be waited for.
    #[error("SIGUSR1 cannot be waited for: {0}")]
    Signal(io::Error),
}

impl Failure for RecordingFailed {}

impl Failure for RunError {
    fn exit(&self) -> Exit {
        match self {
            Self::Signal(_) => Exit::NotReached,
            Self::Made { .. } | Self::RecordOfResumed | Self::OfBulkSynchronous { .. } => {
                Exit::BadInput
            }
        }
    }
}

impl Failure for EngineError {}

impl Failure for CheckpointError {}

impl Failure for RoundError {}

impl Failure for BenchError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Thread) { Exit::NotReached } else { Exit::BadInput }
    }
}

impl Failure for EngineBenchError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Unmeasured) { Exit::NotReached } else { Exit::BadInput }
    }
}

impl Failure for CalibrationError {
    fn exit(&self) -> Exit {
        if matches!(self, Self::Unmeasured) { Exit::NotReached } else { Exit::BadInput }
    }
}
