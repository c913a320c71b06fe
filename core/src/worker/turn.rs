//! The turn to balance and to detect, which the workers of a node take one after the other, and its
//! time (section 4.2: workers take turns).

use super::SharedNumber;
use crate::bug::OrBug;
use crate::id::WorkerId;
use crate::time::Instant;

/// The turn of the workers of a node, which are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turn<N> {
    worker: N,
    due: N,
    workers: u32,
}

impl<N: SharedNumber> Turn<N> {
    /// Returns the turn of worker 0, of `workers` in all, due at once.
    pub fn new(workers: u32) -> Self {
        Self { worker: N::from(0), due: N::from(0), workers }
    }

    /// Whether it is this worker's turn and time to act; the clock is read only in its turn.
    #[inline]
    pub fn is_due(&self, worker: WorkerId, now: impl FnOnce() -> Instant) -> bool {
        self.worker.load() == u64::from(worker.0) && now() >= self.due()
    }

    /// Returns the time at which there is something to do.
    pub fn due(&self) -> Instant {
        Instant(self.due.load())
    }

    /// Returns the worker whose turn it is.
    pub fn worker(&self) -> WorkerId {
        WorkerId(u32::try_from(self.worker.load()).unwrap_or(0))
    }

    /// Hands the turn to the next worker; called by the worker whose turn it is.
    pub fn pass_on(&self, due: Instant) {
        let next = (self.worker.load() + 1).checked_rem(u64::from(self.workers));
        let next = next.or_bug("a turn of no workers").unwrap_or(0);
        self.due.store(due.0);
        self.worker.store(next);
    }
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    #[test]
    fn it_goes_round() {
        let turn = Turn::<Cell<u64>>::new(2);
        let now = || Instant(5);
        assert!(turn.is_due(WorkerId(0), now));
        assert!(!turn.is_due(WorkerId(1), || unreachable!("nobody reads the clock out of turn")));
        turn.pass_on(Instant(5));
        assert_eq!((turn.worker(), turn.due()), (WorkerId(1), Instant(5)));
        assert!(turn.is_due(WorkerId(1), now));
        turn.pass_on(Instant(6));
        assert!(!turn.is_due(WorkerId(0), now), "not yet");
        turn.pass_on(Instant(4));
        turn.pass_on(Instant(4));
        assert!(turn.is_due(WorkerId(0), now));
    }
}
