//! Prefetching: the data that the events of a day will need are brought into the cache all at once,
//! where each event by itself would wait for one miss after the other. It has no effect but on
//! speed.

use core::hint::black_box;

use super::memory::{SubdomainState, VisitsMemory, WorkerState};
use crate::node::Visitor;
use crate::sim::queue::Pending;

/// Memory that is read ahead.
pub(super) struct Prefetch<'a> {
    pub workers: &'a [WorkerState],
    pub worker_updates: &'a [u64],
    pub subdomains: &'a [SubdomainState],
    pub residuals: &'a [f64],
    /// Where workers claim parts for one sweep at a time.
    pub visits: Option<&'a VisitsMemory<'a>>,
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
            read ^= self.read_part(swept) ^ self.read_around(next);
            read ^= self.residuals.get(swept as usize).map_or(0, |sum| sum.to_bits());
        }
        if let Some(visits) = self.visits {
            for event in events {
                read ^= self.read_home(visits, event.parts().1 as usize);
            }
        }
        // Nobody wants to know, but the compiler must not know that.
        black_box(read);
    }

    /// Reads what a worker chooses by, and the parts at home with it, one of which it sweeps next.
    fn read_home(&self, visits: &VisitsMemory<'_>, worker: usize) -> u64 {
        let chosen = visits.visitors.get(worker).map_or(0, Visitor::prefetch_word);
        let starts = visits.starts.get(worker).zip(visits.starts.get(worker + 1));
        let own = starts.and_then(|(&first, &end)| visits.parts.get(first as usize..end as usize));
        let around = own.unwrap_or_default().iter().map(|part| self.read_around(part.0));
        around.fold(chosen, |read, around| read ^ around)
    }

    /// Reads the versions of a part and its neighbours.
    fn read_around(&self, part: u32) -> u64 {
        let (before, after) = (part.wrapping_sub(self.stride), part.wrapping_add(self.stride));
        let around = [part, before, part.wrapping_sub(1), part.wrapping_add(1), after];
        around.into_iter().fold(0, |read, id| read ^ self.read_part(id))
    }

    fn read_part(&self, part: u32) -> u64 {
        self.subdomains.get(part as usize).map_or(0, |state| state.version)
    }
}
