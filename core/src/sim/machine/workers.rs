//! The workers, the queue of their events, and who waits until it is woken.

use core::ops::Range;

use super::memory::{Phase, WorkerState};
use crate::base::id::WorkerId;
use crate::base::table::{At, PerWorker};
use crate::base::time::Instant;
use crate::sim::queue::LentQueue;

/// Workers and the queue of their events.
#[derive(Debug)]
pub(super) struct Workers<'a> {
    pub states: PerWorker<&'a mut [WorkerState]>,
    pub queue: LentQueue<'a>,
    /// A bit for each worker that is blocked.
    waiting: &'a mut [u64],
    /// Their number.
    blocked: u32,
}

impl<'a> Workers<'a> {
    /// Returns the workers as they were left.
    pub fn resume(
        states: &'a mut [WorkerState],
        queue: LentQueue<'a>,
        waiting: &'a mut [u64],
    ) -> Self {
        let blocked = waiting.iter().map(|word| word.count_ones()).sum();
        Self { states: PerWorker::of(states), queue, waiting, blocked }
    }

    /// Whether any worker waits until it is woken.
    #[inline]
    pub const fn any_waits(&self) -> bool {
        self.blocked > 0
    }

    /// Lets a worker wait until it is woken.
    pub fn block(&mut self, worker: WorkerId) {
        let state = &mut self.states[worker];
        state.phase = Phase::Blocked;
        state.looks = false;
        self.set_waiting(worker, true);
    }

    /// Ends the wait of a worker. False where it does not wait.
    pub fn unblock(&mut self, worker: WorkerId) -> bool {
        if !self.is_blocked(worker) {
            return false;
        }
        self.states[worker].phase = Phase::Ready;
        self.set_waiting(worker, false);
        true
    }

    /// Whether a worker waits until it is woken. The bits of all are in the cache, where the states
    /// are not.
    #[inline]
    fn is_blocked(&self, worker: WorkerId) -> bool {
        self.waiting.at(worker.0 / u64::BITS) >> (worker.0 % u64::BITS) & 1 == 1
    }

    /// Tells a worker that its owner's list has changed, and wakes it.
    pub fn mark(&mut self, worker: WorkerId, now: Instant) {
        self.states[worker].dirty = true;
        self.wake(worker, now);
    }

    /// Wakes a worker, if it waits.
    pub fn wake(&mut self, worker: WorkerId, now: Instant) {
        if self.unblock(worker) {
            self.queue.push(now, worker.0);
        }
    }

    /// Lets the first of these workers that wait look for something to sweep. Where it finds
    /// something, it wakes the next one ([`Workers::handle_found`]): all who can go on do, and one
    /// looks in vain.
    pub fn wake_first(&mut self, workers: Range<u32>, now: Instant) {
        if let Some(first) = self.first_waiting(workers) {
            self.wake(first, now);
            self.states[first].looks = true;
        }
    }

    /// Whether a worker that has found something to sweep was woken to look for it.
    #[inline]
    pub fn handle_found(&mut self, worker: WorkerId) -> bool {
        core::mem::take(&mut self.states[worker].looks)
    }

    /// Returns the worker of the lowest number in a range that waits.
    fn first_waiting(&self, workers: Range<u32>) -> Option<WorkerId> {
        let mut from = workers.start;
        while from < workers.end {
            let word = self.waiting.at(from / u64::BITS);
            let found = from.saturating_add((word >> (from % u64::BITS)).trailing_zeros());
            let next = (from / u64::BITS + 1) * u64::BITS;
            if found < next {
                return Some(WorkerId(found)).filter(|_| found < workers.end);
            }
            from = next;
        }
        None
    }

    fn set_waiting(&mut self, worker: WorkerId, waits: bool) {
        *self.waiting.at_mut(worker.0 / u64::BITS) ^= 1 << (worker.0 % u64::BITS);
        self.blocked = if waits { self.blocked + 1 } else { self.blocked.saturating_sub(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::time::Duration;
    use crate::sim::queue::{self, Pending};

    #[test]
    fn the_first_who_waits_is_woken() {
        const WORKERS: usize = 200;
        let mut states = [WorkerState::EMPTY; WORKERS];
        let mut pending = [Pending::EMPTY; queue::places(WORKERS, WORKERS)];
        let queue = LentQueue::new(&mut pending, WORKERS, WORKERS, Duration(10));
        let mut waiting = [0; WORKERS.div_ceil(64)];
        let mut workers = Workers::resume(&mut states, queue, &mut waiting);
        for worker in [3, 63, 64, 130, 199] {
            workers.block(WorkerId(worker));
        }
        let first = |from, to| (from..to, workers.first_waiting(from..to).map(|id| id.0));
        let found = [first(0, 200), first(4, 64), first(64, 65), first(65, 130), first(131, 200)];
        let found = found.map(|(_, first)| first);
        assert_eq!(found, [Some(3), Some(63), Some(64), None, Some(199)]);
        workers.wake_first(0..64, Instant(5));
        assert_eq!(workers.queue.pop(|_| ()), Some((Instant(5), 3)));
        assert_eq!([3, 63].map(|id| workers.handle_found(WorkerId(id))), [true, false]);
        assert!(!workers.handle_found(WorkerId(3)), "it has told it");
        workers.wake_first(0..63, Instant(6));
        assert_eq!(workers.queue.pop(|_| ()), None, "nobody else waits there");
        assert_eq!(workers.blocked, 4);
    }
}
