//! What is simulated.

use super::PoolCosts;
use super::error::PoolSimulationError;
use super::run::{PoolOutcome, PoolRun};
use crate::id::WorkerId;
use crate::machine::{CoreNoise, Hardware};
use crate::sharing::{Managers, PoolProgress, SharingConfig, Work};

/// Events between two looks at whether the run goes on.
const LOOK: u32 = 1 << 16;

/// A pool on a machine.
#[derive(Clone, Copy, Debug)]
pub struct PoolSimulation<'a, 'm> {
    /// How the work is shared.
    pub config: SharingConfig,
    /// Workers and their managers.
    pub managers: Managers,
    /// The machine; of its costs, those of halos are those of messages.
    pub hardware: &'a Hardware,
    /// What slows its cores besides.
    pub noise: CoreNoise<'a, 'm>,
    /// What it costs besides.
    pub costs: PoolCosts,
    /// The most tasks that a worker or a manager may have at a time.
    pub most_tasks: usize,
}

impl<'m> PoolSimulation<'_, 'm> {
    /// Executes tasks, and all that come of them. `goes_on` is asked now and then, with how far that
    /// is; none where it says no.
    pub fn run<W: Work>(
        &self,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
        mut goes_on: impl FnMut(PoolProgress) -> bool,
    ) -> Result<Option<PoolOutcome<W>>, PoolSimulationError> {
        let mut run = self.start(first, work)?;
        let mut steps = 0_u32;
        while run.step()? {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(LOOK) && !goes_on(run.progress()) {
                return Ok(None);
            }
        }
        Ok(Some(run.into_outcome()))
    }

    /// The same at time zero, to be gone through step by step. The first worker has all the tasks.
    pub fn start<W: Work>(
        &self,
        first: &[W::Task],
        work: impl FnMut(WorkerId) -> W,
    ) -> Result<PoolRun<'m, W>, PoolSimulationError> {
        self.validate()?;
        PoolRun::new(self, first, work)
    }

    /// Whether it can be run, as far as that is known before.
    pub fn validate(&self) -> Result<(), PoolSimulationError> {
        self.config.validate()?;
        self.hardware.validate()?;
        let ranks = self.managers.workers().saturating_add(self.managers.number());
        let cores = self.hardware.all_cores();
        if self.managers.workers() == 0 {
            return Err(PoolSimulationError::NoWorkers);
        }
        if ranks > cores {
            return Err(PoolSimulationError::Cores { ranks, cores });
        }
        self.noise.check(self.hardware, self.hardware.nodes).map_err(PoolSimulationError::Noise)
    }
}
