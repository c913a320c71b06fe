//! Errors of pools that end a command.

use tresse_console::exit::{Exit, Failure};
use tresse_console::files::machine_files::MachineFileError;
use tresse_console::wording::scatter;
use tresse_core::run::noise::ScatterError;
use tresse_core::sim::machine::HardwareError;
use tresse_core::sim::virtual_pool::PoolSimulationError;
use tresse_core::tasks::sharing::SharingError;
use tresse_core::tasks::uts::TreeError;

use super::traverse::GraphError;
use crate::pool::PoolError;
use crate::virtual_pool::VirtualPoolError;
use crate::wording;

/// A pool that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    /// The tree cannot be searched.
    #[error("{}", wording::tree(.0))]
    Tree(#[from] TreeError),
    /// Work cannot be shared as requested.
    #[error("{}", wording::sharing(.0))]
    Sharing(#[from] SharingError),
    /// A flag is for a virtual machine, but none is named.
    #[error(
        "--nodes, --managers, --noise and --seed are those of a virtual machine: give --machine as well"
    )]
    NoMachine,
    /// There are more managers than workers, or cores for both.
    #[error(
        "--managers {managers}: at most {most} here: each needs a worker, and both need a core"
    )]
    Managers {
        /// Number of managers.
        managers: u32,
        /// Greatest number of managers that is possible.
        most: u32,
    },
    /// The virtual machine cannot be used.
    #[error("--machine {0}")]
    Hardware(#[from] MachineFileError),
    /// The virtual machine cannot have this number of nodes.
    #[error("--nodes {nodes}: {error}")]
    Nodes {
        /// Number of nodes.
        nodes: u32,
        /// Error of the machine.
        error: HardwareError,
    },
    /// There is more noise than possible.
    #[error("{}", scatter(.0))]
    Scatter(#[from] ScatterError),
}

impl Failure for SetUpError {}

impl Failure for GraphError {}

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

    use super::*;
    use tresse_console::command::CommandError;

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
