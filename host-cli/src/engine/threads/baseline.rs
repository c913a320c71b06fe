//! The synchronous baseline on rayon's thread pool: a second, independent way to the same field.
//!
//! The grid is cut into one band of rows a worker, as uneven as the workers' parts are to be; after
//! each sweep the edges are copied between neighbouring bands by plain assignment. The barrier is
//! rayon's, the memory is the borrow checker's; nothing of [`tresse_core::shared`] takes part.
//!
//! Several processes make one run of it, each with the bands of its own workers: the classic solver of
//! messages and threads. What they need of each other is [`BandExchange`].

mod band;
mod band_exchange;
mod outer_iterations;

use rayon::ThreadPool;
use tresse_core::convergence::norm;
use tresse_core::grid::Decomposition;
use tresse_core::halo::SharedReal;
use tresse_core::id::NodeId;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::RunConfig;
use tresse_core::time::Instant;

use self::band::RowBand;
pub use self::band_exchange::{BandExchange, Rows};
use self::outer_iterations::{OuterIterations, Pause};
use super::error::EngineError;
use super::job::{Job, seats};
use super::peers::Alone;
use crate::engine::clock::Clock;
use crate::engine::recorder::{Recorder, sample};
use crate::engine::solution::{RunRecord, Solution, residual_report};
use crate::platform::noise::NoiseThreads;
use crate::platform::{Placement, pin_current_thread};
use tresse_draw::history::HistorySample;

/// The part of a solution that one process has.
#[derive(Clone, Debug)]
pub struct Share<F> {
    /// The first row of the process; 0 where it has none.
    pub first_row: usize,
    /// Rows of the process in their whole width, and the record of its run.
    pub solution: Solution<F>,
}

/// Solves synchronously on rayon's pool, with as many threads and bands as workers.
pub fn solve_with_rayon<F: SharedReal>(
    job: Job<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, EngineError> {
    solve_with_rayon_among(job, NodeId(0), &mut Alone, watch).map(|share| share.solution)
}

/// Solves one node's part in the same way, together with other processes; the placement is that of the
/// node's workers. An error comes before anybody else was waited for, or after the run.
pub fn solve_with_rayon_among<F: SharedReal, B: BandExchange<F>>(
    job: Job<'_>,
    node: NodeId,
    neighbours: &mut B,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Share<F>, EngineError> {
    let Job { config, problem, placement, interrupt } = job;
    config.validate()?;
    job.check_grid()?;
    seats(placement, config.workers_per_node())?;
    let noise = job.noisy_cores()?;
    let mut memory = band::cut::<F>(problem, config, node);
    let bands = memory.iter_mut().filter_map(|memory| RowBand::new(problem, memory)).collect();
    let pool = pool(placement)?;
    let mut recorder = Recorder::new(&Decomposition::new(config)?, config);
    let noise = NoiseThreads::start(&noise, config.seed, node)?;

    let mut outer =
        pool.install(|| OuterIterations::new(bands, neighbours, interrupt, config.stop));
    let initial = outer.initial();
    let clock = Clock::default();
    clock.start();
    let (end, verified) = loop {
        match pool.install(|| outer.go_on(|| recorder.is_due(clock.now()))) {
            Pause::End(end, verified) => break (end, verified),
            Pause::Sample(sum, count) => {
                watch(&record(&mut recorder, clock.now(), sum / initial, count, config));
            }
        }
    };
    let count = outer.count();
    let elapsed = clock.now().since(Instant::ZERO);
    watch(&record(&mut recorder, clock.now(), verified / initial, count, config));
    let tolerance = config.stop.tolerance;
    let progress = progress(config, count);
    let record = RunRecord {
        is_virtual: false,
        sweeps: progress.updates,
        transfers: 0,
        end,
        elapsed,
        progress,
        spread_max: 0,
        spread_p99: None,
        staleness: Staleness::default(),
        moves: 0,
        away: None,
        rounds: 0,
        residual: residual_report(initial, outer.detected(), verified, tolerance),
        history: recorder.finish().0,
        noise: noise.stop()?,
        unpinned: Vec::new(),
    };
    let (first_row, field) = band::field(problem, outer.bands());
    Ok(Share { first_row, solution: Solution { field, record } })
}

/// Returns every subdomain of a node's workers at the same count.
pub(super) fn progress(config: &RunConfig, count: u64) -> Progress {
    let subdomains = u64::from(config.workers_per_node()) * u64::from(config.split);
    Progress::level(count, subdomains)
}

/// Records a sample: the sum of squares of the residual, relative to the initial one.
pub(super) fn record(
    recorder: &mut Recorder,
    now: Instant,
    relative: f64,
    count: u64,
    config: &RunConfig,
) -> HistorySample {
    let residual = Some(norm(relative)).filter(|relative| relative.is_finite());
    let sample = sample(now, residual, &progress(config, count), 0, 0);
    let counts = vec![count; config.subdomains().try_into().unwrap_or(usize::MAX)];
    recorder.record(now, sample, &counts);
    sample
}

/// Returns a pool with a pinned thread for each worker.
pub(super) fn pool(placement: &Placement) -> Result<ThreadPool, EngineError> {
    let cores: Vec<_> = placement.seats.iter().map(|seat| seat.core).collect();
    rayon::ThreadPoolBuilder::new()
        .num_threads(cores.len())
        .start_handler(move |thread| {
            if let Some(&core) = cores.get(thread) {
                // Unpinned it is slower, not wrong.
                let _ = pin_current_thread(core);
            }
        })
        .build()
        .map_err(EngineError::Pool)
}
