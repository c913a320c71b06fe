//! Errors that keep ranks from doing what was asked, as one line for a person.

use tresse::commands::CommandError;
use tresse::commands::args::FrontError;
use tresse::exit::{Exit, Failure};
use tresse::files::recording::RecordingError;
use tresse_core::run::noise::Noise;

use crate::rank::RankError;

/// An error that keeps ranks from solving.
#[derive(Debug, thiserror::Error)]
pub enum SolveError {
    /// An error that a single process would report as well.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The noise is at a place that no rank has.
    #[error(
        "--noise {0}: no rank has that place; `tresse-mpi` prints the cores of all when it starts"
    )]
    Nowhere(Noise),
    /// There is nothing to compare.
    #[error(
        "--node-balance none: `compare` sets runs with a balancer between ranks beside runs without; \
         name one, such as dplb:0.5,10"
    )]
    Unbalanced,
    /// The tracks of a rank's workers cannot be sent or read.
    #[error("--record: the tracks of a rank: {0}")]
    Tracks(#[from] RecordingError),
    /// The run itself has failed.
    #[error(transparent)]
    Rank(#[from] RankError),
}

impl Failure for SolveError {
    fn words(&self) -> String {
        match self {
            // The other one says why.
            Self::Rank(RankError::OtherRank(_)) => String::new(),
            error => error.to_string(),
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Self::Command(error) => error.exit(),
            Self::Nowhere(_) | Self::Unbalanced | Self::Rank(RankError::Checkpoint(_)) => {
                Exit::BadInput
            }
            Self::Rank(_) | Self::Tracks(_) => Exit::NotReached,
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
from_command!(
    FrontError,
    tresse::platform::PlatformError,
    tresse::report::output::OutputError,
    tresse::files::checkpoint::CheckpointError
);
