//! Sweeps of a machine whose workers claim subdomains for one sweep at a time.

use core::cell::Cell;

use super::event::Watch;
use super::memory::SubdomainState;
use super::numbers::{NO_SUBDOMAIN, NO_WORKER, NONE};
use super::simulation::Simulation;
use super::worker::copy;
use crate::bug::OrBug;
use crate::id::{SubdomainId, WorkerId};
use crate::node::{Around, Away, Board, Homes, Visit, Visitor};
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
        Homes::new(graph, |part| graph.first_owner(part, config), self.parts, self.starts);
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
    /// Lets a worker go on from subdomain to subdomain, up to a sweep, which takes time; false where its
    /// iteration is over.
    pub(super) fn visit_next(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        while let Some(visit) = self.next_visit(worker) {
            match visit {
                Visit::Claim(id) => {
                    if let Some(state) = self.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
                        state.holder = worker.0;
                    }
                    self.tell_visitor(worker, Visitor::has_claimed);
                }
                // The sweep begins at this very moment, and reads what there is.
                Visit::Read(id) => {
                    if self.admits(id) {
                        let version = self.version(id);
                        self.tell_visitor(worker, |visitor| visitor.has_read(version));
                    }
                }
                Visit::Sweep { part, is_away } => {
                    self.away += u64::from(is_away);
                    self.begin_sweep(worker, part, watch);
                    return true;
                }
                Visit::Leave(id) => self.leave(worker, id),
                Visit::Done(swept) => {
                    if let Some(state) =
                        self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER)
                    {
                        state.life.has_swept(swept);
                    }
                    return false;
                }
            }
        }
        false
    }

    fn next_visit(&mut self, worker: WorkerId) -> Option<Visit> {
        let visits = self.visits.as_mut()?;
        let around = Around {
            me: worker,
            homes: &Homes::resume(visits.parts, visits.starts),
            board: &VirtualBoard {
                graph: self.graph,
                mode: self.config.mode,
                subdomains: self.subdomains,
                control: &self.control,
                least: Cell::from_mut(&mut *visits.least).as_slice_of_cells(),
            },
            control: &self.control,
            diameter: self.graph.diameter(),
        };
        let visitor = visits.visitors.get_mut(worker.index()).or_bug(NO_WORKER)?;
        Some(visitor.next(&around, || self.now))
    }

    fn tell_visitor(&mut self, worker: WorkerId, tell: impl FnOnce(&mut Visitor)) {
        let visitors = self.visits.as_mut().map(|visits| &mut *visits.visitors);
        if let Some(visitor) = visitors.and_then(|visitors| visitors.get_mut(worker.index())) {
            tell(visitor);
        }
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

    /// Lets go of a subdomain, and wakes the workers that may have waited for that.
    fn leave(&mut self, worker: WorkerId, id: SubdomainId) {
        if let Some(state) = self.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
            state.holder = NONE;
        }
        if self.workers.blocked == 0 {
            return;
        }
        let all_halt = self.control.is_reached(self.updates, self.subdomains.len() as u64);
        if all_halt || Away::of(self.config) != Away::Never {
            self.wake_all();
            return;
        }
        let home = self.ownership.owner(id).or_bug(NO_SUBDOMAIN).unwrap_or(worker);
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
