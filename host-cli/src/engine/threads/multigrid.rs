//! Multigrid on rayon's thread pool, with a pinned thread for each worker.
//!
//! Each level is cut into bands, several for each worker, and a thread that has done its own takes one of another's:
//! so a slow core holds up the others for a band at most. Nothing waits but at the end of a level.

use std::sync::atomic::Ordering;

use ndarray::Array2;
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use tresse_core::halo::SharedReal;
use tresse_core::id::NodeId;
use tresse_core::multigrid::{Ending, Finding, Kernel, Smoothing};
use tresse_core::owned::multigrid::{
    Alone, ForkJoin, Multigrid, Processes, Scheme, gradients, gradients::Gradients, numbers_needed,
};
use tresse_core::run::{End, RunConfig};
use tresse_core::stencil::Terms;
use tresse_core::time::Instant;

use super::baseline::Share;
use super::error::EngineError;
use super::job::{Job, seats};
use super::synchronous::{Ended, pool, record};
use crate::engine::clock::Clock;
use crate::engine::kernel::RowKernel;
use crate::engine::recorder::Recorder;
use crate::engine::solution::{RunRecord, Solution};
use crate::engine::solvers::MultigridChoices;
use crate::platform::noise::NoiseThreads;
use tresse_core::noise::Noise;
use tresse_draw::history::HistorySample;

/// Cells from which on a level is shared: fewer are done before another thread has woken up.
const SHARED_FROM: usize = 1 << 13;

/// The pool: tasks go to whoever is free.
struct Pool;

impl ForkJoin for Pool {
    fn each<T: Send>(&self, tasks: Vec<T>, work: impl Fn(T) + Sync) {
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
    let Prepared { scheme, pool, noise } = Prepared::of(job, choices)?;
    let multigrid = pool.install(|| Multigrid::among(job.problem, scheme, processes));
    let mut multigrid = multigrid.ok_or(EngineError::NoCells)?;
    let bands = multigrid.bands().try_into().unwrap_or(u32::MAX);
    let mut visits = Visits { multigrid: &mut multigrid, pool: &pool, kernel: RowKernel::best() };
    let record = visited(job, (node, bands), &noise, &mut visits, watch)?;
    let (rows, columns) = (multigrid.rows().clone(), job.config.grid.columns);
    let mut cells = multigrid.into_cells();
    cells.truncate(rows.end * columns);
    cells.drain(..rows.start * columns);
    let field = shaped(cells, job.config)?;
    Ok(Share { first_row: rows.start, solution: Solution { field, record } })
}

/// Solves one node's part of any problem in the same way, by conjugate gradients.
pub fn solve_with_gradients_among<F: SharedReal>(
    job: Job<'_>,
    Among { choices, node, processes }: Among<impl Processes<f64> + Send>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Share<F>, EngineError> {
    let Prepared { scheme, pool, noise } = Prepared::of(job, choices)?;
    let solver = pool.install(|| Gradients::<F, _>::among(job.problem, scheme, processes, &Pool));
    let mut solver = solver.ok_or(EngineError::NoCells)?;
    let bands = job.config.subdomains().try_into().unwrap_or(u32::MAX);
    let mut on_pool = OnPool { solver: &mut solver, pool: &pool };
    let record = visited(job, (node, bands), &noise, &mut on_pool, watch)?;
    let field = shaped(solver.cells(), job.config)?;
    Ok(Share { first_row: solver.rows().start, solution: Solution { field, record } })
}

/// What a job that is checked begins with.
struct Prepared {
    scheme: Scheme,
    pool: ThreadPool,
    noise: Vec<(Noise, u32)>,
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
}

/// Returns whole rows of the grid as an array.
fn shaped<F>(cells: Vec<F>, config: &RunConfig) -> Result<Array2<F>, EngineError> {
    let columns = config.grid.columns;
    let rows = cells.len().checked_div(columns).unwrap_or_default();
    Array2::from_shape_vec((rows, columns), cells).map_err(|_| EngineError::NoCells)
}

/// Makes all visits, with the noise, and returns what they came to.
fn visited(
    job: Job<'_>,
    (node, bands): (NodeId, u32),
    noise: &[(Noise, u32)],
    solver: &mut impl Solver,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<RunRecord, EngineError> {
    let (config, workers) = (job.config, job.config.workers_per_node());
    let mut recorder = Recorder::of_parts(bands, |band| nearest_worker(band, bands, workers));
    let noise = NoiseThreads::start(noise, config.seed, node)?;
    let initial = solver.verified();
    let clock = Clock::default();
    clock.start();
    let ended = run(solver, job, initial, &clock, |now, sum, count| {
        watch(&record(&mut recorder, now, sum / initial, count, config, bands));
    });
    Ok(ended.record(config, recorder.finish().0, noise.stop()?))
}

/// Returns the worker that would have a band, were they dealt out in order.
fn nearest_worker(band: u32, bands: u32, workers: u32) -> u32 {
    let share = u64::from(band) * u64::from(workers) / u64::from(bands.max(1));
    share.try_into().unwrap_or(0)
}

/// Returns the scheme of a run; none for a number of smoothing steps that there is not.
fn scheme(config: &RunConfig, choices: MultigridChoices) -> Option<Scheme> {
    let bands = config.subdomains().try_into().unwrap_or(usize::MAX);
    let smoothing = Smoothing::chebyshev(choices.smoothing)?;
    Some(Scheme { smoothing, coarsest: choices.coarsest, bands, shared_from: SHARED_FROM })
}

/// Bytes that a run by multigrid allocates: all levels, and what the bands have of their own.
pub fn bytes_needed_with_multigrid(
    config: &RunConfig,
    choices: MultigridChoices,
    terms: Terms<()>,
) -> u64 {
    let Some(scheme) = scheme(config, choices) else { return 0 };
    if terms.faces.is_some() {
        let nodes = config.nodes.number.into();
        return gradients::numbers_needed(config.grid, &scheme, nodes).saturating_mul(8);
    }
    let [numbers, doubles] =
        numbers_needed(config.grid, &scheme, terms, config.nodes.number.into());
    let of_levels = numbers.saturating_mul(config.precision.bytes());
    of_levels.saturating_add(doubles.saturating_mul(8))
}

/// A method that visits every cell again and again; residuals are sums of squares.
trait Solver {
    /// Takes the residual from which the first visit starts.
    fn begin(&mut self);
    /// Visits, and returns the residual that is left.
    fn visit(&mut self) -> f64;
    /// Returns the residual of the cells as they are.
    fn verified(&mut self) -> f64;
    /// Whether `is` holds for any process.
    fn any(&mut self, is: bool) -> bool;
    /// Returns how the method ends.
    fn ending(&self, ending: Ending) -> Ending;
}

/// Multigrid on a pool.
struct Visits<'a, F, P> {
    multigrid: &'a mut Multigrid<F, P>,
    pool: &'a ThreadPool,
    kernel: RowKernel<F>,
}

impl<F: SharedReal, P: Processes<F> + Send> Solver for Visits<'_, F, P>
where
    RowKernel<F>: Kernel<F>,
{
    fn begin(&mut self) {
        self.pool.install(|| self.multigrid.begin(&self.kernel, &Pool));
    }

    fn visit(&mut self) -> f64 {
        self.pool.install(|| self.multigrid.visit(&self.kernel, &Pool))
    }

    fn verified(&mut self) -> f64 {
        self.pool.install(|| self.multigrid.verified(&Pool))
    }

    fn any(&mut self, is: bool) -> bool {
        self.multigrid.any(is)
    }

    fn ending(&self, ending: Ending) -> Ending {
        ending
    }
}

/// Conjugate gradients on a pool, for a coefficient.
struct OnPool<'a, F, P> {
    solver: &'a mut Gradients<F, P>,
    pool: &'a ThreadPool,
}

impl<F: SharedReal, P: Processes<f64> + Send> Solver for OnPool<'_, F, P> {
    fn begin(&mut self) {
        self.pool.install(|| self.solver.begin(&Pool));
    }

