//! A worker's working set: a list in ascending order, whose links lie with the subdomains.

use super::memory::{SubdomainState, WorkerState};
use super::numbers::{FROZEN, NO_SUBDOMAIN, NO_WORKER, NONE, subdomain};
use super::simulation::Simulation;
use crate::base::bug::OrBug;
use crate::base::id::{SubdomainId, WorkerId};
use crate::node::Hands;
use crate::node::worker::Worker;
use crate::parts::{Graph, Part};
use crate::run::Mode;

/// The subdomains' counts, as far as workers go by them.
pub(super) struct Counts<'a, G, const N: usize> {
    pub graph: &'a G,
    pub mode: Mode,
    pub subdomains: &'a [SubdomainState],
}

impl<G: Graph<N>, const N: usize> Counts<'_, G, N> {
    /// Returns the version of a subdomain.
    #[inline]
    pub fn version(&self, id: SubdomainId) -> u64 {
        self.subdomains.get(id.index()).or_bug(NO_SUBDOMAIN).map_or(0, |state| state.version)
    }

    /// Whether the neighbours of a subdomain are far enough, as far as the mode asks for that.
    pub fn admits(&self, id: SubdomainId, version: u64) -> bool {
        let mut neighbours = self.graph.neighbours(id).into_iter().flatten();
        neighbours.all(|neighbour| self.mode.admits(version, self.version(neighbour)))
    }
}

/// What a worker has in its hands: the places are the subdomains' numbers.
pub(super) struct WorkingSet<'a, G, const N: usize> {
    pub first: u32,
    pub counts: Counts<'a, G, N>,
}

impl<G: Graph<N>, const N: usize> Hands for WorkingSet<'_, G, N> {
    #[inline]
    fn after(&self, place: Option<u32>) -> Option<u32> {
        let after = |place| following(self.counts.subdomains, SubdomainId(place));
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
    pub(super) const fn live_counts(&self) -> Counts<'_, G, N> {
        Counts { graph: self.graph, mode: self.config.mode, subdomains: self.subdomains }
    }

    /// Lets go of the subdomains that belong to others.
    pub(super) fn let_go(&mut self, worker: WorkerId) {
        let mut next = first(self.workers.states, worker);
        let mut kept = NONE;
        while let Some(id) = subdomain(next) {
            let Some(state) = self.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) else {
                return;
            };
            next = state.next;
            let owner = self.ownership.owner(id).or_bug(NO_SUBDOMAIN);
            if Worker::keeps(worker, owner) {
                kept = id.0;
                continue;
            }
            state.holder = NONE;
            self.set_next(worker, kept, next);
            match owner {
                Some(owner) if owner.0 < self.config.workers => {
                    self.workers.wake(owner, self.state.now);
                }
                _ => self.depart(self.places.node(worker), id),
            }
        }
    }

    /// Takes the subdomains that belong to this worker, as far as they are free.
    pub(super) fn take_free(&mut self, worker: WorkerId) {
        let Self { workers, subdomains, ownership, .. } = self;
        let Some(state) = workers.states.get(worker.index()).or_bug(NO_WORKER) else { return };
        let mut life = state.life;
        life.take(ownership.of(worker), |id| {
            let state = subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN);
            let Some(state) = state.filter(|state| state.holder != worker.0) else { return true };
            if state.holder != NONE {
                return false;
            }
            state.holder = worker.0;
            insert(workers.states, subdomains, worker, id);
            true
        });
        if let Some(state) = workers.states.get_mut(worker.index()).or_bug(NO_WORKER) {
            state.life = life;
        }
    }

    /// Lets go of a worker's whole working set, as frozen; returns the number of its subdomains.
    pub(super) fn freeze_held(&mut self, worker: WorkerId) -> u64 {
        let mut number = 0;
        self.for_each_held(worker, |machine, id| {
            number += 1;
            if let Some(state) = machine.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
                state.holder = FROZEN;
            }
            // It may be one that is to leave the node.
            machine.depart(machine.places.node(worker), id);
        });
        if let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) {
            state.first = NONE;
        }
        number
    }

    /// Does something with each subdomain of a worker's working set, in ascending order; it leaves the
    /// set as it is.
    #[inline]
    pub(super) fn for_each_held(
        &mut self,
        worker: WorkerId,
        mut act: impl FnMut(&mut Self, SubdomainId),
    ) {
        let mut next = first(self.workers.states, worker);
        while let Some(id) = subdomain(next) {
            act(self, id);
            next = following(self.subdomains, id);
        }
    }

    /// Lets `next` follow after `previous` in a working set, or be its first.
    fn set_next(&mut self, worker: WorkerId, previous: u32, next: u32) {
        link(self.workers.states, self.subdomains, worker, previous, next);
    }
}

/// Returns the number of the first subdomain of a working set.
#[inline]
fn first(workers: &[WorkerState], worker: WorkerId) -> u32 {
    workers.get(worker.index()).or_bug(NO_WORKER).map_or(NONE, |state| state.first)
}

/// Returns the number of the subdomain after this one in its working set.
#[inline]
fn following(subdomains: &[SubdomainState], id: SubdomainId) -> u32 {
    subdomains.get(id.index()).or_bug(NO_SUBDOMAIN).map_or(NONE, |state| state.next)
}

fn link(
    workers: &mut [WorkerState],
    subdomains: &mut [SubdomainState],
    worker: WorkerId,
    previous: u32,
    next: u32,
) {
    if let Some(previous) = subdomain(previous) {
        if let Some(state) = subdomains.get_mut(previous.index()).or_bug(NO_SUBDOMAIN) {
            state.next = next;
        }
    } else if let Some(state) = workers.get_mut(worker.index()).or_bug(NO_WORKER) {
        state.first = next;
    }
}

/// Adds a subdomain to a working set, which stays in ascending order.
pub(super) fn insert(
    workers: &mut [WorkerState],
    subdomains: &mut [SubdomainState],
    worker: WorkerId,
    id: SubdomainId,
) {
    let mut previous = NONE;
    let mut next = first(workers, worker);
    while next < id.0 {
        previous = next;
        next = following(subdomains, SubdomainId(next));
    }
    if let Some(state) = subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
        state.next = next;
    }
    link(workers, subdomains, worker, previous, id.0);
}
