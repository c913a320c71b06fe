//! The synchronous baseline on rayon's thread pool: a second, independent way to the same field.
//!
//! The grid is cut into one band of rows a worker, as uneven as the workers' parts are to be; after
//! each sweep the edges are copied between neighbouring bands by plain assignment. The barrier is
//! rayon's, the memory is the borrow checker's; nothing of [`tresse_core::node::shared`] takes
//! part.
//!
//! Several processes make one run of it, each with the bands of its own workers: the classic solver
//! of messages and threads. What they need of each other is [`BandExchange`].

mod band;
mod band_exchange;
mod outer_iterations;

use tresse_core::base::id::NodeId;
use tresse_core::base::real::Real;
use tresse_core::field::grid::Decomposition;

use self::band::RowBand;
pub use self::band_exchange::{BandExchange, Rows};
use self::outer_iterations::{OuterIterations, Pause};
use super::error::EngineError;
use super::job::{Job, seats};
use super::pinned_pool::{PoolTime, pool};
use crate::recorder::Recorder;
use crate::solution::{RunRecord, Solution};
use crate::synchronous::{Count, Ended, record};
use tresse_core::node::executor::Alone;
use tresse_draw::history::HistorySample;
use tresse_platform::clock::Clock;
use tresse_platform::noise::NoiseThreads;

/// The part of a solution that one process has.
#[derive(Clone, Debug)]
pub struct Share<F> {
    /// The first row of the process; 0 where it has none.
    pub first_row: usize,
    /// Rows of the process in their whole width, and the record of its run.
    pub solution: Solution<F>,
}

/// Solves synchronously on rayon's pool, with as many threads and bands as workers.
pub fn solve_with_rayon<F: Real>(
    job: Job<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solution<F>, EngineError> {
    solve_with_rayon_among(job, NodeId(0), &mut Alone, watch).map(|share| share.solution)
}

/// Solves one node's part synchronously on rayon's pool, together with other processes. The
/// placement is that of the node's workers. An error comes before anybody else was waited for, or
/// after the run.
pub fn solve_with_rayon_among<F: Real, B: BandExchange<F>>(
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
    let bands = memory.iter_mut().map(|memory| RowBand::new(problem, memory)).collect();
    let pool = pool(placement)?;
    let decomposition = Decomposition::new(config)?;
    let mut recorder = Recorder::new(&decomposition, config);
    let parts = decomposition.subdomains();
    let noise = NoiseThreads::start(&noise, config.seed, node)?;

    let mut outer =
        pool.install(|| OuterIterations::new(bands, neighbours, interrupt, config.stop));
    let initial = outer.initial();
    let begun = PoolTime::begin(&pool);
    let clock = Clock::default();
    clock.start();
    let (end, verified) = loop {
        match pool.install(|| outer.run_until_pause(|| recorder.is_due(clock.now()))) {
            Pause::End { end, verified } => break (end, verified),
            Pause::Sample { sum, count } => {
                let count = Count { all: count, before: 0 };
                watch(&record(&mut recorder, clock.now(), sum / initial, count, config, parts));
            }
        }
    };
    let (count, detected) = (Count { all: outer.count(), before: 0 }, outer.detected());
    let ended = Ended { end, initial, detected, verified, count, moved: 0, now: clock.now() };
    watch(&record(&mut recorder, clock.now(), verified / initial, count, config, parts));
    let record = ended.record(config, recorder.finish().0, noise.stop()?);
    let record = RunRecord { cpu_share: begun.share(&pool), ..record };
    let (first_row, field) = band::field(problem, outer.bands());
    Ok(Share { first_row, solution: Solution { field, record } })
}
