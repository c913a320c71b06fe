//! Multigrid in virtual time: the same visits, by the workers of a virtual machine.

use tresse_core::machine::{self, Hardware, SimulationError};
use tresse_core::owned::multigrid::{InTurn, Multigrid, VirtualThreads, gradients::Gradients};
use tresse_core::owned::{SpeedTrace, lent};
use tresse_core::real::Real;
use tresse_core::run::{NoiseReport, Quantity, RunConfig, RunConfigError};
use tresse_core::time::Instant;

use crate::engine::kernel::RowKernel;
use crate::engine::multigrid::{Geometric, Stage, Threads, Visited, Visits, scheme, shaped};
use crate::engine::simulation::VirtualJob;
use crate::engine::solution::{RunRecord, Solution};
use crate::engine::solvers::MultigridChoices;
use tresse_draw::history::HistorySample;

/// Never for a grid of ours.
const NO_CELLS: SimulationError = SimulationError::Config(RunConfigError::Zero(Quantity::Grid));

/// Refuses a run by multigrid that a machine cannot simulate.
pub fn check(
    config: &RunConfig,
    hardware: &Hardware,
    traces: &[SpeedTrace],
    choices: MultigridChoices,
) -> Result<(), SimulationError> {
    machine::check(config, hardware, &lent(traces))?;
    if config.nodes.number > 1 {
        return Err(SimulationError::MultigridOfNodes);
    }
    match scheme(config, choices) {
        Some(_) => Ok(()),
        None => Err(SimulationError::Smoothing(choices.smoothing)),
    }
}

/// Solves by multigrid on the first node of a machine; an iteration is a visit of every cell.
pub fn simulate_multigrid<F: Real + Send + Sync>(
    job: VirtualJob<'_>,
    choices: MultigridChoices,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, SimulationError> {
    let config = job.config;
    check(config, job.hardware, job.traces, choices)?;
    let scheme = scheme(config, choices).ok_or(SimulationError::Smoothing(choices.smoothing))?;
    if job.problem.terms().faces.is_some() {
        let solver = Gradients::<F>::new(job.problem, scheme, &InTurn).ok_or(NO_CELLS)?;
        return visit(job, config.subdomains().try_into().unwrap_or(u32::MAX), solver, watch);
    }
    let multigrid = Multigrid::new(job.problem, scheme).ok_or(NO_CELLS)?;
    let bands = multigrid.bands().try_into().unwrap_or(u32::MAX);
    visit(job, bands, Geometric { multigrid, kernel: RowKernel::best() }, watch)
}

/// The workers, whose time begins with the first visit.
struct VirtualWorkers<'m>(VirtualThreads<'m>);

impl<'m> Threads for VirtualWorkers<'m> {
    type Pool = VirtualThreads<'m>;

    fn run<R: Send>(&self, work: impl FnOnce(&VirtualThreads<'m>) -> R + Send) -> R {
        work(&self.0)
    }

    fn now(&self) -> Instant {
        self.0.now()
    }
}

/// Makes all visits, and returns what they came to.
fn visit<S: Visits + Send>(
    job: VirtualJob<'_>,
    bands: u32,
    mut solver: S,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<S::Cell>, SimulationError> {
    let VirtualJob { config, hardware, traces, interrupt, .. } = job;
    let traces = lent(traces);
    let threads = VirtualWorkers(VirtualThreads::new(config, hardware, &traces)?);
    let stage = Stage::first(solver.verified(&InTurn));
    let mut visited = Visited::new(config, interrupt, bands);
    let ended = visited.run(&mut solver, &threads, (stage, &()), watch);
    let noise = noise_taken(&threads.0, config, hardware);
    let record = ended.record(config, visited.recorder.finish().0, noise);
    let field = shaped(solver.into_cells(), config).map_err(|_| NO_CELLS)?;
    Ok(Solution { field, record: RunRecord { is_virtual: true, ..record } })
}

fn noise_taken(
    threads: &VirtualThreads<'_>,
    config: &RunConfig,
    hardware: &Hardware,
) -> Vec<NoiseReport> {
    let mut noise = Vec::new();
    threads.noise_taken(config, hardware, |core, number, share| {
        if let Some(&source) = config.noise.get(number) {
            noise.push(NoiseReport { source, core, share });
        }
    });
    noise
}
