//! Sweeps of a machine whose workers claim subdomains for one sweep at a time.

use core::cell::Cell;

use super::event::{Event, Watch};
use super::memory::{Actor, SubdomainState};
use super::numbers::{CLOSED, NONE, OPEN, holder};
use super::simulation::Simulation;
use super::working_set::Counts;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::node::worker::Control;
use crate::node::{Around, Away, Board, Homes, Visit, Visitor};
use crate::parts::{Graph, Part};
use crate::run::Mode;
use crate::sim::tournament::Tournament;

/// Looks after what is stuck, without a sweep of anybody between them.
const MOST_LOOKS: u32 = 64;

/// What the workers of a node see of the subdomains.
struct VirtualBoard<'a, G, const N: usize> {
    counts: Counts<'a, G, N>,
    control: &'a Control<Cell<u64>>,
    /// The first worker of the node.
    first: usize,
    least: Tournament<'a>,
    stuck: &'a [Cell<u64>],
}

impl<G: Graph<N>, const N: usize> Board for VirtualBoard<'_, G, N> {
    fn version(&self, part: SubdomainId) -> u64 {
        self.counts.version(part)
    }

    fn is_free(&self, part: SubdomainId) -> bool {
        self.counts.subdomains[part].holder == NONE
    }

    fn is_ready(&self, part: SubdomainId, version: u64) -> bool {
        let halts = || self.counts.mode == Mode::Exact && self.control.halts(version);
        self.counts.admits(part, version) && !halts()
    }

    fn is_open(&self, part: SubdomainId) -> bool {
        self.counts.subdomains[part].helper == OPEN
    }

    fn stuck(&self, worker: WorkerId) -> u64 {
        self.stuck.at(worker).get()
    }

    fn tell_stuck(&self, part: SubdomainId) {
        let holder = holder(self.counts.subdomains[part].holder);
        let place = holder.and_then(|holder| holder.index().checked_sub(self.first));
        if let Some(place) = place.and_then(|place| self.stuck.get(place)) {
            place.set(place.get() + 1);
        }
    }

    fn least(&self, worker: WorkerId) -> u64 {
        self.least.number(worker.0)
    }

    fn furthest_behind(&self, me: WorkerId, _: u32) -> Option<(u64, WorkerId)> {
        self.least.lowest_beside(me.0).map(|(least, worker)| (least, WorkerId(worker)))
    }

    fn publish_least(&self, worker: WorkerId, least: u64) {
        self.least.set(worker.0, least);
    }
}

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Lets a worker claim and leave subdomains until it begins a sweep, which takes time. False
    /// where its iteration is over without one.
    pub(super) fn begin_next_visit(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        while let Some(visit) = self.next_visit(worker) {
            match visit {
                Visit::Claim(id) => {
                    self.subdomains[id].holder = worker.0;
                    self.with_visitor(worker, Visitor::handle_claimed);
                }
                // The sweep begins at this very moment, and reads what there is.
                Visit::Read(id) => {
                    let version = self.version(id);
                    if self.live_counts().admits(id, version) {
                        self.with_visitor(worker, |visitor| visitor.handle_read(version));
                    }
                }
                Visit::Sweep { part, is_open, .. } => {
                    self.subdomains[part].helper = if is_open { OPEN } else { CLOSED };
                    self.begin_sweep(worker, part, watch);
                    self.handle_found(worker);
                    return true;
                }
                Visit::Help { part, .. } => {
                    if self.help(worker, part, watch) {
                        self.handle_found(worker);
                        return true;
                    }
                }
                Visit::Leave(id) => self.leave(worker, id),
                Visit::Done(swept) => {
                    self.workers.states[worker].life.handle_swept(swept);
                    return false;
                }
            }
        }
        false
    }

    /// Passes the wake-up on: a worker that was woken to look for a sweep has found one, so the
    /// next waiting one looks.
    #[inline]
    fn handle_found(&mut self, worker: WorkerId) {
        if self.workers.handle_found(worker) {
            self.wake_first(worker);
        }
    }

    /// Begins a copy of the sweep that another worker is stuck in. False where that one is not open
    /// to help any more.
    #[cold]
    fn help(&mut self, worker: WorkerId, id: SubdomainId, watch: &mut impl Watch) -> bool {
        let state = &mut self.subdomains[id];
        if state.helper != OPEN {
            return false;
        }
        state.helper = worker.0;
        let SubdomainState { version, size, last, .. } = *state;
        let cells = self.graph.cells(size);
        let in_hand = self.cells_in_hand(worker);
        let sweep =
            self.hardware.costs.sweep_among(cells, in_hand, self.taking_at(version).is_some());
        let work = Duration(sweep.0.saturating_add(self.hand_over(worker, last, cells).0));
        let until = self.sweep_for(worker, id, work);
        watch.see(self.state.now, Event::Helps { worker, subdomain: id, until });
        true
    }

    /// Gives a subdomain to the worker that is the first to end its sweep. The other one, if there
    /// is one, has lost, and learns it at the end of its own sweep.
    pub(super) fn win(&mut self, worker: WorkerId, id: SubdomainId) {
        self.state.away += u64::from(self.ownership.owner(id) != Some(worker));
        let state = &mut self.subdomains[id];
        let helper = core::mem::replace(&mut state.helper, CLOSED);
        if matches!(helper, OPEN | CLOSED) {
            return;
        }
        let is_helper = helper == worker.0;
        let loser = if is_helper { state.holder } else { helper };
        if is_helper {
            (state.holder, state.last) = (worker.0, worker.0);
            self.state.helped += 1;
            self.with_visitor(worker, Visitor::handle_helped);
        }
        self.workers.states[WorkerId(loser)].lost = true;
    }

    /// Drops the result of a sweep that another worker has published meanwhile.
    #[cold]
    pub(super) fn discard(&mut self, worker: WorkerId, id: SubdomainId, watch: &mut impl Watch) {
        self.with_visitor(worker, Visitor::handle_lost);
        watch.see(self.state.now, Event::Discarded { worker, subdomain: id });
    }

    /// Schedules a patrol that wakes the waiting workers, so that one of them helps with what is
    /// stuck.
    pub(super) fn time_patrol(&mut self, worker: WorkerId) {
        let visitor = self.visits.as_ref().map(|visits| visits.visitors.at(worker));
        let Some(patience) = visitor.and_then(Visitor::patience).filter(|_| !self.state.patrols)
        else {
            return;
        };
        let (updates, looks) = self.state.patrolled;
        let looks = if updates == self.state.updates { looks } else { 0 };
        // Where nothing comes of it, nothing is to be helped: a run may stall.
        if looks == MOST_LOOKS {
            return;
        }
        (self.state.patrols, self.state.patrolled) = (true, (self.state.updates, looks + 1));
        let at = Instant(self.state.now.0.saturating_add(patience.0));
        self.workers.queue.push(at, self.actors.number(Actor::Patrol));
    }

    /// Wakes all workers that wait, to look for what is stuck.
    pub(super) fn patrol(&mut self) {
        self.state.patrols = false;
        self.wake_all();
    }

    /// Asks the worker's visitor for its next action, by what it sees of its node; none where
    /// workers keep their subdomains.
    fn next_visit(&mut self, worker: WorkerId) -> Option<Visit> {
        let visits = self.visits.as_mut()?;
        // The workers of its node.
        let number = self.places.node_workers as usize;
        let first = self.places.node(worker).index() * number;
        let end = first + number;
        let starts = visits.starts.stretch(first..=end);
        let least = visits.least.stretch_mut(first..end);
        let furthest = visits.furthest.stretch_mut(first..end);
        let stuck = visits.stuck.stretch_mut(first..end);
        let around = Around {
            me: WorkerId(u32::try_from(worker.index() - first).unwrap_or(0)),
            homes: &Homes::resume(visits.parts, starts),
            board: &VirtualBoard {
                counts: Counts {
                    graph: self.graph,
                    mode: self.config.mode,
                    subdomains: self.subdomains.shared(),
                },
                control: &self.state.control,
                first,
                least: Tournament::resume(least, furthest),
                stuck: Cell::from_mut(stuck).as_slice_of_cells(),
            },
            control: &self.state.control,
            diameter: self.graph.diameter(),
        };
        let visitor = visits.visitors.at_mut(worker);
        Some(visitor.next(&around, || self.state.now))
    }

    /// Calls `act` with the worker's visitor, where workers claim subdomains for one sweep at a
    /// time.
    fn with_visitor(&mut self, worker: WorkerId, act: impl FnOnce(&mut Visitor)) {
        if let Some(visits) = &mut self.visits {
            act(visits.visitors.at_mut(worker));
        }
    }

    /// Hands out the edges of a subdomain before it is updated, to those neighbours that have yet
    /// to make the update that needs them: in the exact mode nobody reads a newer version.
    pub(super) fn hand_edges_out(&mut self, id: SubdomainId) {
        let version = self.version(id);
        for (link, neighbour) in self.graph.neighbours(id).into_iter().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            if self.version(neighbour) == version {
                self.copy((neighbour, self.graph.back(id, link)), (id, link));
            }
        }
    }

    /// Releases the claim of a subdomain, and wakes the workers for which that may free a sweep:
    /// the owners of it and its neighbours, and one that sweeps for others.
    fn leave(&mut self, worker: WorkerId, id: SubdomainId) {
        self.subdomains[id].holder = NONE;
        if self.is_halted() {
            self.nodes[self.places.node(worker)].gone_through = None;
        }
        if !self.workers.any_waits() {
            return;
        }
        let parts = self.subdomains.len() as u64;
        if self.state.control.is_reached(self.state.updates, parts) {
            self.wake_all();
            return;
        }
        if Away::of(self.config) != Away::Never {
            self.wake_first(worker);
        }
        self.workers.wake(self.ownership.owner_of(id), self.state.now);
        for neighbour in self.graph.neighbours(id).into_iter().flatten() {
            self.workers.wake(self.ownership.owner_of(neighbour), self.state.now);
        }
    }

    /// Wakes the first waiting worker of this one's node, to look for something to sweep.
    fn wake_first(&mut self, worker: WorkerId) {
        let workers = self.places.node_workers;
        let first = self.places.node(worker).0 * workers;
        self.workers.wake_first(first..first + workers, self.state.now);
    }

    /// Wakes every worker that waits.
    pub(super) fn wake_all(&mut self) {
        for worker in (0..self.config.workers).map(WorkerId) {
            self.workers.wake(worker, self.state.now);
        }
    }

    /// Returns the version of a subdomain.
    #[inline]
    pub(super) fn version(&self, id: SubdomainId) -> u64 {
        self.live_counts().version(id)
    }
}
