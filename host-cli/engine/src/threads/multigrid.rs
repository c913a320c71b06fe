//! Multigrid on rayon's thread pool, with a pinned thread for each worker.
//!
//! Each level is cut into bands, several for each worker, and a thread that has none of its own to
//! do takes one of another's: so a slow core holds up the others for a band at most. Nothing waits
//! at the end of a level: what each thread does next follows from the rows that are done
//! ([`flow`](tresse_core::multigrid::owned::flow)).

use std::mem;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration as Sleep;
use tresse_core::base::real::Real;

use rayon::ThreadPool;
use tresse_core::base::id::{NodeId, RankId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::multigrid::owned::{
    Alone, Multigrid, Processes, Scheme, SolverState, conjugate_gradients::ConjugateGradients,
};
use tresse_core::sim::owned::timeline::Timeline;

use super::baseline::Share;
use super::error::EngineError;
use super::job::{Job, seats};
use super::pinned_pool::{PoolTime, pool};
use super::task_pool::Pool;
use super::task_tracks::TaskTracks;
use crate::checkpoints::{self, Checkpoints, MultigridKeeper};
use crate::kernel::RowKernel;
use crate::multigrid::{CycleLoop, Cycles, Geometric, Keeper, Stage, Threads, scheme, shaped};
use crate::solution::{RunRecord, Solution};
use crate::solvers::MultigridChoices;
use tresse_core::run::noise::Noise;
use tresse_draw::history::HistorySample;
use tresse_files::stored_cell::StoredCell;
use tresse_platform::noise::NoiseThreads;

/// Solves by multigrid with as many threads as workers; an iteration is a cycle.
pub fn solve_with_multigrid<F: Real + StoredCell>(
    job: Job<'_>,
    choices: MultigridChoices,
    checkpoints: Checkpoints<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, EngineError> {
    solve_alone((job, choices), checkpoints, &TaskTracks::default(), watch)
}

/// Solves by multigrid, and records what each worker does from the first cycle on.
pub fn record_multigrid<F: Real + StoredCell>(
    job: Job<'_>,
    choices: MultigridChoices,
    checkpoints: Checkpoints<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Solution<F>, Timeline), EngineError> {
    let tracks = TaskTracks::of_threads(job.placement.seats.len(), job.placement.seats.len());
    let solution = solve_alone((job, choices), checkpoints, &tracks, watch)?;
    let end = Instant::ZERO.after(solution.record.elapsed);
    Ok((solution, tracks.finish(end)))
}

/// Solves in this process alone. Conjugate gradients with V-cycles are used where there is a
/// coefficient or cells are not square, and V-cycles alone otherwise.
fn solve_alone<F: Real + StoredCell>(
    (job, choices): (Job<'_>, MultigridChoices),
    checkpoints: Checkpoints<'_>,
    tracks: &TaskTracks,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, EngineError> {
    let among = Among { choices, node: NodeId(0), processes: Alone };
    let share = if job.problem.terms().faces.is_some() {
        let prepared = Prepared::with_conjugate_gradients(job, among)?;
        solve_prepared(prepared, choices, checkpoints, tracks, watch)
    } else {
        let prepared = Prepared::geometric(job, among)?;
        solve_prepared(prepared, choices, checkpoints, tracks, watch)
    };
    share.map(|share| share.solution)
}

/// Restores a checkpoint, if there is one, and runs the cycles, with checkpoints where they are
/// planned.
fn solve_prepared<S>(
    mut prepared: Prepared<'_, S>,
    choices: MultigridChoices,
    Checkpoints { plan, resumed }: Checkpoints<'_>,
    tracks: &TaskTracks,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Share<S::Cell>, EngineError>
where
    S: Cycles<State: SolverState<Number: StoredCell>> + Send,
{
    if let Some(from) = resumed {
        let grid = prepared.job.config.grid;
        checkpoints::restore(from, prepared.state_mut(), grid)?;
    }
    let first = resumed.and_then(checkpoints::stage);
    let nobody = Mutex::new(());
    let keeper = plan.map(|plan| MultigridKeeper::new(plan, RankId(0), &nobody, choices));
    prepared.solve(tracks, first, &keeper, watch)
}

/// Time between two looks at the samples of a run.
const WATCH: Sleep = Sleep::from_millis(50);

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

/// One node's part of a run, with everything before its first cycle: the rows of its bands.
pub struct Prepared<'a, S> {
    job: Job<'a>,
    pool: ThreadPool,
    noise: Vec<(Noise, u32)>,
    solver: S,
    node: NodeId,
    bands: u32,
}

/// The pool with the time since the first cycle.
struct PinnedThreads<'t> {
    pool: ThreadPool,
    tracks: &'t TaskTracks,
}

impl<'t> Threads for PinnedThreads<'t> {
    type Pool = Pool<'t>;

    fn run<R: Send>(&self, work: impl FnOnce(&Pool<'t>) -> R + Send) -> R {
        self.pool.install(|| work(&Pool(self.tracks)))
    }

    fn now(&self) -> Instant {
        self.tracks.clock.now()
    }

    fn worked(&self) -> Duration {
        self.tracks.worked()
    }
}

impl PinnedThreads<'_> {
    /// Makes a run on one of the threads, and shows its samples here: the thread that watches wakes
    /// rarely, as one that does so often lets the system starve the workers of another program.
    #[expect(clippy::expect_used, reason = "a broken invariant")]
    fn run_watched<R: Send>(
        &self,
        watch: &mut dyn FnMut(&HistorySample),
        run: impl FnOnce(&mut dyn FnMut(&HistorySample)) -> R + Send,
    ) -> R {
        let unseen = Mutex::new(Vec::new());
        let lock = || unseen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut show = || mem::take(&mut *lock()).iter().for_each(&mut *watch);
        let (goes_on, is_over) = mpsc::channel::<()>();
        let mut result = None;
        self.pool.in_place_scope(|scope| {
            let result = &mut result;
            scope.spawn(move |_| {
                // Dropped when the run is over, also by a panic.
                let _goes_on = goes_on;
                *result = Some(run(&mut |sample| lock().push(*sample)));
            });
            while is_over.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
                show();
            }
        });
        show();
        result.expect("a scope ends after what it has started")
    }
}

impl<'a, F: Real, P: Processes<F> + Send> Prepared<'a, Geometric<F, P>> {
    /// Prepares a problem whose faces have no weights. The placement is that of the node's workers.
    pub fn geometric(job: Job<'a>, among: Among<P>) -> Result<Self, EngineError> {
        let Among { choices, node, processes } = among;
        let (noise, scheme) = check(job, choices)?;
        let pool = pool(job.placement)?;
        let multigrid = pool.install(|| Multigrid::among(job.problem, scheme, processes));
        let multigrid = multigrid.ok_or(EngineError::NoCells)?;
        let bands = multigrid.bands().try_into().unwrap_or(u32::MAX);
        let solver = Geometric { multigrid, kernel: RowKernel::best() };
        Ok(Self { job, pool, noise, solver, node, bands })
    }
}

impl<'a, F: Real, P: Processes<f64> + Send> Prepared<'a, ConjugateGradients<F, P>> {
    /// Prepares any problem for conjugate gradients with V-cycles as their preconditioner. The
    /// placement is that of the node's workers.
    pub fn with_conjugate_gradients(job: Job<'a>, among: Among<P>) -> Result<Self, EngineError> {
        let Among { choices, node, processes } = among;
        let (noise, scheme) = check(job, choices)?;
        let pool = pool(job.placement)?;
        let unrecorded = TaskTracks::default();
        let solver = pool.install(|| {
            ConjugateGradients::among(job.problem, scheme, processes, &Pool(&unrecorded))
        });
        let solver = solver.ok_or(EngineError::NoCells)?;
        let bands = job.config.subdomains().try_into().unwrap_or(u32::MAX);
        Ok(Self { job, pool, noise, solver, node, bands })
    }
}

impl<S: Cycles + Send> Prepared<'_, S> {
    /// Returns what the first cycle starts from, to be set to what another run has come to.
    pub fn state_mut(&mut self) -> &mut S::State {
        self.solver.state_mut()
    }

    /// Makes all cycles, with the noise, from stage `resumed` of another run on, if there is one.
    /// An error comes before anybody else was waited for, or after the run.
    pub fn solve(
        self,
        tracks: &TaskTracks,
        resumed: Option<Stage>,
        keeper: &(impl Keeper<S::State> + Sync),
        watch: &mut dyn FnMut(&HistorySample),
    ) -> Result<Share<S::Cell>, EngineError> {
        let Self { job, pool, noise, mut solver, node, bands } = self;
        let threads = PinnedThreads { pool, tracks };
        let noise = NoiseThreads::start(&noise, job.config.seed, node)?;
        let first = || Stage::first(threads.run(|pool| solver.residual_squares(pool)));
        let stage = resumed.unwrap_or_else(first);
        let begun = PoolTime::begin(&threads.pool);
        tracks.clock.start();
        let mut cycles = CycleLoop::new(job.config, job.interrupt, bands);
        let ended = threads
            .run_watched(watch, |watch| cycles.run(&mut solver, &threads, stage, keeper, watch));
        let record = ended.record(job.config, cycles.recorder.finish().0, noise.stop()?);
        let record = RunRecord { cpu_share: begun.share(&threads.pool), ..record };
        let first_row = solver.state().own().start;
        let field = shaped(solver.into_cells(), job.config).map_err(|_| EngineError::NoCells)?;
        Ok(Share { first_row, solution: Solution { field, record } })
    }
}

/// Checks a job, and returns its noise and its scheme.
fn check(
    job: Job<'_>,
    choices: MultigridChoices,
) -> Result<(Vec<(Noise, u32)>, Scheme), EngineError> {
    job.config.validate()?;
    job.check_grid()?;
    seats(job.placement, job.config.workers_per_node())?;
    let noise = job.noisy_cores()?;
    let scheme = scheme(job.config, choices).ok_or(EngineError::Smoothing(choices.smoothing))?;
    Ok((noise, scheme))
}
