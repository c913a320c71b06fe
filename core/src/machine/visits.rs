//! Sweeps of a machine whose workers claim subdomains for one sweep at a time.

use core::cell::Cell;

use super::event::Watch;
use super::memory::SubdomainState;
use super::numbers::{NO_SUBDOMAIN, NO_WORKER, NONE};
use super::simulation::Simulation;
use super::worker::copy;
use crate::bug::OrBug;
use crate::id::{SubdomainId, WorkerId};
use crate::node::{Away, Board, Homes, Visitor};
use crate::part::{Graph, Part};
use crate::run::{Mode, RunConfig};
use crate::worker::Control;

/// Memory of workers that claim subdomains for one sweep at a time.
#[derive(Debug)]
pub struct VisitsMemory<'a> {
    /// A place for each subdomain.
    pub parts: &'a mut [SubdomainId],
    /// A place for each worker, and one more.
    pub starts: &'a mut [u32],
    /// What each worker chooses by.
    pub visitors: &'a mut [Visitor],
    /// Lowest version of the subdomains at home with each worker, as it was last published.
    pub least: &'a mut [u64],
}

impl VisitsMemory<'_> {
    /// Whether there are places for so many subdomains and workers.
    pub(super) const fn fits(&self, subdomains: usize, workers: usize) -> bool {
        self.parts.len() == subdomains
            && self.starts.len() == workers + 1
            && self.visitors.len() == workers
            && self.least.len() == workers
    }

    /// Puts every subdomain to its home.
    pub(super) fn fill<G: Graph<N>, const N: usize>(&mut self, config: &RunConfig, graph: &G) {
        Homes::new(graph, config, self.parts, self.starts);
        self.visitors.fill(Visitor::new(config));
        self.least.fill(0);
    }
}

/// What workers see of the subdomains.
struct VirtualBoard<'a, G, const N: usize> {
    graph: &'a G,
    mode: Mode,
    subdomains: &'a [SubdomainState],
    control: &'a Control<Cell<u64>>,
    least: &'a [Cell<u64>],
}

impl<G: Graph<N>, const N: usize> Board for VirtualBoard<'_, G, N> {
    fn version(&self, part: SubdomainId) -> u64 {
        self.subdomains.get(part.index()).or_bug(NO_SUBDOMAIN).map_or(0, |state| state.version)
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        let state = self.subdomains.get(part.index()).or_bug(NO_SUBDOMAIN);
        state.is_some_and(|state| state.holder == NONE)
    }

    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        if self.mode == Mode::Async {
            return true;
        }
        let mut neighbours = self.graph.neighbours(part).into_iter().flatten();
        neighbours.all(|neighbour| self.mode.admits(version, self.version(neighbour)))
            && !(self.mode == Mode::Exact && self.control.halts(version))
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.least.get(worker.index()).or_bug(NO_WORKER).map_or(0, Cell::get)
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        if let Some(place) = self.least.get(worker.index()).or_bug(NO_WORKER) {
            place.set(least);
        }
    }
}

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Claims the next subdomain that a worker is to sweep, and begins; false where there is none, or where
    /// it has made as many sweeps in this iteration as there are subdomains at home.
    pub(super) fn visit_next(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        let next = self.choose(worker).filter(|&id| {
            let version = self.version(id);
            self.control.admits(version, self.graph.diameter())
        });
        if let Some(id) = next
            && let Some(state) = self.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN)
        {
            state.holder = worker.0;
            self.begin_sweep(worker, id, watch);
            return true;
        }
        if let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) {
            state.life.has_swept(core::mem::take(&mut state.swept).into());
        }
        false
    }

    fn choose(&mut self, worker: WorkerId) -> Option<SubdomainId> {
        let swept = self.workers.states.get(worker.index()).or_bug(NO_WORKER)?.swept;
        let visits = self.visits.as_mut()?;
        let homes = Homes::resume(visits.parts, visits.starts);
        if swept as usize >= homes.of(worker).len().max(1) {
            return None;
        }
        let board = VirtualBoard {
            graph: self.graph,
            mode: self.config.mode,
            subdomains: self.subdomains,
            control: &self.control,
            least: Cell::from_mut(&mut *visits.least).as_slice_of_cells(),
        };
        let visitor = visits.visitors.get_mut(worker.index()).or_bug(NO_WORKER)?;
        visitor.next(worker, &homes, &board)
    }

    /// Hands the edges of a subdomain that is about to be updated to those neighbours that have not yet made
    /// the update for which they need them: in the exact mode nobody reads what is newer.
    pub(super) fn hand_edges_out(&mut self, id: SubdomainId) {
        let version = self.version(id);
        for (link, neighbour) in self.graph.neighbours(id).into_iter().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            if self.version(neighbour) == version {
                copy(self.parts, (neighbour, self.graph.back(id, link)), (id, link));
            }
        }
    }

    /// Lets go of a subdomain after its sweep, and wakes the workers that may have waited for that.
    pub(super) fn leave(&mut self, worker: WorkerId, id: SubdomainId) {
        if let Some(state) = self.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
            state.holder = NONE;
        }
        let home = self.ownership.owner(id).or_bug(NO_SUBDOMAIN).unwrap_or(worker);
        self.away += u64::from(home != worker);
        if self.workers.blocked == 0 {
            return;
        }
        let all_halt = self.control.is_reached(self.updates, self.subdomains.len() as u64);
        if all_halt || Away::of(self.config) != Away::Never {
            self.wake_all();
            return;
        }
        self.workers.wake(home, self.now);
        for neighbour in self.graph.neighbours(id).into_iter().flatten() {
            let home = self.ownership.owner(neighbour).or_bug(NO_SUBDOMAIN);
            self.workers.wake(home.unwrap_or(worker), self.now);
        }
    }

    /// Lets go of a worker's whole working set, as a halt is over.
    pub(super) fn let_all_go(&mut self, worker: WorkerId) {
        self.for_each_held(worker, |machine, id| {
            if let Some(state) = machine.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
                state.holder = NONE;
            }
        });
        if let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) {
            state.first = NONE;
        }
    }

    /// Wakes every worker that waits.
    pub(super) fn wake_all(&mut self) {
        for worker in (0..self.config.workers).map(WorkerId) {
            self.workers.wake(worker, self.now);
        }
    }

    /// Returns the version of a subdomain.
    #[inline]
    pub(super) fn version(&self, id: SubdomainId) -> u64 {
        self.subdomains.get(id.index()).or_bug(NO_SUBDOMAIN).map_or(0, |state| state.version)
    }
}
