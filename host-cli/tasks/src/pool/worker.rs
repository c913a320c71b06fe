//! A worker's thread: steps, and messages in between.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tresse_core::base::id::ManagerId;
use tresse_core::sim::owned::timeline::TrackRecorder;
use tresse_core::tasks::owned::OwnedWorker;
use tresse_core::tasks::sharing::{
    MOST_AT_A_LOOK, Message, Outbox, Peer, PoolProgress, Step, Work,
};

use super::post::{Envelope, Mailbox};
use super::stopwatch::Stopwatch;
use super::{Managing, PoolState};

/// Greatest number of tasks between two looks at the mailbox: some ten microseconds of small tasks.
const MOST_AT_A_TIME: u32 = 512;

/// Number of looks at the mailbox before a worker without tasks lets others have its core.
const LOOKS: u32 = 2_000;

/// Time that a worker without tasks then waits before it looks again whether it has to do a
/// manager's work.
const PATIENCE: Duration = Duration::from_micros(100);

/// Number of tasks after which a worker reports its progress.
const TOLD: u64 = 1 << 16;

/// The result of a worker's thread.
pub(super) struct Left<W: Work> {
    /// The worker, with its work.
    pub worker: OwnedWorker<W>,
    /// Recorder of the worker's activities.
    pub recorder: TrackRecorder,
    /// Whether the worker heard that all tasks are executed.
    pub ended: bool,
}

/// The outbox of a worker, with its stopwatch.
struct Sending<'r, 'j, T> {
    own: Peer,
    state: &'r PoolState<'j, T>,
    stopwatch: Stopwatch<'r>,
}

impl<T: Copy + Default> Outbox<T> for Sending<'_, '_, T> {
    fn send(&mut self, to: Peer, message: Message, parts: &[&[T]]) {
        if let Some(turn) = self.state.post.send(self.own, to, message, parts) {
            // At once: a task that is executed before may take long, and all others would wait.
            self.serve(turn);
        }
    }
}

impl<T: Copy + Default> Sending<'_, '_, T> {
    /// Does a manager's work, as it is this worker's turn, and the work of other managers that
    /// follows from it.
    fn serve(&mut self, turn: ManagerId) {
        let Self { state, stopwatch, .. } = self;
        if state.job.managing == Managing::Dedicated {
            return;
        }
        stopwatch.manages(|managed| {
            let mut turns = vec![turn];
            while let Some(manager) = turns.pop() {
                if let Some(serving) = state.managers.get(manager.index()) {
                    serving.serve(state, &mut turns, managed);
                }
            }
        });
    }
}

/// Executes tasks and exchanges messages until the whole pool has ended or is stopped.
pub(super) fn work<W>(
    mut worker: OwnedWorker<W>,
    mailbox: &Mailbox<W::Task>,
    state: &PoolState<'_, W::Task>,
) -> Left<W>
where
    W: Work,
{
    let own = Peer::Worker(worker.worker().id());
    let stopwatch = Stopwatch::new(&state.clock, state.most_spans());
    let mut outbox = Sending { own, state, stopwatch };
    let (mut told, mut looks, mut ended) = (PoolProgress::default(), 0, false);
    while !state.is_called_off() {
        let mut envelopes: Vec<_> = mailbox.try_iter().take(MOST_AT_A_LOOK).collect();
        if envelopes.is_empty() && looks > LOOKS {
            envelopes.extend(mailbox.recv_timeout(PATIENCE));
        }
        if !envelopes.is_empty() {
            looks = 0;
        }
        let read = |Envelope { from, message, tasks }: &Envelope<W::Task>| {
            worker.receive(*from, message, tasks, &mut outbox).is_ok()
        };
        let mut went_well = envelopes.iter().map(read).fold(true, |all, one| all & one);
        match worker.step(MOST_AT_A_TIME, &mut outbox) {
            Ok(Step::Ended) => {
                outbox.stopwatch.turn_to(Step::Ended);
                ended = true;
                break;
            }
            Ok(Step::Waits) => looks += 1,
            Ok(step) => {
                looks = 0;
                outbox.stopwatch.turn_to(step);
            }
            Err(_) => went_well = false,
        }
        if looks == 1 {
            outbox.stopwatch.turn_to(Step::Waits);
        }
        if !went_well {
            state.failed.store(true, Ordering::Relaxed);
        }
        let now = progress(&worker);
        if now.done - told.done > TOLD || looks == 1 {
            state.watched.progress(told, now);
            told = now;
        }
    }
    Left { worker, recorder: outbox.stopwatch.into_recorder(), ended }
}

/// Returns how many tasks the worker has done, and how many it has.
fn progress<W: Work>(worker: &OwnedWorker<W>) -> PoolProgress {
    let queued = worker.worker().tasks() as u64;
    PoolProgress { done: worker.statistics().done(), queued }
}
