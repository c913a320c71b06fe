//! A pool of tasks in virtual time, reported as one on threads.

use std::sync::atomic::{AtomicBool, Ordering};

use tresse_core::base::id::WorkerId;
use tresse_core::sim::virtual_pool::{PoolOutcome, PoolSimulation, PoolSimulationError};
use tresse_core::tasks::sharing::{Managers, PoolProgress, Work};

use super::pool::{PoolReport, Pooled};

/// Errors of a pool in virtual time.
#[derive(Debug, thiserror::Error)]
pub enum VirtualPoolError {
    /// The pool cannot be simulated.
    #[error(transparent)]
    Simulation(#[from] PoolSimulationError),
    /// The pool was interrupted.
    #[error("interrupted: nothing was counted to its end")]
    Interrupted,
}

/// Returns the most workers that fit on some cores with their managers.
pub fn most_workers(cores: u32, managers: impl Fn(u32) -> Managers) -> u32 {
    let fits = |workers: &u32| workers + managers(*workers).number() <= cores;
    (1..cores).rev().find(fits).unwrap_or(1)
}

/// Executes tasks, and all tasks that they create, on a virtual machine. Calls `watch` now and then
/// with the progress.
pub fn run<W: Work>(
    simulation: &PoolSimulation<'_, '_>,
    first: &[W::Task],
    work: impl FnMut(WorkerId) -> W,
    interrupt: &AtomicBool,
    watch: &mut dyn FnMut(PoolProgress),
) -> Result<Pooled<W>, VirtualPoolError> {
    let goes_on = |progress| {
        watch(progress);
        !interrupt.load(Ordering::Relaxed)
    };
    let outcome = simulation.run(first, work, goes_on)?.ok_or(VirtualPoolError::Interrupted)?;
    let PoolOutcome { works, statistics, timeline, messages, .. } = outcome;
    Ok(Pooled { works, report: PoolReport::new(timeline, statistics, messages) })
}
