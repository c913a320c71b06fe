//! The worker threads of a run: started, pinned, watched and joined.

use std::sync::atomic::Ordering;
use std::sync::{OnceLock, PoisonError};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use tresse_core::convergence::norm;
use tresse_core::part::{Graph, SharedPart};
use tresse_core::progress::{Progress, Staleness};
use tresse_core::time::Instant;

use super::error::EngineError;
use super::observer::Observer;
use super::peers::Peers;
use super::run::{Run, RunOutcome};
use super::worker::Worker;
use crate::platform::{Placement, Seat, pin_current_thread};
use crate::report::history::HistorySample;
use crate::report::recorder::{Recorder, sample};

/// What the workers leave.
pub(super) struct Worked<O> {
    pub(super) outcome: RunOutcome,
    pub(super) staleness: Staleness,
    pub(super) observers: Vec<O>,
    /// Cores that a worker could not be pinned to.
    pub(super) unpinned: Vec<u32>,
}

/// What one worker leaves: whether it was pinned, the halos it read, and its observer; nothing
/// where the run was called off.
type Left<O> = Option<(bool, Staleness, O)>;

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
    // Whether there is a thread for every worker: none may start to wait for one that never comes.
    let complete = OnceLock::new();
    thread::scope(|scope| {
        let seats = placement.seats.iter().zip(observers);
        let threads: Result<Vec<_>, _> =
            seats.map(|(seat, observer)| start(scope, run, &complete, seat, observer)).collect();
        complete.get_or_init(|| threads.is_ok());
        let threads = threads?;
        let outcome = watch_until_end(run, recorder, watch);
        let mut worked = Worked {
            outcome,
            staleness: Staleness::default(),
            observers: vec![],
            unpinned: vec![],
        };
        for (thread, seat) in threads.into_iter().zip(&placement.seats) {
            // A worker that panics takes the process along, see `EndTogether`.
            let Ok(Some((pinned, staleness, observer))) = thread.join() else { continue };
            worked.staleness = worked.staleness.and(staleness);
            worked.observers.push(observer);
            worked.unpinned.extend((!pinned).then_some(seat.core));
        }
        Ok(worked)
    })
}

fn start<'s, 'e, 'w, 'r, T, G, P, O, const N: usize>(
    scope: &'s Scope<'s, 'e>,
    run: &'e Run<'w, 'r, T, G, P, N>,
    complete: &'e OnceLock<bool>,
    seat: &Seat,
    observer: O,
) -> Result<ScopedJoinHandle<'s, Left<O>>, EngineError>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N> + 's,
{
    let main = thread::current();
    let Seat { worker, core, .. } = *seat;
    Builder::new()
        .name(format!("worker {worker}"))
        .spawn_scoped(scope, move || {
            if !*complete.wait() {
                return None;
            }
            let _together = EndTogether;
            let pinned = pin_current_thread(core).is_ok();
            let (staleness, observer) = Worker::new(worker, run, observer).work();
            main.unpark();
            Some((pinned, staleness, observer))
        })
        .map_err(|source| EngineError::Spawn { worker: worker.0, source })
}

/// Samples the run until worker 0 has declared its end.
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
            run.snapshot(&mut counts);
            let progress = Progress::of(counts.iter().copied());
            let relative = norm((run.published_residual() + remote.residual) / initial);
            let moves = run.moves.load(Ordering::Relaxed) + remote.moves;
            let rounds = run.rounds.load(Ordering::Relaxed) + remote.rounds;
            let residual = Some(relative).filter(|relative| relative.is_finite());
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

/// Ends the process when its thread panics: the other workers would wait for it for ever.
pub(in crate::engine) struct EndTogether;

impl Drop for EndTogether {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::abort();
        }
    }
}
