//! Parts that stay at home, and are claimed for one sweep at a time.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::base::id::SubdomainId;
use tresse_core::node::Homes;
use tresse_core::parts::{Graph, SharedPart};

use super::links::{Links, Neighbour};
use super::peers::Peers;
use super::slots::Slots;

/// What others read and write of a worker, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Seen {
    /// The lowest version at home with it.
    pub(super) least: AtomicU64,
    /// Times that a part was stuck in its hands.
    pub(super) stuck: AtomicU64,
}

/// Word for no halo.
const NO_HALO: u64 = u64::MAX;

/// Where the parts are at home, and how each is read.
pub(super) struct Visits<'w, 'r, T: SharedPart, const N: usize> {
    pub(super) homes: Homes<'w>,
    /// The neighbours of each part.
    links: Vec<Links<'r, T::Real, N>>,
    pub(super) seen: Vec<Seen>,
    /// Versions of the halos that the last open sweep of each part has read.
    halos: Vec<[AtomicU64; N]>,
    /// Number of parts in this process.
    pub(super) parts: u64,
    /// [`Graph::diameter`].
    pub(super) diameter: u64,
}

impl<'w, 'r, T: SharedPart, const N: usize> Visits<'w, 'r, T, N> {
    /// Returns the visits of the parts in this process, all of which are there.
    pub(super) fn new<G: Graph<N>>(homes: Homes<'w>, graph: &G, slots: &Slots<'r, T, N>) -> Self {
        let links = |part| {
            let neighbours = graph.neighbours(part);
            std::array::from_fn(|link| {
                neighbours[link].map_or(Neighbour::Nobody, |neighbour| {
                    Neighbour::published(neighbour, graph.back(part, link), slots)
                })
            })
        };
        Self {
            homes,
            links: (0..graph.parts()).map(SubdomainId).map(links).collect(),
            parts: slots.here().count() as u64,
            seen: (0..homes.workers()).map(|_| Seen::default()).collect(),
            halos: (0..graph.parts()).map(|_| [const { AtomicU64::new(NO_HALO) }; N]).collect(),
            diameter: graph.diameter(),
        }
    }

    /// Tells who helps with a sweep which halos it has read; before the part is open.
    pub(super) fn tell_halos(&self, part: SubdomainId, halos: &[Option<u64>; N]) {
        for (place, halo) in self.halos[part.index()].iter().zip(halos) {
            place.store(halo.unwrap_or(NO_HALO), Ordering::Relaxed);
        }
    }

    /// Returns the halos that an open sweep has read.
    pub(super) fn halos(&self, part: SubdomainId) -> [Option<u64>; N] {
        let halos = &self.halos[part.index()];
        std::array::from_fn(|link| {
            Some(halos[link].load(Ordering::Relaxed)).filter(|&halo| halo != NO_HALO)
        })
    }

    /// Returns the neighbours of a part.
    #[inline]
    pub(super) fn links<P: Peers<'r, T, N>>(
        &self,
        part: SubdomainId,
        peers: &P,
    ) -> Links<'r, T::Real, N> {
        let links = &self.links[part.index()];
        std::array::from_fn(|link| match links[link] {
            // In another process, whose edges are seen once they were looked for.
            Neighbour::Other(id, back, None) if !P::ALONE => {
                Neighbour::Other(id, back, peers.edges(part, link))
            }
            neighbour => neighbour,
        })
    }
}
