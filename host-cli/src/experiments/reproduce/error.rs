//! Why an experiment's runs were not made.

use tresse_core::machine::SimulationError;
use tresse_core::uts::TreeError;

use crate::engine::virtual_pool::VirtualPoolError;
use crate::experiments::balancing::{BalancingError, InstanceError};
use crate::files::load_traces::LoadTraceError;
use crate::wording;

/// Why an experiment's runs were not made.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum ExperimentError {
    /// The virtual machine did not start.
    Machine(#[from] SimulationError),
    /// A load trace cannot be used.
    #[error("{}", wording::load_trace(.0))]
    Trace(#[from] LoadTraceError),
    /// Objects that cannot be balanced.
    Instance(#[from] InstanceError),
    /// A tree that cannot be searched.
    Tree(#[from] TreeError),
    /// A pool that did not do its work.
    Pool(#[from] VirtualPoolError),
    /// They were not balanced.
    Balancing(#[from] BalancingError),
}
