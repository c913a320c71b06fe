//! Runs a job in the precision and the mode of its configuration.

use std::sync::atomic::AtomicBool;

use tresse_core::run::{Precision, RunConfig};
use tresse_core::sim::machine::SimulationError;
use tresse_core::sim::owned::timeline::Timeline;

pub use tresse_files::field::{Field, FieldHash};

use crate::checkpoints::Checkpoints;
use crate::files::output::OutputError;
use crate::files::problem::Problem;
use crate::files::recording::Recorder;
use crate::simulation::{self, VirtualJob};
use crate::solvers::{Method, MultigridChoices, Solver};
use crate::threads::{self, Cells, EngineError, Job, Observer, Observers, RunRecord, Solution};
use crate::virtual_multigrid::simulate_multigrid;
use tresse_draw::history::HistorySample;
use tresse_platform::Placement;

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The cells.
    pub field: Field,
    /// Record of the run.
    pub record: RunRecord,
}

impl From<Solution<f32>> for Finished {
    fn from(Solution { field, record }: Solution<f32>) -> Self {
        Self { field: Field::F32(field), record }
    }
}

impl From<Solution<f64>> for Finished {
    fn from(Solution { field, record }: Solution<f64>) -> Self {
        Self { field: Field::F64(field), record }
    }
}

/// Solves a problem on the cores of this machine; see [`run`] for more of a say.
///
/// ```
/// use tresse_core::run::{End, GridSize, RunConfig, Stop};
/// use tresse_engine::files::problem::Problem;
/// use tresse_engine::solver;
///
/// let config = RunConfig {
///     workers: 2,
///     grid: GridSize { rows: 60, columns: 60 },
///     stop: Stop { tolerance: Some(1e-2), ..Stop::NEVER },
///     ..RunConfig::default()
/// };
/// let finished = solver::solve(&config, &Problem::paper(config.grid))?;
/// assert_eq!(finished.record.end, End::Converged);
/// # Ok::<(), tresse_engine::threads::EngineError>(())
/// ```
pub fn solve(config: &RunConfig, problem: &Problem) -> Result<Finished, EngineError> {
    let placement = Placement::here(config.workers)?;
    let job = Job { config, problem, placement: &placement, interrupt: &AtomicBool::new(false) };
    run(job, &mut |_| {})
}

/// Runs a job to its end by the engine; `watch` sees samples of it meanwhile.
pub fn run(job: Job<'_>, watch: &mut dyn FnMut(&HistorySample)) -> Result<Finished, EngineError> {
    run_saved(job, Checkpoints::default(), watch)
}

/// Runs a job as [`run`] does, with its checkpoints.
fn run_saved(
    job: Job<'_>,
    checkpoints: Checkpoints<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, EngineError> {
    let nobody = Observers::of_workers(vec![(); job.placement.seats.len()]);
    observed(job, checkpoints, nobody, watch)
}

/// Runs a job to its end by a solver, whose mode the job has; `watch` sees samples of it meanwhile.
pub fn run_by(
    solver: Solver,
    job: Job<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, EngineError> {
    match (solver, job.config.precision) {
        (Solver::Engine(_), _) => run(job, watch),
        (Solver::Rayon, Precision::F32) => {
            threads::solve_with_rayon::<f32>(job, watch).map(Into::into)
        }
        (Solver::Rayon, Precision::F64) => {
            threads::solve_with_rayon::<f64>(job, watch).map(Into::into)
        }
    }
}

/// Runs a job to its end by a method; `solver` is that of Jacobi iteration, and only the engine's
/// has checkpoints. `watch` sees samples of it meanwhile.
pub fn run_method(
    method: Method,
    solver: Solver,
    job: Job<'_>,
    checkpoints: Checkpoints<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, EngineError> {
    match (method, job.config.precision) {
        (Method::Jacobi, _) if solver == Solver::Rayon => run_by(solver, job, watch),
        (Method::Jacobi, _) => run_saved(job, checkpoints, watch),
        (Method::Multigrid(choices), Precision::F32) => {
            threads::solve_with_multigrid::<f32>(job, choices, checkpoints, watch).map(Into::into)
        }
        (Method::Multigrid(choices), Precision::F64) => {
            threads::solve_with_multigrid::<f64>(job, choices, checkpoints, watch).map(Into::into)
        }
    }
}

/// Runs a job to its end by multigrid, and records what each worker is at; `watch` sees samples of
/// it meanwhile.
pub fn record_multigrid(
    choices: MultigridChoices,
    job: Job<'_>,
    checkpoints: Checkpoints<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Finished, Timeline), EngineError> {
    match job.config.precision {
        Precision::F32 => threads::record_multigrid::<f32>(job, choices, checkpoints, watch)
            .map(|(solution, timeline)| (solution.into(), timeline)),
        Precision::F64 => threads::record_multigrid::<f64>(job, choices, checkpoints, watch)
            .map(|(solution, timeline)| (solution.into(), timeline)),
    }
}

/// Runs a job in virtual time to its end; `watch` sees samples of it meanwhile.
pub fn simulate(
    job: VirtualJob<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, SimulationError> {
    match job.config.precision {
        Precision::F32 => simulation::simulate::<f32>(job, watch, &mut ()).map(Into::into),
        Precision::F64 => simulation::simulate::<f64>(job, watch, &mut ()).map(Into::into),
    }
}

/// Runs a job in virtual time to its end by a method; `watch` sees samples of it meanwhile.
pub fn simulate_method(
    method: Method,
    job: VirtualJob<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, SimulationError> {
    match (method, job.config.precision) {
        (Method::Jacobi, _) => simulate(job, watch),
        (Method::Multigrid(choices), Precision::F32) => {
            simulate_multigrid::<f32>(job, choices, watch).map(Into::into)
        }
        (Method::Multigrid(choices), Precision::F64) => {
            simulate_multigrid::<f64>(job, choices, watch).map(Into::into)
        }
    }
}

/// Runs a job to its end as [`run`] does, and records it. The run does not depend on the success of
/// the recording.
pub fn record(
    job: Job<'_>,
    checkpoints: Checkpoints<'_>,
    recorder: Recorder,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Finished, Result<(), OutputError>), EngineError> {
    let (observers, unfinished) = recorder.into_parts();
    match observed(job, checkpoints, observers, watch) {
        Ok(finished) => {
            let stored = unfinished.finish(finished.field.hash(), finished.record.end);
            Ok((finished, stored))
        }
        Err(error) => {
            unfinished.abandon();
            Err(error)
        }
    }
}

/// Solves on threads in the configured precision, while the observers see each worker.
fn observed<O>(
    job: Job<'_>,
    checkpoints: Checkpoints<'_>,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Finished, EngineError>
where
    O: for<'m> Observer<Cells<'m, f32>> + for<'m> Observer<Cells<'m, f64>>,
{
    match job.config.precision {
        Precision::F32 => threads::solve::<f32, O>(job, checkpoints, observers, watch)
            .map(|(solution, _)| solution.into()),
        Precision::F64 => threads::solve::<f64, O>(job, checkpoints, observers, watch)
            .map(|(solution, _)| solution.into()),
    }
}
