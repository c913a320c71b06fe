//! Errors that end a subcommand, as one line for a person.

use std::io;
use std::path::{Path, PathBuf};

use tresse_core::sim::machine;
use tresse_core::sim::virtual_pool::PoolSimulationError;
use tresse_core::tasks::sharing::SharingError;
use tresse_core::tasks::uts::TreeError;

use super::balance::BalanceError;
use super::decide::DecideError;
use super::traverse::GraphError;
use crate::commands::args::{ChoiceError, FrontError};
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
use crate::files::load_traces::generate::SetupError;
use crate::files::load_traces::{LoadTraceError, WriteError};
use crate::files::recording::RecordingError;
use crate::platform::PlatformError;
use crate::platform::noise::NoiseError;
use crate::report::output::OutputError;
use crate::wording;

/// An error that ends a subcommand.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum CommandError {
    /// The flags or files cannot be run.
    Front(#[from] FrontError),
    /// The run is not possible on this machine.
    Machine(#[from] PlatformError),
    /// There is no evaluation of that name.
    Reproduce(#[from] super::reproduce::UnknownExperiment),
    /// The runs of an evaluation cannot be made.
    Evaluation(#[from] ExperimentError),
    /// The engine did not start.
    Engine(#[from] EngineError),
    /// The tree cannot be searched.
    #[error("{}", wording::tree(.0))]
    Tree(#[from] TreeError),
    /// The graph cannot be traversed.
    Graph(#[from] GraphError),
    /// Work cannot be shared as requested.
    #[error("{}", wording::sharing(.0))]
    Sharing(#[from] SharingError),
    /// The pool did not do its work.
    #[error("{}", wording::pool(.0))]
    Pool(#[from] PoolError),
    /// The pool in virtual time did not do its work.
    #[error("{}", wording::virtual_pool(.0))]
    VirtualPool(#[from] VirtualPoolError),
    /// The virtual machine did not start.
    #[error("{}", wording::simulation(.0))]
    Simulation(#[from] machine::SimulationError),
    /// A parasite did not start.
    Noise(#[from] NoiseError),
    /// Standard input is not the input of a decision.
    Decide(#[from] DecideError),
    /// The bare kernel cannot be measured.
    KernelBench(#[from] BenchError),
    /// A balancing round cannot be measured.
    RoundBench(#[from] RoundError),
    /// The engine cannot be measured.
    EngineBench(#[from] EngineBenchError),
    /// The machine cannot be measured.
    Calibration(Box<CalibrationError>),
    /// A recording cannot be used.
    #[error("{}: {}", path.display(), wording::recording(error))]
    Recording {
        /// Path of the recording.
        path: PathBuf,
        /// Error of the recording.
        error: RecordingError,
    },
    /// The checkpoint cannot be resumed from.
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
    /// A load trace cannot be used.
    #[error("{}", wording::load_trace(.0))]
    Trace(#[from] LoadTraceError),
    /// A load trace cannot be written.
    WriteTrace(#[from] WriteError),
    /// A load trace cannot be made.
    #[error("{}", wording::setup(*.0))]
    Setup(#[from] SetupError),
    /// The parameters of a balancer do not go together.
    Choice(#[from] ChoiceError),
    /// A load trace cannot be balanced.
    Balance(#[from] BalanceError),
    /// A file cannot be written.
    Output(#[from] OutputError),
    /// Standard output cannot be written.
    #[error("standard output: {0}")]
    Print(#[from] io::Error),
}

impl From<CalibrationError> for CommandError {
    fn from(error: CalibrationError) -> Self {
        Self::Calibration(Box::new(error))
    }
}

impl CommandError {
    /// Returns the error about a recording.
    pub(super) fn recording(path: &Path) -> impl FnOnce(RecordingError) -> Self {
        |error| Self::Recording { path: path.to_owned(), error }
    }

    /// Reports whether standard output has nobody left to read it.
    pub(super) fn is_broken_pipe(&self) -> bool {
        match self {
            Self::Print(error)
            | Self::Noise(NoiseError::Output(error))
            | Self::Decide(DecideError::Stream(error)) => error.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }
}

impl Failure for CommandError {
    fn exit(&self) -> Exit {
        match self {
            Self::Decide(error) => error.exit(),
            Self::Pool(PoolError::Interrupted { .. })
            | Self::VirtualPool(VirtualPoolError::Interrupted)
            | Self::WriteTrace(WriteError::Interrupted(_)) => Exit::Interrupted,
            Self::Calibration(error) if matches!(**error, CalibrationError::Unmeasured) => {
                Exit::NotReached
            }
            Self::Output(error) | Self::WriteTrace(WriteError::Output(error)) => error.exit(),
            Self::Print(_)
            | Self::Signal(_)
            | Self::Pool(PoolError::TooManyTasks { .. })
            | Self::VirtualPool(VirtualPoolError::Simulation(PoolSimulationError::Full(_)))
            | Self::KernelBench(BenchError::Thread)
            | Self::EngineBench(EngineBenchError::Unmeasured)
            | Self::Noise(NoiseError::Output(_) | NoiseError::Lost(_)) => Exit::NotReached,
            _ => Exit::BadInput,
        }
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::tasks::sharing::Full;

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
