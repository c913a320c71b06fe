//! A worker in the machine: the commands of its life ([`crate::node::worker`]), one after the
//! other, until one takes time.

use super::event::{Event, Wait, Watch};
use super::memory::{Phase, SubdomainState, WorkerState};
use super::numbers::{NONE, holder, subdomain};
use super::simulation::Simulation;
use super::working_set::{Counts, WorkingSet};
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::At;
use crate::base::time::{Duration, Instant};
use crate::node::Keep;
use crate::node::worker::{Command, Sum, Taking};
use crate::parts::{Graph, Part};
use crate::run::convergence::takes_residual;
use crate::run::{End, Mode};
use crate::sim::hardware::Distance;
use crate::sim::speed;

/// Meetings of all nodes between two synchronous iterations: whether any wishes a halt.
const STEP: u64 = 1;
/// Meetings of all nodes for the count at which they halt: the highest of all.
const AGREEMENT: u64 = 1;
/// Meetings before and after the newest edges are brought, which are read where they are:
/// everything is out; everybody has all.
const FETCH: u64 = 2;
/// Meetings for a decision: the first node hears what all say, and all hear its verdict.
const DECISION: u64 = 2;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Handles a worker's event: ends the sweep under way, if there is one, and goes on with the
    /// next commands.
    #[inline]
    pub(super) fn act(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        let state = &mut self.workers.states[worker];
        if let Some(intervened) = self.intervened.get_mut(worker.index()) {
            intervened.end_work();
        }
        if state.phase == Phase::Sweeping {
            let swept = core::mem::replace(&mut state.current, NONE);
            state.phase = Phase::Ready;
            let (began, lost) = (state.began, core::mem::take(&mut state.lost));
            if let Some(swept) = subdomain(swept) {
                if lost {
                    self.discard(worker, swept, watch);
                } else {
                    self.measure(swept, began);
                    self.finish(worker, swept, watch);
                }
            }
        }
        self.run_commands(worker, watch);
    }

    /// Carries out the commands of a worker's life one after the other, up to one that takes time
    /// or makes it wait.
    #[inline]
    pub(super) fn run_commands(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        loop {
            if !self.state.moment.try_count(self.state.now, self.config.workers) {
                self.state.end = Some(End::Livelock);
                debug_assert!(false, "{worker} goes on and on at {}", self.state.now.0);
                return;
            }
            let state = &mut self.workers.states[worker];
            match state.life.next(&self.state.control, || core::mem::take(&mut state.dirty)) {
                Command::Sweep => {
                    let sweeps = if self.state.control.visits() {
                        self.begin_next_visit(worker, watch)
                    } else {
                        self.begin_next_sweep(worker, watch)
                    };
                    if sweeps {
                        return;
                    }
                }
                Command::Release => self.let_go(worker),
                Command::Take => self.take_free(worker),
                Command::ReadHalos => self.read_halos(worker, true),
                Command::TakeTurn => {
                    if let Some(until) = self.end_iteration(worker, watch) {
                        self.workers.queue.push(until, worker.0);
                        return;
                    }
                }
                Command::Idle => {
                    if self.block(worker, watch) {
                        return;
                    }
                }
                Command::Barrier => {
                    self.arrive(worker, watch);
                    return;
                }
                Command::Settle => {
                    if self.settle(worker, watch) {
                        return;
                    }
                }
                Command::Begin => self.begin(),
                Command::Halt => {
                    self.begin_halt(worker, watch);
                    return;
                }
                Command::Freeze => {
                    let number = self.freeze(worker);
                    if self.passes(worker, number, watch) {
                        return;
                    }
                }
                Command::Share => {
                    let number = self.share(worker);
                    if self.passes(worker, number, watch) {
                        return;
                    }
                }
                Command::Wait => {
                    self.await_pass(worker, watch);
                    return;
                }
                Command::Decide => {
                    self.decide(watch);
                    if self.meet(worker, DECISION) {
                        return;
                    }
                }
                Command::Step => {
                    if self.meet(worker, STEP) {
                        return;
                    }
                }
                Command::Agree => {
                    self.agree();
                    if self.meet(worker, AGREEMENT) {
                        return;
                    }
                }
                Command::Fetch => {
                    self.state.control.count_parts(self.graph.parts().into());
                    if self.meet(worker, FETCH) {
                        return;
                    }
                }
                Command::End => return,
                // The cells are filled before time begins, and nothing is ever saved.
                Command::Fill | Command::Save | Command::Saved => {}
            }
        }
    }

    /// Begins to sweep the next subdomain of the working set that may be swept. False where none is
    /// left in this iteration.
    #[inline]
    fn begin_next_sweep(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        let Self { workers, subdomains, graph, config, levelings, .. } = self;
        let state = &mut workers.states[worker];
        let counts = Counts { graph: *graph, mode: config.mode, subdomains: subdomains.shared() };
        let hands = WorkingSet { first: state.first, counts };
        let leveling = config.balance.levels().then(|| &mut levelings[worker]);
        match state.keeper.next(config.mode, &hands, leveling) {
            Keep::Sweep(place) => {
                self.begin_sweep(worker, SubdomainId(place), watch);
                true
            }
            Keep::Done(swept) => {
                state.life.handle_swept(swept);
                false
            }
        }
    }

    /// Reads the halos of a worker's subdomains as they are now. `counted` says whether their
    /// staleness is recorded.
    pub(super) fn read_halos(&mut self, worker: WorkerId, counted: bool) {
        self.for_each_held(worker, |machine, id| machine.read_halos_of(id, counted));
    }

    /// Reads the halo of a subdomain as it is now. `counted` says whether its staleness is
    /// recorded.
    pub(super) fn read_halos_of(&mut self, id: SubdomainId, counted: bool) {
        for (link, neighbour) in self.graph.neighbours(id).into_iter().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            self.copy((id, link), (neighbour, self.graph.back(id, link)));
            if counted {
                self.state.staleness.meet(self.version(id), self.version(neighbour));
            }
        }
    }

    /// Begins a sweep: reads the halos as they are now, and schedules its end by the costs of
    /// cells, halos and caches.
    #[inline]
    pub(super) fn begin_sweep(
        &mut self,
        worker: WorkerId,
        id: SubdomainId,
        watch: &mut impl Watch,
    ) {
        let SubdomainState { version, size, last, .. } = self.subdomains[id];
        let costs = &self.hardware.costs;
        let cells = self.graph.cells(size);
        let mut work =
            costs.sweep_among(cells, self.cells_in_hand(worker), self.taking_at(version).is_some());
        let reads_now = !self.config.mode.is_synchronous();
        for (link, neighbour) in self.graph.neighbours(id).into_iter().enumerate() {
            let Some(neighbour) = neighbour else { continue };
            let other = &self.subdomains[neighbour];
            let back = self.graph.back(id, link);
            let length = self.graph.edge(other.size, back);
            let distance = self.distance(worker, WorkerId(other.last));
            let time = costs.halo.over(distance).time(u64::from(length));
            work = Duration(work.0.saturating_add(time.0));
            if !reads_now {
                continue;
            }
            if self.config.mode == Mode::Exact && other.version > version {
                // It has handed its edge of this version out before it went on.
                self.state.staleness.meet(version, version);
                continue;
            }
            self.state.staleness.meet(version, other.version);
            self.copy((id, link), (neighbour, back));
        }
        work = Duration(work.0.saturating_add(self.hand_over(worker, last, cells).0));
        self.subdomains[id].last = worker.0;
        let until = self.sweep_for(worker, id, work);
        watch.see(self.state.now, Event::Started { worker, subdomain: id, until });
    }

    /// Returns the time that it takes a worker to get `cells` cells out of the cache of `last`, the
    /// worker that swept them last.
    pub(super) fn hand_over(&self, worker: WorkerId, last: u32, cells: u64) -> Duration {
        if last == worker.0 {
            return Duration::ZERO;
        }
        let distance = self.distance(worker, WorkerId(last));
        self.hardware.costs.hand_over.over(distance).time(cells)
    }

    /// Keeps a worker sweeping a subdomain for this much nominal work; returns the time at which it
    /// ends.
    pub(super) fn sweep_for(
        &mut self,
        worker: WorkerId,
        id: SubdomainId,
        work: Duration,
    ) -> Instant {
        let until = self.finish_of(worker, work);
        let state = &mut self.workers.states[worker];
        state.phase = Phase::Sweeping;
        state.current = id.0;
        state.began = self.state.now;

        self.workers.queue.push(until, worker.0);
        until
    }

    /// Returns the cells of a worker's working set; 0 where the cost of a cell does not depend on
    /// them.
    #[inline]
    pub(super) fn cells_in_hand(&self, worker: WorkerId) -> u64 {
        if self.hardware.costs.cells.is_empty() {
            return 0;
        }
        self.working_set(worker).map(|id| self.graph.cells(self.subdomains[id].size)).sum()
    }

    /// Returns the distance in the machine between the cores of two workers.
    #[inline]
    fn distance(&self, one: WorkerId, other: WorkerId) -> Distance {
        if one == other {
            return Distance::Core;
        }
        match (self.topology.socket(one), self.topology.socket(other)) {
            (Some(one), Some(other)) => self.places.between(one, other),
            _ => Distance::Network,
        }
    }

    /// Returns the time at which a worker has done this much nominal work that it begins now. Where
    /// that never happens, the run has stalled.
    #[inline]
    pub(super) fn finish_of(&mut self, worker: WorkerId, work: Duration) -> Instant {
        let WorkerState { slowdowns, pace, .. } = self.workers.states[worker];
        // No sweep is without any time.
        let work = speed::paced(work.0, pace).max(1);
        let sources = speed::part(self.slowdowns, slowdowns);
        let Some(intervened) = self.intervened.get_mut(worker.index()) else {
            let until = speed::finish(sources, self.state.now, work);
            if until == Instant::NEVER {
                self.state.end = Some(End::Stalled);
            }
            return until;
        };
        let left = Instant(intervened.left(self.state.now));
        let until = intervened.begin_work(self.state.now, speed::finish(sources, left, work).0);
        // A worker that is stopped may be let go again.
        if until == Instant::NEVER && !intervened.is_stopped() {
            self.state.end = Some(End::Stalled);
        }
        until.max(self.state.now)
    }

    /// Adds the time since `began`, of a sweep that has ended, to the subdomain's measured time,
    /// where a balancer goes by it.
    #[inline]
    fn measure(&mut self, id: SubdomainId, began: Instant) {
        if let Some(measured) = &mut self.measured {
            let time = measured.times.at_mut(id);
            *time = time.saturating_add(self.state.now.since(began).0);
        }
    }

    /// Ends a sweep: updates the cells, publishes the new version, and wakes those that may have
    /// waited for it.
    #[inline]
    fn finish(&mut self, worker: WorkerId, id: SubdomainId, watch: &mut impl Watch) {
        if self.state.control.visits() {
            self.win(worker, id);
        }
        if self.config.mode == Mode::Exact {
            self.hand_edges_out(id);
        }
        self.update(id);
        let state = &mut self.subdomains[id];
        state.version += 1;
        let version = state.version;
        self.worker_updates[worker] += 1;
        self.state.updates += 1;
        watch.see(self.state.now, Event::Swept { worker, subdomain: id, version });
        if matches!(self.config.mode, Mode::SemiSync(_)) {
            self.wake_around(id);
        }
    }

    /// Returns how a sweep from this version takes its share of the residual; none where it takes
    /// none.
    #[inline]
    pub(super) fn taking_at(&self, version: u64) -> Option<Taking> {
        match &self.state.versions {
            Some(versions) => versions.taking_at(version),
            None => takes_residual(version).then_some(Taking::Fused),
        }
    }

    /// Updates the cells of a subdomain, and publishes its share of the residual where it is taken.
    #[inline]
    fn update(&mut self, id: SubdomainId) {
        let version = self.version(id);
        let taken = self.taking_at(version);
        let part = &mut self.parts[id];
        let separate = (taken == Some(Taking::Separate)).then(|| part.residual());
        let fused = part.update(taken == Some(Taking::Fused));
        let Some(squares) = separate.or(fused) else { return };
        self.residuals[id] = squares;
        if let Some((versions, taken)) = self.state.versions.as_ref().zip(taken) {
            versions.publish_share(&self.shares[id], Sum { version, taken, squares });
        }
    }

    /// Wakes the workers that hold neighbours of this subdomain, and may have waited for it.
    fn wake_around(&mut self, id: SubdomainId) {
        for neighbour in self.graph.neighbours(id).into_iter().flatten() {
            // Nobody holds what is on its way, or frozen.
            if let Some(holder) = holder(self.subdomains[neighbour].holder) {
                self.workers.wake(holder, self.state.now);
            }
        }
    }

    /// Ends an iteration: asks for a halt if the iterations asked for are made, and takes the
    /// worker's turn. Returns the time at which that is done; none if it takes no time.
    fn end_iteration(&mut self, worker: WorkerId, watch: &mut impl Watch) -> Option<Instant> {
        if self.is_halted() {
            // A worker without a subdomain comes late to the halt: what it asks for now would be
            // forgotten after it.
            return None;
        }
        if self.state.control.lacks(|| self.state.updates) == Some(0) {
            self.ask_to_halt(worker);
        }
        let until = self.take_turn(worker, watch);
        self.publish_record(self.places.node(worker));
        until
    }

    /// Blocks a worker that found nothing to sweep, until something changes. False, and it is not
    /// blocked, where something has changed since it looked.
    fn block(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        let state = &mut self.workers.states[worker];
        state.life.look_for_halt(
            &self.state.control,
            self.state.updates,
            self.subdomains.len() as u64,
        );
        let has_passed = self.state.control.pass() != state.life.pass();
        if state.dirty || has_passed || state.life.is_to_halt(&self.state.control) {
            return false;
        }
        self.workers.block(worker);
        watch.see(self.state.now, Event::Waits { worker, wait: Wait::Neighbours });
        self.time_turn(self.places.node(worker));
        self.time_patrol(worker);
        true
    }

    /// Lets a part read the halo on its `link` from its neighbour as that is now, whose link to it
    /// is `back`.
    #[inline]
    pub(super) fn copy(
        &mut self,
        (own, link): (SubdomainId, usize),
        (neighbour, back): (SubdomainId, usize),
    ) {
        let mut through = self.through;
        if !through.is_empty() {
            let units = self.graph.edge(self.subdomains[neighbour].size, back);
            through = through.get(..units as usize).unwrap_or(through);
        }
        let [own, neighbour] = self.parts.as_mut_slice().both_mut([own, neighbour]);
        own.copy(link, neighbour, back, through);
    }
}
