//! Errors that end a subcommand, as one line for a person.

use std::io;
use std::path::{Path, PathBuf};

use tresse_core::sim::virtual_pool::PoolSimulationError;
use tresse_core::tasks::sharing::SharingError;
use tresse_core::tasks::uts::TreeError;

use super::reproduce::UnknownExperiment;
use super::traverse::GraphError;
use crate::engine::pool::PoolError;
use crate::engine::threads::EngineError;
use crate::engine::virtual_pool::VirtualPoolError;
use crate::exit::{Exit, Failure};
use crate::experiments::bench::engine::EngineBenchError;
use crate::experiments::bench::kernel::BenchError;
use crate::experiments::bench::round::RoundError;
use crate::experiments::calibrate::CalibrationError;
use crate::experiments::reproduce::ExperimentError;
use crate::files::checkpoint::CheckpointError;
use crate::files::recording::RecordingError;
use crate::wording;

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

/// A pool that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The tree cannot be searched.
    #[error("{}", wording::tree(.0))]
    Tree(#[from] TreeError),
    /// Work cannot be shared as requested.
    #[error("{}", wording::sharing(.0))]
    Sharing(#[from] SharingError),
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

impl Failure for SetUpError {}

impl Failure for GraphError {}

impl Failure for UnknownExperiment {}

impl Failure for ExperimentError {}

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

impl Failure for PoolError {
    fn exit(&self) -> Exit {
        match self {
            Self::Interrupted { .. } => Exit::Interrupted,
            Self::TooManyTasks { .. } => Exit::NotReached,
            _ => Exit::BadInput,
        }
    }

    fn words(&self) -> String {
        wording::pool(self)
    }
}

impl Failure for VirtualPoolError {
    fn exit(&self) -> Exit {
        match self {
            Self::Interrupted => Exit::Interrupted,
            Self::Simulation(PoolSimulationError::Full(_)) => Exit::NotReached,
            Self::Simulation(_) => Exit::BadInput,
        }
    }

    fn words(&self) -> String {
        wording::virtual_pool(self)
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::tasks::sharing::Full;

    use super::super::CommandError;
    use super::*;

    #[test]
    fn a_pool_without_room_ends_alike_on_threads_and_in_virtual_time() {
        let simulated = PoolSimulationError::Full(Full { more: 9 });
        for error in [
            CommandError::from(PoolError::TooManyTasks { most: 9 }),
            CommandError::from(VirtualPoolError::from(simulated)),
        ] {
            assert_eq!(error.exit(), Exit::NotReached, "{error}");
            assert!(
                error.message().contains('9') && error.message().contains("use more --workers")
            );
        }
    }

    #[test]
    fn a_pool_that_is_interrupted_says_so() {
        for error in [
            CommandError::from(PoolError::Interrupted { tasks: 7 }),
            CommandError::from(VirtualPoolError::Interrupted),
        ] {
            assert_eq!(error.exit(), Exit::Interrupted, "{error}");
            assert!(error.message().starts_with("interrupted"), "{error}");
        }
    }
}
