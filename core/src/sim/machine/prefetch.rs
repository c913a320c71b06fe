//! Prefetching: the data that the events of a day will need are brought into the cache all at once,
//! where each event by itself would wait for one miss after the other. It has no effect but on
//! speed.

use core::hint::black_box;

use super::memory::{SubdomainState, WorkerState};
use crate::sim::queue::Pending;

/// Memory that is read ahead.
pub(super) struct Prefetch<'a> {
    pub workers: &'a [WorkerState],
    pub worker_updates: &'a [u64],
    pub subdomains: &'a [SubdomainState],
    pub residuals: &'a [f64],
    /// Distance of a part's number from its neighbours', beside the neighbours next to it.
    pub stride: u32,
}

impl Prefetch<'_> {
    /// Reads the memory that workers' next events will touch: the subdomain that has been swept,
    /// and the one that is swept next with its neighbours, as far as their numbers tell: to ask the
    /// graph costs more than a miss.
    pub fn read(&self, events: &[Pending]) {
        let workers =
            || events.iter().filter_map(|event| self.workers.get(event.parts().1 as usize));
        let mut read = workers().fold(0, |read, worker| read ^ u64::from(worker.current));
        for event in events {
            let updates = self.worker_updates.get(event.parts().1 as usize);
            read ^= updates.copied().unwrap_or(0);
        }
        for worker in workers() {
            let swept = worker.current;
            let next = worker.keeper.upcoming().unwrap_or(worker.first);
            let (before, after) = (next.wrapping_sub(self.stride), next.wrapping_add(self.stride));
            for id in [swept, next, before, next.wrapping_sub(1), next.wrapping_add(1), after] {
                read ^= self.subdomains.get(id as usize).map_or(0, |state| state.version);
            }
            read ^= self.residuals.get(swept as usize).map_or(0, |sum| sum.to_bits());
        }
        // Nobody wants to know, but the compiler must not know that.
        black_box(read);
    }
}
