//! Errors that keep a run from starting.

use std::path::PathBuf;

use tresse_core::base::topology::NotSorted;
use tresse_core::parts::GraphError;
use tresse_core::parts::ownership::OwnershipError;
use tresse_core::run::{GridSize, RunConfigError};

use crate::files::checkpoint::CheckpointError;
use crate::files::output::OutputError;
use crate::files::recording::RecordingError;
use tresse_platform::PlatformError;
use tresse_platform::noise::NoiseError;
use tresse_platform::pinned::SpawnError;

/// A run that could not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The configuration makes no sense.
    #[error(transparent)]
    Config(#[from] RunConfigError),
    /// The parts are not those of the configuration.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Noise where there is no such core.
    #[error(transparent)]
    Machine(#[from] PlatformError),
    /// A parasite that did not start.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The checkpoint is not one to go on from, or has changed since it was opened.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The folder of the checkpoints cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The recording cannot be used.
    #[error("the recording {} {error}", path.display())]
    Recording {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: RecordingError,
    },
    /// A recording begins with the first sweep.
    #[error("a run that goes on from a checkpoint cannot be recorded: it could not be made again")]
    RecordOfResumed,
    /// The placement does not fit the configuration.
    #[error("the placement has {seats} workers, the configuration {workers}")]
    Placement {
        /// Workers placed.
        seats: usize,
        /// Workers configured.
        workers: u32,
    },
    /// The problem is on another grid.
    #[error("the problem has {problem} cells, the configuration {config}")]
    Grid {
        /// The problem's.
        problem: GridSize,
        /// The configuration's.
        config: GridSize,
    },
    /// A number of smoothing steps that multigrid has no weights for.
    #[error("multigrid smooths by 1 to 8 steps, not by {0}")]
    Smoothing(usize),
    /// Never for a grid of ours.
    #[error("the grid has no cells")]
    NoCells,
    /// Never for a decomposition of ours.
    #[error(transparent)]
    Ownership(#[from] OwnershipError),
    /// Never for a placement of ours.
    #[error(transparent)]
    Topology(#[from] NotSorted),
    /// The system gives rayon no threads.
    #[error("cannot start rayon's threads: {0} (lower --workers)")]
    Pool(rayon::ThreadPoolBuildError),
    /// The system gives no more threads.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}
