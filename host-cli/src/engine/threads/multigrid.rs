//! Multigrid on rayon's thread pool, with a pinned thread for each worker.
//!
//! Each level is cut into bands, several for each worker, and a thread that has done its own takes one of another's:
//! so a slow core holds up the others for a band at most. Nothing waits but at the end of a level.

use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use tresse_core::halo::SharedReal;
use tresse_core::id::NodeId;
use tresse_core::owned::multigrid::{
    Alone, Effort, ForkJoin, Multigrid, Processes, Scheme, gradients::Gradients,
};
use tresse_core::time::Instant;

use super::baseline::Share;
use super::error::EngineError;
use super::job::{Job, seats};
use super::pinned_pool::pool;
use crate::engine::clock::Clock;
use crate::engine::kernel::RowKernel;
use crate::engine::multigrid::{Geometric, Threads, Visited, Visits, scheme, shaped};
use crate::engine::solution::{RunRecord, Solution};
use crate::engine::solvers::MultigridChoices;
use crate::platform::noise::NoiseThreads;
use tresse_core::noise::Noise;
use tresse_draw::history::HistorySample;

/// The pool: tasks go to whoever is free.
struct Pool;

impl ForkJoin for Pool {
    fn each<T: Send>(&self, tasks: Vec<T>, _: impl Fn(&T) -> Effort, work: impl Fn(T) + Sync) {
        tasks.into_par_iter().with_max_len(1).for_each(&work);
    }
}

/// Solves by multigrid with as many threads as workers; an iteration is a visit of every cell.
pub fn solve_with_multigrid<F: SharedReal>(
    job: Job<'_>,
    choices: MultigridChoices,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, EngineError> {
    let among = Among { choices, node: NodeId(0), processes: Alone };
    let share = if job.problem.terms().faces.is_some() {
        solve_with_gradients_among(job, among, watch)
    } else {
        solve_with_multigrid_among(job, among, watch)
    };
    share.map(|share| share.solution)
}

/// A node of several, and what its processes say to each other.
#[derive(Clone, Copy, Debug)]
pub struct Among<P> {
    /// The choices about multigrid.
    pub choices: MultigridChoices,
    /// The node.
    pub node: NodeId,
    /// The processes.
    pub processes: P,
}

/// Solves one node's part of a problem whose faces have no weights, together with other processes: the rows of its
/// bands. The placement is that of the node's workers. An error comes before anybody else was waited for, or after the
/// run.
pub fn solve_with_multigrid_among<F: SharedReal>(
    job: Job<'_>,
    Among { choices, node, processes }: Among<impl Processes<F> + Send>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Share<F>, EngineError> {
    let prepared = Prepared::of(job, choices)?;
    let scheme = prepared.scheme.clone();
    let multigrid = prepared.pool.install(|| Multigrid::among(job.problem, scheme, processes));
    let multigrid = multigrid.ok_or(EngineError::NoCells)?;
    let bands = multigrid.bands().try_into().unwrap_or(u32::MAX);
    let mut solver = Geometric { multigrid, kernel: RowKernel::best() };
    let record = prepared.visit(job, (node, bands), &mut solver, watch)?;
    let multigrid = solver.multigrid;
    let (rows, columns) = (multigrid.rows().clone(), job.config.grid.columns);
    let mut cells = multigrid.into_cells();
    cells.truncate(rows.end * columns);
    cells.drain(..rows.start * columns);
    let field = shaped(cells, job.config).map_err(|_| EngineError::NoCells)?;
    Ok(Share { first_row: rows.start, solution: Solution { field, record } })
}

/// Solves one node's part of any problem in the same way, by conjugate gradients.
pub fn solve_with_gradients_among<F: SharedReal>(
    job: Job<'_>,
    Among { choices, node, processes }: Among<impl Processes<f64> + Send>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Share<F>, EngineError> {
    let prepared = Prepared::of(job, choices)?;
    let scheme = prepared.scheme.clone();
    let solver =
        prepared.pool.install(|| Gradients::<F, _>::among(job.problem, scheme, processes, &Pool));
    let mut solver = solver.ok_or(EngineError::NoCells)?;
    let bands = job.config.subdomains().try_into().unwrap_or(u32::MAX);
    let record = prepared.visit(job, (node, bands), &mut solver, watch)?;
    let field = shaped(solver.cells(), job.config).map_err(|_| EngineError::NoCells)?;
    Ok(Share { first_row: solver.rows().start, solution: Solution { field, record } })
}

/// What a job that is checked begins with.
struct Prepared {
    scheme: Scheme,
    pool: ThreadPool,
    noise: Vec<(Noise, u32)>,
}

/// The pool with the time since the first visit.
struct PinnedThreads {
    pool: ThreadPool,
    clock: Clock,
}

impl Threads for PinnedThreads {
    type Pool = Pool;

    fn run<R: Send>(&self, work: impl FnOnce(&Pool) -> R + Send) -> R {
        self.pool.install(|| work(&Pool))
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }
}

impl Prepared {
    fn of(job: Job<'_>, choices: MultigridChoices) -> Result<Self, EngineError> {
        job.config.validate()?;
        job.check_grid()?;
        seats(job.placement, job.config.workers_per_node())?;
        let noise = job.noisy_cores()?;
        let scheme =
            scheme(job.config, choices).ok_or(EngineError::Smoothing(choices.smoothing))?;
        Ok(Self { scheme, pool: pool(job.placement)?, noise })
    }

    /// Makes all visits, with the noise, and returns what they came to.
    fn visit(
        self,
        job: Job<'_>,
        (node, bands): (NodeId, u32),
        solver: &mut (impl Visits + Send),
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Result<RunRecord, EngineError> {
        let threads = PinnedThreads { pool: self.pool, clock: Clock::default() };
        let noise = NoiseThreads::start(&self.noise, job.config.seed, node)?;
        let initial = threads.run(|pool| solver.verified(pool));
        threads.clock.start();
        let mut visited = Visited::new(job.config, job.interrupt, bands);
        let ended = visited.run(solver, &threads, initial, watch);
        Ok(ended.record(job.config, visited.recorder.finish().0, noise.stop()?))
    }
}
