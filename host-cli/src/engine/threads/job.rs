//! What a run is to do, and where, and whether the two fit each other.

use std::sync::atomic::AtomicBool;

use tresse_core::noise::Noise;
use tresse_core::run::RunConfig;

use super::error::EngineError;
use crate::files::problem::Problem;
use crate::platform::Placement;

/// What the engine is to do, and where.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The method; validated by the engine again.
    pub config: &'a RunConfig,
    /// The equations.
    pub problem: &'a Problem,
    /// The workers' cores and sockets.
    pub placement: &'a Placement,
    /// Set by somebody else to end the run early.
    pub interrupt: &'a AtomicBool,
}

/// How parts are iterated, and where.
#[derive(Debug)]
pub struct Iteration<'a, G> {
    /// The method. Its grid, imbalance and precision are those of the stencil, and say nothing here.
    pub config: &'a RunConfig,
    /// Which parts there are, and who is beside whom.
    pub graph: &'a G,
    /// The workers' cores and sockets.
    pub placement: &'a Placement,
    /// Set by somebody else to end the run early.
    pub interrupt: &'a AtomicBool,
}

impl Job<'_> {
    /// That the problem is on the configuration's grid.
    pub(super) fn check_grid(&self) -> Result<(), EngineError> {
        let (problem, config) = (self.problem.grid, self.config.grid);
        if problem == config { Ok(()) } else { Err(EngineError::Grid { problem, config }) }
    }

    /// Where each source of noise is to run, once the placement fits the configuration.
    pub fn noisy_cores(&self) -> Result<Vec<(Noise, u32)>, EngineError> {
        noisy_cores(self.config, self.placement)
    }
}

/// That there is a seat for each of the workers.
pub(super) fn seats(placement: &Placement, workers: u32) -> Result<u32, EngineError> {
    let seats = placement.seats.len();
    if seats == workers as usize {
        Ok(workers)
    } else {
        Err(EngineError::Placement { seats, workers })
    }
}

/// Where each source of noise is to run.
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
