//! Parts that stay at home, and are claimed for one sweep at a time.

use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::{AtomicU64, Ordering};
use crate::base::table::At;
use crate::node::Homes;
use crate::parts::{Graph, Part};

use super::links::{Ends, Links, Neighbour};
use super::peers::Peers;
use super::slots::Slots;

/// What workers publish of each other, on a cache line for each worker.
#[derive(Debug)]
#[repr(align(128))]
pub struct Seen {
    /// The lowest version of the parts at home with it.
    pub(super) least: AtomicU64,
    /// Number of times that a part was stuck in its hands.
    pub(super) stuck: AtomicU64,
}

/// Sentinel for the version of a halo that does not exist.
const NO_HALO: u64 = u64::MAX;

impl Seen {
    /// Returns the words of a worker that has not begun.
    pub fn new() -> Self {
        Self { least: AtomicU64::new(0), stuck: AtomicU64::new(0) }
    }
}

impl Default for Seen {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory for parts that stay at home with a worker.
pub struct VisitsMemory<'m, 'r, T: Part, const N: usize> {
    /// The neighbours of each part; nobody at first.
    pub links: &'m mut [Links<'r, T::Unit, N>],
    /// A place for each worker.
    pub seen: &'m [Seen],
    /// For each part, the versions of the halos that its last open sweep has read.
    pub halos: &'m [[AtomicU64; N]],
    /// A place for each part.
    pub at_home: &'m mut [SubdomainId],
    /// A place for each worker, and one more.
    pub starts: &'m mut [u32],
}

/// Where parts are at home, and how their neighbours' edges are read.
pub(super) struct Visits<'w, 'r, T: Part, const N: usize> {
    pub(super) homes: Homes<'w>,
    /// The neighbours of each part.
    links: &'w [Links<'r, T::Unit, N>],
    pub(super) seen: &'w [Seen],
    /// Versions of the halos that the last open sweep of each part has read.
    halos: &'w [[AtomicU64; N]],
    /// Number of parts in this process.
    pub(super) parts: u64,
    /// [`Graph::diameter`].
    pub(super) diameter: u64,
}

impl<'w, 'r, T: Part, const N: usize> Visits<'w, 'r, T, N> {
    /// Returns the visits of the parts of this process. `home` returns the home worker of a part.
    pub(super) fn new<G: Graph<N>>(
        graph: &G,
        home: impl Fn(SubdomainId) -> WorkerId,
        slots: &Slots<'r, T, N>,
        memory: VisitsMemory<'w, 'r, T, N>,
    ) -> Self {
        let VisitsMemory { links, seen, halos, at_home, starts } = memory;
        for (part, links) in (0..).map(SubdomainId).zip(links.iter_mut()) {
            for ((link, place), neighbour) in
                (0..).zip(links.iter_mut()).zip(graph.neighbours(part))
            {
                *place = neighbour.map_or(Neighbour::Nobody, |neighbour| {
                    Neighbour::published(
                        neighbour,
                        Ends::new(graph, (part, link), neighbour),
                        slots,
                    )
                });
            }
        }
        Self {
            homes: Homes::new(graph, home, at_home, starts),
            links,
            seen,
            halos,
            parts: slots.here().count() as u64,
            diameter: graph.diameter(),
        }
    }

    /// Publishes the halo versions that an open sweep has read, for those who help with it; called
    /// before the part is open.
    pub(super) fn publish_halos(&self, part: SubdomainId, halos: &[Option<u64>; N]) {
        for (place, halo) in self.halos.at(part).iter().zip(halos) {
            place.store(halo.unwrap_or(NO_HALO), Ordering::Relaxed);
        }
    }

    /// Returns the halo versions that the last open sweep of a part has read.
    pub(super) fn halos(&self, part: SubdomainId) -> [Option<u64>; N] {
        self.halos
            .at(part)
            .each_ref()
            .map(|halo| Some(halo.load(Ordering::Relaxed)).filter(|&halo| halo != NO_HALO))
    }

    /// Returns the neighbours of a part, with the edges of remote ones as they are known now.
    #[inline]
    pub(super) fn links<P: Peers<'r, T, N>>(
        &self,
        part: SubdomainId,
        peers: &P,
    ) -> Links<'r, T::Unit, N> {
        let links = self.links.at(part);
        core::array::from_fn(|link| match *links.at(link) {
            // In another process, whose edges are seen once they were looked for.
            Neighbour::Other(id, ends, None) if !P::ALONE => {
                Neighbour::Other(id, ends, peers.edges(part, link))
            }
            neighbour => neighbour,
        })
    }
}
