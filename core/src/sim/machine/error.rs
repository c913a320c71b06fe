//! Errors: runs that the machine refuses.

use core::fmt;

use super::intervention::Intervention;
use crate::base::topology::NotSorted;
use crate::parts::GraphError;
use crate::parts::ownership::OwnershipError;
use crate::run::RunConfigError;
use crate::run::noise::Noise;
use crate::sim::hardware::HardwareError;

/// A run that the machine cannot simulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SimulationError {
    /// The configuration makes no sense.
    Config(RunConfigError),
    /// The machine makes no sense.
    Hardware(HardwareError),
    /// The graph is not that of the run's parts.
    Graph(GraphError),
    /// The machine has fewer nodes.
    Nodes {
        /// Nodes asked for.
        nodes: u32,
        /// Nodes of the machine.
        available: u32,
    },
    /// A node has fewer cores.
    Cores {
        /// Workers of a node.
        workers: u32,
        /// Cores of a node.
        cores: u32,
    },
    /// The system gives no thread for each node of a run by multigrid.
    ThreadOfNode,
    /// A number of smoothing steps that multigrid has no weights for.
    Smoothing(usize),
    /// Noise on something that the machine does not have.
    NoSuchPlace(Noise),
    /// An intervention on something that the machine does not have.
    NoPlaceToIntervene(Intervention),
    /// Noise, or a background, that leaves a core no time.
    NoTime,
    /// A speed trace of a core that is not there, that is not in order of time, starts late, or
    /// ends with a core that stands still.
    Trace(u32),
    /// There is less memory than [`SimulationNeeds`](super::SimulationNeeds) says, or it is not of
    /// its form.
    Memory,
}

impl fmt::Display for SimulationError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Hardware(error) => error.fmt(f),
            Self::Graph(error) => error.fmt(f),
            Self::Nodes { nodes, available } => {
                write!(f, "the run has {nodes} nodes, and the machine {available}")
            }
            Self::Cores { workers, cores } => {
                write!(f, "each node has {workers} workers, and {cores} cores")
            }
            Self::ThreadOfNode => f.write_str("the system gives no thread for each node"),
            Self::Smoothing(steps) => write!(
                f,
                "multigrid smooths by 1 to {} steps, not by {steps}",
                crate::multigrid::MAX_STEPS
            ),
            Self::NoPlaceToIntervene(intervention) => {
                write!(f, "there is nothing to intervene at: {intervention}")
            }
            Self::NoSuchPlace(noise) => {
                write!(f, "noise {noise}: the machine has no such core, socket or node")
            }
            Self::NoTime => f.write_str("noise leaves a core no time at all"),
            Self::Trace(core) => write!(
                f,
                "the speed trace of core {core}: the machine must have this core, times must start at 0 \
                 and ascend, and the last speed must be above 0"
            ),
            Self::Memory => f.write_str("the memory lent does not fit the run"),
        }
    }
}

impl core::error::Error for SimulationError {}

impl From<RunConfigError> for SimulationError {
    fn from(error: RunConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<HardwareError> for SimulationError {
    fn from(error: HardwareError) -> Self {
        Self::Hardware(error)
    }
}

impl From<GraphError> for SimulationError {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

impl From<OwnershipError> for SimulationError {
    fn from(_: OwnershipError) -> Self {
        Self::Memory
    }
}

impl From<NotSorted> for SimulationError {
    fn from(_: NotSorted) -> Self {
        Self::Memory
    }
}