    fn visit(&mut self) -> f64 {
        self.pool.install(|| self.solver.visit(&Pool))
    }

    fn verified(&mut self) -> f64 {
        self.pool.install(|| self.solver.verified(&Pool))
    }

    fn any(&mut self, is: bool) -> bool {
        self.solver.any(is)
    }

    fn ending(&self, ending: Ending) -> Ending {
        ending.of_gradients()
    }
}

/// Visits until a verified residual is within the tolerance, or there is another reason to end. `initial` is
/// the sum of squares before the first visit; `seen` is given that after each, and at the end the verified
/// one.
fn run(
    solver: &mut impl Solver,
    job: Job<'_>,
    initial: f64,
    clock: &Clock,
    mut seen: impl FnMut(Instant, f64, u64),
) -> Ended {
    let stop = job.config.stop;
    let mut ending = solver.ending(Ending::new(initial, stop.tolerance));
    solver.begin();
    let (mut sum, mut count, mut detected) = (initial, 0, None);
    loop {
        let finding = ending.look(sum);
        if finding != Finding::GoOn {
            detected = Some(sum);
        }
        let is_interrupted = solver.any(job.interrupt.load(Ordering::Relaxed));
        let is_done = stop.iterations.is_some_and(|iterations| count >= iterations);
        if is_interrupted || is_done || finding != Finding::GoOn {
            let verified = solver.verified();
            let end = match finding {
                _ if !verified.is_finite() => Some(End::NotFinite),
                _ if ending.is_reached(verified) => Some(End::Converged),
                Finding::Stagnates => Some(End::Stagnated),
                _ if is_interrupted => Some(End::Interrupted),
                _ => is_done.then_some(End::Iterations),
            };
            let now = clock.now();
            if let Some(end) = end {
                seen(now, verified, count);
                return Ended { end, initial, detected, verified, count, now };
            }
        }
        if count > 0 {
            seen(clock.now(), sum, count);
        }
        sum = solver.visit();
        count += 1;
    }
}
