//! Parts that stay at home, and are claimed for one sweep at a time.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::halo::Publication;
use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::node::{Board, Homes};
use tresse_core::part::{Graph, SharedPart};
use tresse_core::run::Mode;

use super::members::{Links, Neighbour};
use super::peers::Peers;
use super::run::Run;
use super::slots::Slots;

/// What others read and write of a worker, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seen {
    /// The lowest version at home with it.
    least: AtomicU64,
    /// Times that a part was stuck in its hands.
    stuck: AtomicU64,
}

/// Word for no halo.
const NO_HALO: u64 = u64::MAX;

/// Where the parts are at home, and how each is read.
pub(super) struct Visits<'w, 'r, T: SharedPart, const N: usize> {
    pub(super) homes: Homes<'w>,
    /// The neighbours of each part.
    links: Vec<Links<'r, T::Real, N>>,
    seen: Vec<Seen>,
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
