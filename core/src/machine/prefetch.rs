//! Prefetching: what the events of a day will need is brought into the cache all at once, where
//! each event by itself would wait for one miss after the other. Without any effect but on speed.

use core::hint::black_box;

use super::memory::{SubdomainState, WorkerState};
use super::numbers::START;
use super::queue::Pending;
use crate::id::SubdomainId;
use crate::part::Graph;

/// Where it is.
pub(super) struct Prefetch<'a, G, const N: usize> {
    pub workers: &'a [WorkerState],
    pub worker_updates: &'a [u64],
    pub subdomains: &'a [SubdomainState],
    pub residuals: &'a [f64],
    pub graph: &'a G,
}

impl<G: Graph<N>, const N: usize> Prefetch<'_, G, N> {
    /// Reads what workers' next events will touch: what has been swept, and what is swept next with
    /// its neighbours.
    pub fn read(&self, events: &[Pending]) {
        let workers =
            || events.iter().filter_map(|event| self.workers.get(event.parts().1 as usize));
        let mut read = workers().fold(0, |read, worker| read ^ u64::from(worker.cursor));
        for event in events {
            let updates = self.worker_updates.get(event.parts().1 as usize);
            read ^= updates.copied().unwrap_or(0);
        }
        for worker in workers() {
            let swept = worker.current;
            let next = if worker.cursor >= START { worker.first } else { worker.cursor };
            let version =
                |id: SubdomainId| self.subdomains.get(id.index()).map_or(0, |state| state.version);
            read ^= version(SubdomainId(swept)) ^ version(SubdomainId(next));
            if next < START {
                let neighbours = self.graph.neighbours(SubdomainId(next));
                read =
                    neighbours.into_iter().flatten().map(version).fold(read, |read, it| read ^ it);
            }
            read ^= self.residuals.get(swept as usize).map_or(0, |sum| sum.to_bits());
        }
        // Nobody wants to know, but the compiler must not know that.
        black_box(read);
    }
}
