//! Configuration of a simulated pool.

use super::PoolCosts;
use super::error::PoolSimulationError;
use crate::sim::machine::{CoreNoise, Hardware};
use crate::tasks::sharing::{Managers, SharingConfig};

/// A pool on a machine.
#[derive(Clone, Copy, Debug)]
pub struct PoolSimulation<'a, 'm> {
    /// Method of sharing, with its parameters.
    pub config: SharingConfig,
    /// Workers and their managers.
    pub managers: Managers,
    /// The machine; of its costs, those of halos are those of messages.
    pub hardware: &'a Hardware,
    /// Noise and speed traces that slow its cores besides.
    pub noise: CoreNoise<'a, 'm>,
    /// Costs of tasks and messages besides.
    pub costs: PoolCosts,
    /// The most tasks that a worker or a manager may have at a time.
    pub most_tasks: usize,
}

impl PoolSimulation<'_, '_> {
    /// Checks that the pool can be run, as far as that is known before.
    pub fn validate(&self) -> Result<(), PoolSimulationError> {
        self.config.validate()?;
        self.hardware.validate()?;
        let ranks = self.managers.workers().saturating_add(self.managers.number());
        let cores = self.hardware.all_cores();
        if self.managers.workers() == 0 {
            return Err(PoolSimulationError::NoWorkers);
        }
        let managers = self.managers.with_workers();
        if self.config.method.steals() && managers > 1 {
            return Err(PoolSimulationError::StealingManagers { managers });
        }
        if ranks > cores {
            return Err(PoolSimulationError::Cores { ranks, cores });
        }
        self.noise.check(self.hardware, self.hardware.nodes).map_err(PoolSimulationError::Noise)
    }
}
