//! Errors of an experiment's runs.

use tresse_core::sim::machine::SimulationError;
use tresse_core::tasks::uts::TreeError;
use tresse_traces::wording;

use tresse_tasks::virtual_pool::VirtualPoolError;
use tresse_traces::balancing::{BalancingError, InstanceError};
use tresse_traces::load_traces::LoadTraceError;

/// An error of an experiment's runs.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ExperimentError {
    /// The virtual machine did not start.
    Machine(#[from] SimulationError),
    /// A load trace cannot be used.
    #[error("{}", wording::load_trace(.0))]
    Trace(#[from] LoadTraceError),
    /// The objects cannot be balanced.
    Instance(#[from] InstanceError),
    /// The tree cannot be searched.
    Tree(#[from] TreeError),
    /// The pool did not do its work.
    Pool(#[from] VirtualPoolError),
    /// The objects were not balanced.
    Balancing(#[from] BalancingError),
}
