//! Why an experiment's runs were not made.

use tresse_core::machine::SimulationError;

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
    /// They were not balanced.
    Balancing(#[from] BalancingError),
}
