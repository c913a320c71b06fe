//! A manager's turn: the thread that has it does the manager's work.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tresse_core::base::id::ManagerId;
use tresse_core::base::time::Instant;
use tresse_core::sim::owned::timeline::{Track, TrackRecorder};
use tresse_core::tasks::owned::OwnedManager;
use tresse_core::tasks::sharing::{Activity, Message, Peer};

use super::PoolState;
use super::post::{Envelope, Mailbox};
use super::stopwatch::Managed;

/// Time that a manager with a thread of its own waits for messages before it looks whether all
/// workers have ended.
const PATIENCE: Duration = Duration::from_micros(50);

/// A manager with its mailbox, for one thread at a time.
pub(super) struct Serving<T> {
    manager: ManagerId,
    at_work: Mutex<AtWork<T>>,
}

struct AtWork<T> {
    manager: OwnedManager<T>,
    mailbox: Mailbox<T>,
    track: TrackRecorder,
    /// Number of pooled tasks that was last reported to the thread that watches.
    told: u64,
}

impl<T: Copy + Default> Serving<T> {
    /// Returns a manager that nobody serves yet.
    pub fn new(manager: OwnedManager<T>, mailbox: Mailbox<T>, most_spans: usize) -> Self {
        let track = TrackRecorder::new(Activity::Idle, most_spans);
        let manager_id = manager.manager().id();
        Self {
            manager: manager_id,
            at_work: Mutex::new(AtWork { manager, mailbox, track, told: 0 }),
        }
    }

    /// Does the manager's work until all that was sent to it is read. The caller has its turn.
    /// `turns` gets other managers whose turn the caller has next.
    pub fn serve(
        &self,
        state: &PoolState<'_, T>,
        turns: &mut Vec<ManagerId>,
        managed: &mut Managed<'_>,
    ) {
        let mut at_work = self.lock();
        let mut left = 1;
        while left > 0 {
            for _ in 0..left {
                // It is there: it was sent before the turn was asked for.
                let Ok(envelope) = at_work.mailbox.recv() else { return };
                at_work.read(&envelope, state, turns);
            }
            left = state.post.read(self.manager, left);
        }
        managed.by(&mut at_work.track);
        at_work.report_progress(state);
    }

    fn lock(&self) -> MutexGuard<'_, AtWork<T>> {
        self.at_work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the track of the times at which the manager's work was done.
    pub fn into_track(self, end: Instant) -> Track {
        self.at_work.into_inner().unwrap_or_else(PoisonError::into_inner).track.finish(end)
    }
}

impl<T: Copy + Default> AtWork<T> {
    /// Lets the manager read a message; `turns` gets the managers that it writes to in turn.
    fn read(
        &mut self,
        envelope: &Envelope<T>,
        state: &PoolState<'_, T>,
        turns: &mut Vec<ManagerId>,
    ) {
        let own = Peer::Manager(self.manager.manager().id());
        let mut out = |to: Peer, message: Message, parts: &[&[T]]| {
            turns.extend(state.post.send(own, to, message, parts));
        };
        let Envelope { from, message, tasks } = envelope;
        if self.manager.receive(*from, message, tasks, &mut out).is_err() {
            state.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Reports the number of pooled tasks to the thread that watches.
    fn report_progress(&mut self, state: &PoolState<'_, T>) {
        let tasks = self.manager.manager().tasks() as u64;
        if tasks != self.told {
            state.watched.queued(self.told, tasks);
            self.told = tasks;
        }
    }
}

/// Serves a manager on a thread of its own, until the pool has ended.
pub(super) fn serve_until_end<T: Copy + Default>(serving: &Serving<T>, state: &PoolState<'_, T>) {
    let mut at_work = serving.lock();
    let mut turns = vec![];
    while state.at_work.load(Ordering::Relaxed) > 0 && !state.failed.load(Ordering::Relaxed) {
        if let Ok(envelope) = at_work.mailbox.recv_timeout(PATIENCE) {
            let mut managed = Managed::begin(&state.clock);
            at_work.read(&envelope, state, &mut turns);
            managed.by(&mut at_work.track);
            at_work.report_progress(state);
            // Each manager has a thread.
            turns.clear();
        } else {
            thread::yield_now();
        }
    }
}
