//! A worker's surroundings on a pinned thread: the clock, its wait, and who looks on.

use std::sync::{Mutex, PoisonError};
use std::thread;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
use tresse_core::node::executor::{Host, Observer, Outcome, Wait};

use super::wait::Pause;
use tresse_platform::clock::Clock;

/// A function that sets a part to its state at the start of the run.
pub(super) type Fill<'w, T> = dyn Fn(SubdomainId, &mut T) + Sync + 'w;

/// What all workers of a run have around them.
pub(super) struct RunState<'w, T> {
    pub(super) fill: &'w Fill<'w, T>,
    pub(super) clock: Clock,
    pub(super) oversubscribed: bool,
    outcome: Mutex<Option<Outcome>>,
}

impl<'w, T> RunState<'w, T> {
    pub(super) fn new(fill: &'w Fill<'w, T>, oversubscribed: bool) -> Self {
        Self { fill, clock: Clock::default(), oversubscribed, outcome: Mutex::new(None) }
    }

    /// Returns the end of the run, once that is decided.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The surroundings of one worker; `look` takes a sample where one is due, and says when the next
/// one is.
pub(super) struct WorkerHost<'e, 'w, T, O, L> {
    state: &'e RunState<'w, T>,
    observer: O,
    look: L,
    /// Wait for something to sweep since the last sweep.
    looking: Pause,
    /// Wait for an edge, or for the other workers.
    waiting: Pause,
}

impl<'e, 'w, T, O, L> WorkerHost<'e, 'w, T, O, L> {
    pub(super) fn new(state: &'e RunState<'w, T>, observer: O, look: L) -> Self {
        Self { state, observer, look, looking: Pause::default(), waiting: Pause::default() }
    }

    /// Returns who has looked on.
    pub(super) fn into_observer(self) -> O {
        self.observer
    }
}

impl<T, O, L, const N: usize> Host<T, N> for WorkerHost<'_, '_, T, O, L>
where
    O: Observer<T, N>,
    L: FnMut(Instant) -> Instant,
{
    type Observer = O;

    #[inline]
    fn observer(&mut self) -> &mut O {
        &mut self.observer
    }

    #[inline]
    fn now(&self) -> Instant {
        self.state.clock.now()
    }

    fn start_clock(&mut self) {
        self.state.clock.start();
    }

    fn fill(&mut self, id: SubdomainId, part: &mut T) {
        (self.state.fill)(id, part);
    }

    fn wait(&mut self, wait: Wait) {
        let pause = if wait == Wait::Sweep { &mut self.looking } else { &mut self.waiting };
        pause.relax(wait, self.state.oversubscribed);
    }

    #[inline]
    fn waited(&mut self, wait: Wait) {
        if wait != Wait::Sweep {
            self.waiting.ends();
            return;
        }
        self.looking.ends();
        if self.state.oversubscribed {
            // Whoever shares the core sweeps next, rather than when the system takes it away:
            // thousands of sweeps between halos that are out of date bring nothing.
            thread::yield_now();
        }
    }

    fn look(&mut self, now: Instant) -> Instant {
        (self.look)(now)
    }

    fn end(&mut self, outcome: Outcome) {
        *self.state.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }
}
