//! What a worker sees of all parts before it claims one.

use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::Ordering;
use crate::base::table::At;
use crate::node::Board;
use crate::parts::halo::Publication;
use crate::parts::{Graph, Part};
use crate::run::Mode;

use super::node::Node;
use super::peers::Peers;
use super::visits::Visits;

/// What a worker sees of all parts.
pub(super) struct SharedBoard<'e, 'w, 'r, T: Part, G, P, const N: usize> {
    pub(super) node: &'e Node<'w, 'r, T, G, P, N>,
    pub(super) visits: &'e Visits<'w, 'r, T, N>,
}

impl<'r, T, G, P, const N: usize> Board for SharedBoard<'_, '_, 'r, T, G, P, N>
where
    T: Part,
    G: Graph<N>,
    P: Peers<'r, T, N>,
{
    #[inline]
    fn version(&self, part: SubdomainId) -> u64 {
        self.node.slots.publication(part).map_or(0, Publication::version)
    }

    #[inline]
    fn is_free(&self, part: SubdomainId) -> bool {
        self.node.slots.is_free(part)
    }

    fn is_open(&self, part: SubdomainId) -> bool {
        self.node.slots.is_open(part)
    }

    #[inline]
    fn stuck(&self, worker: WorkerId) -> u64 {
        self.visits.seen.at(worker).stuck.load(Ordering::Relaxed)
    }

    fn tell_stuck(&self, part: SubdomainId) {
        // What is on its way to another node is in no worker's hands.
        let seen =
            self.node.slots.holder(part).and_then(|holder| self.visits.seen.get(holder.index()));
        if let Some(seen) = seen {
            seen.stuck.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        let mode = self.node.config.mode;
        if mode == Mode::Async {
            return true;
        }
        let halts = mode == Mode::Exact && self.node.control.halts(version);
        let links = self.visits.links(part, self.node.peers);
        !halts && links.iter().all(|neighbour| neighbour.admits(mode, version))
    }

    #[inline]
    fn least(&self, worker: WorkerId) -> u64 {
        self.visits.seen.at(worker).least.load(Ordering::Relaxed)
    }

    #[inline]
    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.visits.seen.at(worker).least.store(least, Ordering::Relaxed);
    }
}
