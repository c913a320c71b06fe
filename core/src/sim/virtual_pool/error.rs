//! Errors: pools that cannot be simulated.

use core::fmt;

use crate::sim::machine::{HardwareError, SimulationError};
use crate::tasks::sharing::{Full, SharingError};

/// A pool that cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PoolSimulationError {
    /// A parameter of sharing is out of its bounds.
    Sharing(SharingError),
    /// The machine makes no sense.
    Hardware(HardwareError),
    /// The machine cannot have this noise or these speed traces.
    Noise(SimulationError),
    /// There are fewer cores than workers and managers.
    Cores {
        /// Workers and managers.
        ranks: u32,
        /// Cores.
        cores: u32,
    },
    /// There is no worker.
    NoWorkers,
    /// With methods that steal, the only manager is the one that finds the end.
    StealingManagers {
        /// Managers with workers.
        managers: u32,
    },
    /// There are more tasks at a time than there may be.
    Full(Full),
    /// Everybody waits for ever, or for longer than time lasts: half a millennium.
    Stalled,
}

impl fmt::Display for PoolSimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sharing(error) => error.fmt(f),
            Self::Hardware(error) => error.fmt(f),
            Self::Noise(error) => error.fmt(f),
            Self::Cores { ranks, cores } => {
                write!(f, "{ranks} workers and managers do not fit on {cores} cores")
            }
            Self::StealingManagers { managers } => {
                write!(f, "{managers} managers where workers steal, and one finds the end")
            }
            Self::NoWorkers => f.write_str("a pool needs a worker"),
            Self::Full(full) => full.fmt(f),
            Self::Stalled => f.write_str("everybody waits for ever"),
        }
    }
}

impl core::error::Error for PoolSimulationError {}

impl From<SharingError> for PoolSimulationError {
    fn from(error: SharingError) -> Self {
        Self::Sharing(error)
    }
}

impl From<HardwareError> for PoolSimulationError {
    fn from(error: HardwareError) -> Self {
        Self::Hardware(error)
    }
}

impl From<Full> for PoolSimulationError {
    fn from(full: Full) -> Self {
        Self::Full(full)
    }
}
