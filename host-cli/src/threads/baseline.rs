//! The synchronous baseline on rayon's thread pool: a second, independent way to the same field.
//!
//! The grid is cut into one band of rows a worker, as uneven as the workers' parts are to be; after
//! each sweep the edges are copied between neighbouring bands by plain assignment. The barrier is
//! rayon's, the memory is the borrow checker's; nothing of [`tresse_core::shared`] takes part.

mod band;

use std::sync::atomic::Ordering;

use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};
use tresse_core::convergence::{Convergence, Detected, Verified, norm, takes_residual};
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::{End, RunConfig};
use tresse_core::shared::SharedReal;
use tresse_core::time::Instant;

use self::band::{Band, exchange};
use super::clock::Clock;
use super::engine::{EngineError, Job};
use crate::kernel::Kernel;
use crate::machine::{Placement, pin_current_thread};
use crate::noise::NoiseThreads;
use crate::report::history::Sample;
use crate::report::recorder::{Recorder, sample};
use crate::solution::{Record, Solution, residual_report};

/// Solves synchronously on rayon's pool, with as many threads and bands as workers.
pub fn solve_with_rayon<F: SharedReal>(
    job: Job<'_>,
    watch: &mut dyn FnMut(&Sample),
) -> Result<Solution<F>, EngineError> {
    let Job { config, problem, placement, .. } = job;
    config.validate()?;
    job.check_seats(config.workers)?;
    let noise = job.noisy_cores()?;
    let mut memory = band::cut::<F>(problem, config.workers, config.imbalance);
    let mut grid = Grid {
        pool: pool(placement)?,
        kernel: Kernel::best(),
        bands: memory.iter_mut().filter_map(|memory| Band::new(problem, memory)).collect(),
    };
    let mut recorder = Recorder::new(config.subdomains().try_into().unwrap_or(usize::MAX));
    let noise = NoiseThreads::start(&noise, config.seed)?;

    let initial = grid.residual();
    let mut convergence = Convergence::new(initial, config.stop.tolerance);
    let clock = Clock::default();
    clock.start();
    let (mut count, mut detected) = (0, convergence.detect(initial, 0));
    let (end, verified) = loop {
        let wants_end = job.interrupt.load(Ordering::Relaxed)
            || config.stop.iterations.is_some_and(|iterations| count >= iterations);
        if wants_end || detected == Detected::Verify {
            let sum = grid.residual();
            if let Some(end) = end(convergence.verify(sum), wants_end, job) {
                break (end, sum);
            }
        }
        detected = Detected::GoOn;
        if let Some(sum) = grid.sweep(takes_residual(count)) {
            detected = convergence.detect(sum, count);
            if recorder.is_due(clock.now()) {
                let sample = record(&mut recorder, clock.now(), sum / initial, count, config);
                watch(&sample);
            }
        }
        count += 1;
    };
    let elapsed = clock.now().since(Instant::ZERO);
    watch(&record(&mut recorder, clock.now(), verified / initial, count, config));
    let tolerance = config.stop.tolerance;
    let record = Record {
        is_virtual: false,
        transfers: 0,
        end,
        elapsed,
        progress: progress(config, count),
        spread_max: 0,
        staleness: Staleness::default(),
        moves: 0,
        rounds: 0,
        residual: residual_report(initial, convergence.detected(), verified, tolerance),
        history: recorder.finish(),
        noise: noise.stop()?,
        unpinned: Vec::new(),
    };
    Ok(Solution { field: band::field(problem, &grid.bands), record })
}

fn end(verified: Verified, wants_end: bool, job: Job<'_>) -> Option<End> {
    match verified {
        Verified::Converged => Some(End::Converged),
        Verified::Stagnated => Some(End::Stagnated),
        Verified::NotFinite => Some(End::NotFinite),
        Verified::GoOn if job.interrupt.load(Ordering::Relaxed) => Some(End::Interrupted),
        Verified::GoOn => wants_end.then_some(End::Iterations),
    }
}

/// Every subdomain at the same count.
fn progress(config: &RunConfig, count: u64) -> Progress {
    let subdomains = config.subdomains();
    let updates = count.saturating_mul(subdomains);
    Progress { least: count, most: count, updates, subdomains }
}

fn record(
    recorder: &mut Recorder,
    now: Instant,
    relative: f64,
    count: u64,
    config: &RunConfig,
) -> Sample {
    let residual = Some(norm(relative)).filter(|relative| relative.is_finite());
    let sample = sample(now, residual, &progress(config, count), 0, 0);
    let counts = vec![count; config.subdomains().try_into().unwrap_or(usize::MAX)];
    recorder.record(now, sample, &counts);
    sample
}

/// The bands and who sweeps them.
struct Grid<'m, F> {
    pool: ThreadPool,
    kernel: Kernel<F>,
    bands: Vec<Band<'m, F>>,
}

impl<F: SharedReal> Grid<'_, F> {
    /// One sweep of all; with the sum of squares of the residual before it, where that is asked.
    fn sweep(&mut self, with_residual: bool) -> Option<f64> {
        exchange(&mut self.bands);
        let (kernel, bands) = (self.kernel, &mut self.bands);
        self.pool.install(|| {
            if with_residual {
                let sums: Vec<_> =
                    bands.par_iter_mut().map(|band| band.sweep_with_residual(&kernel)).collect();
                Some(sums.iter().sum())
            } else {
                bands.par_iter_mut().for_each(|band| band.sweep(&kernel));
                None
            }
        })
    }

    /// The sum of squares of the residual as it is now.
    fn residual(&mut self) -> f64 {
        exchange(&mut self.bands);
        let (kernel, bands) = (self.kernel, &self.bands);
        let sums: Vec<_> =
            self.pool.install(|| bands.par_iter().map(|band| band.residual(&kernel)).collect());
        sums.iter().sum()
    }
}

/// A pool with a pinned thread for each worker.
fn pool(placement: &Placement) -> Result<ThreadPool, EngineError> {
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
