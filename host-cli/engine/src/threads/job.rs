//! Jobs of the engine, with checks that placement and configuration fit each other.

use std::sync::atomic::AtomicBool;

use tresse_core::run::RunConfig;
use tresse_core::run::noise::Noise;

use super::error::EngineError;
use crate::files::problem::Problem;
use tresse_platform::Placement;

/// A job of the engine: the configuration, the problem, and the cores.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// Configuration of the method; validated by the engine again.
    pub config: &'a RunConfig,
    /// Problem to solve.
    pub problem: &'a Problem,
    /// The workers' cores and sockets.
    pub placement: &'a Placement,
    /// Set by somebody else to end the run early.
    pub interrupt: &'a AtomicBool,
}

/// An iteration of parts of any kind, and the cores that it runs on.
#[derive(Debug)]
pub struct Iteration<'a, G> {
    /// Configuration of the method. Its grid, imbalance and precision are those of the stencil, and
    /// are not used here.
    pub config: &'a RunConfig,
    /// Graph of the parts: their number, sizes and neighbours.
    pub graph: &'a G,
    /// The workers' cores and sockets.
    pub placement: &'a Placement,
    /// Set by somebody else to end the run early.
    pub interrupt: &'a AtomicBool,
}

impl Job<'_> {
    /// Checks that the problem is on the configuration's grid.
    pub fn check_grid(&self) -> Result<(), EngineError> {
        let (problem, config) = (self.problem.grid, self.config.grid);
        if problem == config { Ok(()) } else { Err(EngineError::Grid { problem, config }) }
    }

    /// Returns the cores of each source of noise; fails where the placement does not fit the
    /// configuration.
    pub fn noisy_cores(&self) -> Result<Vec<(Noise, u32)>, EngineError> {
        noisy_cores(self.config, self.placement)
    }
}

/// Checks that there is a seat for each of the workers, and returns the number of workers.
pub(super) fn seats(placement: &Placement, workers: u32) -> Result<u32, EngineError> {
    let seats = placement.seats.len();
    if seats == workers as usize {
        Ok(workers)
    } else {
        Err(EngineError::Placement { seats, workers })
    }
}

/// Returns each source of noise with each core that it runs on, by the system's numbers.
pub(super) fn noisy_cores(
    config: &RunConfig,
    placement: &Placement,
) -> Result<Vec<(Noise, u32)>, EngineError> {
    let mut sources = Vec::new();
    for &noise in &config.noise {
        let cores = placement.noisy_cores(&noise)?;
        sources.extend(cores.into_iter().map(|core| (noise, core)));
    }
    Ok(sources)
}
