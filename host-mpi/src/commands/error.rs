//! Errors that keep ranks from doing what was asked, as one line for a person.

use std::io;

use tresse::commands::CommandError;
use tresse::commands::args::FrontError;
use tresse::exit::{Exit, Failure};
use tresse::files::checkpoint::CheckpointError;
use tresse::files::recording::RecordingError;
use tresse_core::noise::Noise;

use crate::rank::RankError;

/// An error that keeps ranks from solving.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// An error that a single process would report as well.
    #[error(transparent)]
    Command(#[from] CommandError),
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
    /// A recorded run begins in the middle.
    #[error(
        "--record (or `record` in [run]) cannot be used with --resume: a recording begins with the \
         problem"
    )]
    RecordOfResumed,
    /// The noise is at a place that no rank has.
    #[error(
        "--noise {0}: no rank has that place; `tresse-mpi` prints the cores of all when it starts"
    )]
    Nowhere(Noise),
    /// The checkpoint cannot be resumed from.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
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
    /// There is nothing to compare.
    #[error(
        "--node-balance none: `compare` sets runs with a balancer between ranks beside runs without; \
         name one, such as dplb:0.5,10"
    )]
    Unbalanced,
    /// Signals cannot be waited for.
    #[error("SIGUSR1 cannot be waited for: {0}")]
    Signal(io::Error),
    /// The tracks of a rank's workers cannot be sent or read.
    #[error("--record: the tracks of a rank: {0}")]
    Tracks(#[from] RecordingError),
    /// The run itself has failed.
    #[error(transparent)]
    Rank(#[from] RankError),
}

impl Failure for SolveError {
    fn exit(&self) -> Exit {
        match self {
            Self::Command(error) => error.exit(),
            Self::OfBulkSynchronous { .. }
            | Self::RecordOfResumed
            | Self::Nowhere(_)
            | Self::Unbalanced
            | Self::Made { .. }
            | Self::Checkpoint(_)
            | Self::Rank(RankError::Checkpoint(_)) => Exit::BadInput,
            Self::Rank(_) | Self::Signal(_) | Self::Tracks(_) => Exit::NotReached,
        }
    }
}

macro_rules! from_command {
    ($($error:ty),*) => {$(
        impl From<$error> for SolveError {
            fn from(error: $error) -> Self {
                Self::Command(error.into())
            }
        }
    )*};
}
from_command!(FrontError, tresse::platform::PlatformError, tresse::report::output::OutputError);
