//! What a worker sees of all parts before it claims one.

use std::sync::atomic::Ordering;

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::node::Board;
use tresse_core::parts::halo::Publication;
use tresse_core::parts::{Graph, SharedPart};
use tresse_core::run::Mode;

use super::peers::Peers;
use super::run::Run;
use super::visits::Visits;

/// What a worker sees of all parts.
pub(super) struct SharedBoard<'e, 'w, 'r, T: SharedPart, G, P, const N: usize> {
    pub(super) run: &'e Run<'w, 'r, T, G, P, N>,
    pub(super) visits: &'e Visits<'w, 'r, T, N>,
}

impl<'r, T, G, P, const N: usize> Board for SharedBoard<'_, '_, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    #[inline]
    fn version(&self, part: SubdomainId) -> u64 {
        self.run.slots.publication(part).map_or(0, Publication::version)
    }

    #[inline]
    fn is_free(&self, part: SubdomainId) -> bool {
        self.run.slots.is_free(part)
    }

    fn is_open(&self, part: SubdomainId) -> bool {
        self.run.slots.is_open(part)
    }

    #[inline]
    fn stuck(&self, worker: WorkerId) -> u64 {
        self.visits.seen[worker.index()].stuck.load(Ordering::Relaxed)
    }

    fn tell_stuck(&self, part: SubdomainId) {
        let seen =
            self.run.slots.holder(part).and_then(|holder| self.visits.seen.get(holder.index()));
        if let Some(seen) = seen {
            seen.stuck.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        let mode = self.run.config.mode;
        if mode == Mode::Async {
            return true;
        }
        let halts = mode == Mode::Exact && self.run.control.halts(version);
        let links = self.visits.links(part, self.run.peers);
        !halts && links.iter().all(|neighbour| neighbour.admits(mode, version))
    }

    #[inline]
    fn least(&self, worker: WorkerId) -> u64 {
        self.visits.seen[worker.index()].least.load(Ordering::Relaxed)
    }

    #[inline]
    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.visits.seen[worker.index()].least.store(least, Ordering::Relaxed);
    }
}
