//! A worker's working set: a list in ascending order, whose links lie with the subdomains.

use super::memory::{SubdomainState, WorkerState};
use super::numbers::{FROZEN, NONE, subdomain};
use super::simulation::Simulation;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::{PerPart, PerWorker};
use crate::node::Hands;
use crate::node::worker::Worker;
use crate::parts::{Graph, Part};
use crate::run::Mode;

/// The subdomains' counts, as far as workers go by them.
pub(super) struct Counts<'a, G, const N: usize> {
    pub graph: &'a G,
    pub mode: Mode,
    pub subdomains: PerPart<&'a [SubdomainState]>,
}

impl<G: Graph<N>, const N: usize> Counts<'_, G, N> {
    /// Returns the version of a subdomain.
    #[inline]
    pub fn version(&self, id: SubdomainId) -> u64 {
        self.subdomains[id].version
    }

    /// Whether a subdomain of this version may be swept: its neighbours are as far as the mode asks
    /// for.
    pub fn admits(&self, id: SubdomainId, version: u64) -> bool {
        let neighbours = || self.graph.neighbours(id).into_iter().flatten();
        self.mode == Mode::Async
            || neighbours().all(|neighbour| self.mode.admits(version, self.version(neighbour)))
    }
}

/// What a worker has in its hands: the places are the subdomains' numbers.
pub(super) struct WorkingSet<'a, G, const N: usize> {
    /// The first subdomain of the list, or [`NONE`].
    pub first: u32,
    pub counts: Counts<'a, G, N>,
}

impl<G: Graph<N>, const N: usize> Hands for WorkingSet<'_, G, N> {
    #[inline]
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let after = |place| self.counts.subdomains[SubdomainId(place)].next;
        Some(place.map_or(self.first, after)).filter(|&next| next != NONE)
    }

    #[inline]
    fn count(&self, place: u32) -> (u64, SubdomainId) {
        let id = SubdomainId(place);
        (self.counts.version(id), id)
    }

    fn is_ready(&self, place: u32) -> bool {
        let (version, id) = self.count(place);
        self.counts.admits(id, version)
    }
}

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Returns the counts of the subdomains.
    #[inline]
    pub(super) fn live_counts(&self) -> Counts<'_, G, N> {
        Counts { graph: self.graph, mode: self.config.mode, subdomains: self.subdomains.shared() }
    }

    /// Releases the subdomains in a worker's hands that other workers own by now.
    pub(super) fn let_go(&mut self, worker: WorkerId) {
        let mut next = self.workers.states[worker].first;
        let mut kept = NONE;
        while let Some(id) = subdomain(next) {
            let state = &mut self.subdomains[id];
            next = state.next;
            let owner = self.ownership.owner_of(id);
            if Worker::keeps(worker, Some(owner)) {
                kept = id.0;
                continue;
            }
            state.holder = NONE;
            self.set_next(worker, kept, next);
            if owner.0 < self.config.workers {
                self.workers.wake(owner, self.state.now);
            } else {
                self.depart(self.places.node(worker), id);
            }
        }
    }

    /// Takes the subdomains that this worker owns into its working set, as far as nobody else holds
    /// them.
    pub(super) fn take_free(&mut self, worker: WorkerId) {
        let Self { workers, subdomains, ownership, .. } = self;
        let state = &workers.states[worker];
        let mut life = state.life;
        life.take(ownership.of(worker), |id| {
            let holder = &mut subdomains[id].holder;
            if *holder != NONE {
                return *holder == worker.0;
            }
            *holder = worker.0;
            insert(&mut workers.states, subdomains, worker, id);
            true
        });
        workers.states[worker].life = life;
    }

    /// Empties a worker's working set and marks its subdomains as frozen; returns their number.
    pub(super) fn freeze_held(&mut self, worker: WorkerId) -> u64 {
        let mut number = 0;
        self.for_each_held(worker, |machine, id| {
            number += 1;
            machine.subdomains[id].holder = FROZEN;
            // It may be one that is to leave the node.
            machine.depart(machine.places.node(worker), id);
        });
        self.workers.states[worker].first = NONE;
        number
    }

    /// Calls `act` with each subdomain of a worker's working set, in ascending order; `act` leaves
    /// the set as it is.
    #[inline]
    pub(super) fn for_each_held(
        &mut self,
        worker: WorkerId,
        mut act: impl FnMut(&mut Self, SubdomainId),
    ) {
        let mut next = self.workers.states[worker].first;
        while let Some(id) = subdomain(next) {
            act(self, id);
            next = self.subdomains[id].next;
        }
    }

    /// Lets `next` follow after `previous` in a working set, or be its first.
    fn set_next(&mut self, worker: WorkerId, previous: u32, next: u32) {
        link(&mut self.workers.states, &mut self.subdomains, worker, previous, next);
    }
}

/// Makes `next` the successor of `previous` in a worker's list, or the first of the list without
/// one.
fn link(
    workers: &mut PerWorker<&mut [WorkerState]>,
    subdomains: &mut PerPart<&mut [SubdomainState]>,
    worker: WorkerId,
    previous: u32,
    next: u32,
) {
    if let Some(previous) = subdomain(previous) {
        subdomains[previous].next = next;
    } else {
        workers[worker].first = next;
    }
}

/// Adds a subdomain to a working set, which stays in ascending order.
pub(super) fn insert(
    workers: &mut PerWorker<&mut [WorkerState]>,
    subdomains: &mut PerPart<&mut [SubdomainState]>,
    worker: WorkerId,
    id: SubdomainId,
) {
    let mut previous = NONE;
    let mut next = workers[worker].first;
    while next < id.0 {
        previous = next;
        next = subdomains[SubdomainId(next)].next;
    }
    subdomains[id].next = next;
    link(workers, subdomains, worker, previous, id.0);
}
