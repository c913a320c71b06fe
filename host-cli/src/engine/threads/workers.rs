//! The worker threads of a run, and the thread that watches them.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread;

use tresse_core::convergence::norm;
use tresse_core::graph::Graph;
use tresse_core::part::SharedPart;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::time::{Duration, Instant};

use super::error::EngineError;
use super::observer::Observer;
use super::peers::Peers;
use super::run::{Run, RunOutcome};
use super::worker::{Done, Worker};
use crate::engine::pinned::on_seats;
use crate::engine::recorder::{Recorder, sample};
use crate::engine::solution::Visited;
use crate::platform::Placement;
use tresse_draw::history::HistorySample;

/// The results of the workers.
pub(super) struct Worked<O> {
    pub(super) outcome: RunOutcome,
    pub(super) staleness: Staleness,
    pub(super) visited: Visited,
    pub(super) observers: Vec<O>,
    /// Cores that a worker could not be pinned to.
    pub(super) unpinned: Vec<u32>,
}

/// A sampler that takes longer than this, or than that for each subdomain, was taken from its core
/// meanwhile: counts of so different moments have a spread that never was.
const TIMELY: Duration = Duration::from_micros(5);
const TIMELY_EACH: u64 = 200;

/// Runs one pinned thread for each worker until the run has ended.
pub(super) fn work<'r, T, G, P, O, const N: usize>(
    run: &Run<'_, 'r, T, G, P, N>,
    placement: &Placement,
    observers: Vec<O>,
    recorder: &mut Recorder,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Worked<O>, EngineError>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N>,
{
    let (outcome, left) = on_seats(
        &placement.seats,
        observers,
        |seat, observer| Worker::new(seat.worker, run, observer).work(),
        || watch_until_end(run, recorder, watch),
    )?;
    let unpinned = left.iter().filter_map(|left| left.unpinned).collect();
    let mut worked = Worked {
        outcome,
        staleness: Staleness::default(),
        visited: Visited::default(),
        observers: vec![],
        unpinned,
    };
    for Done { staleness, visited, observer } in left.into_iter().map(|left| left.of) {
        worked.staleness = worked.staleness.and(staleness);
        worked.visited = worked.visited.and(visited);
        worked.observers.push(observer);
    }
    Ok(worked)
}

/// Samples the run until its end is declared.
///
/// The thread that does it has a core of its own only by luck.
fn watch_until_end<'r, T, G, P, const N: usize>(
    run: &Run<'_, 'r, T, G, P, N>,
    recorder: &mut Recorder,
    watch: &mut dyn FnMut(&HistorySample),
) -> RunOutcome
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    let mut counts = vec![0; run.slots.table.subdomains()];
    loop {
        let pause = run.peers.attend();
        let outcome = *run.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let now = run.clock.now();
        if let Some(initial) = run.initial.get()
            && (recorder.is_due(now) || outcome.is_some())
            && let Some(remote) = run.peers.remote(&mut counts)
        {
            let before = run.clock.now();
            run.slots.read_counts(&mut counts);
            let took = run.clock.now().since(before);
            let progress = Progress::of(counts.iter().copied());
            let is_timely = took <= TIMELY.max(Duration(TIMELY_EACH * counts.len() as u64));
            if is_timely && !remote.is_late {
                recorder.count_spread(progress.spread());
            }
            let seen = run.residuals.seen(|| run.slots.published_residual() + remote.residual);
            let moves = run.moves.load(Ordering::Relaxed) + remote.moves;
            let rounds = run.rounds.load(Ordering::Relaxed) + remote.rounds;
            let reference = run.config.stop.reference_or(*initial);
            let residual = seen.map(|(squares, at)| (norm(squares / reference), at));
            let residual = residual.filter(|(relative, _)| relative.is_finite());
            let mut sample = sample(now, residual, &progress, moves, rounds);
            if remote.before > 0 {
                let updates = progress.updates.saturating_sub(remote.before);
                sample.iteration_rate =
                    Progress { updates, ..progress }.iteration_rate(now.since(Instant::ZERO));
            }
            recorder.record(now, sample, &counts);
            watch(&sample);
        }
        match outcome {
            Some(outcome) => return outcome,
            None => thread::park_timeout(pause),
        }
    }
}
