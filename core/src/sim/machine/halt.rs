//! The beginning, the barrier, and halts: looks at a consistent state, in which everything is
//! frozen.

use super::event::{Event, Wait, Watch};
use super::memory::{Actor, Phase};
use super::numbers::{FROZEN, NONE, SHARED};
use super::simulation::Simulation;
use super::working_set::insert;
use crate::balance::Balancer;
use crate::balance::dplb::NodeBalancer;
use crate::base::bug::OrBug;
use crate::base::id::{NodeId, SubdomainId, WorkerId};
use crate::base::time::Duration;
use crate::node::Homes;
use crate::node::worker::{HaltStatus, Verdict, Work};
use crate::parts::{Graph, Part};

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Puts every subdomain into its owner's hands, takes the initial residual, and lets everybody
    /// begin.
    pub(super) fn start(&mut self) {
        // Reverse order, so that each goes to the front of its list.
        for id in (0..self.graph.parts()).rev().map(SubdomainId) {
            let Some(owner) = self.ownership.owner(id) else { continue };
            self.subdomains[id].holder = owner.0;
            insert(&mut self.workers.states, &mut self.subdomains, owner, id);
        }
        // No time passes until the clock starts: everybody goes from one wait for all to the next.
        while !self.state.has_begun {
            self.state.arrived = 0;
            for worker in (0..self.config.workers).map(WorkerId) {
                if !self.state.has_begun {
                    self.run_commands(worker, &mut ());
                }
            }
        }
        if self.config.nodes.balance.moves_subdomains() {
            for (node, state) in (0..).zip(self.nodes.iter()) {
                let due = state.node_balancer.as_ref().map(NodeBalancer::poll_at);
                if let Some(due) = due {
                    self.workers.queue.push(due, self.actors.number(Actor::Look(node)));
                }
            }
        }
    }

    /// Lets a worker wait at the barrier. The last one to arrive opens it, unless the clock has not
    /// started.
    pub(super) fn arrive(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        let state = &mut self.workers.states[worker];
        state.phase = Phase::Barrier;
        watch.see(self.state.now, Event::Waits { worker, wait: Wait::Barrier });
        self.state.arrived += 1;
        if self.state.arrived >= self.config.workers && self.state.has_begun {
            let at = self.state.now.after(self.barrier());
            self.workers.queue.push(at, self.actors.number(Actor::Barrier));
        }
    }

    /// Begins a halt if it is the turn of this worker of the first node; otherwise the worker waits
    /// for that.
    pub(super) fn begin_halt(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        if self.nodes[NodeId(0)].turn.worker() != worker {
            self.await_pass(worker, watch);
            return;
        }
        // What is on its way between nodes arrives frozen.
        let workers = self.config.workers;
        let owners = (0..self.graph.parts()).map(|id| self.ownership.owner(SubdomainId(id)));
        let are_here = owners.zip(self.subdomains.iter()).filter(|(owner, state)| {
            state.holder != NONE || owner.is_some_and(|owner| owner.0 < workers)
        });
        let parts = are_here.count() as u64;
        self.workers.states[worker].life.begin_halt(&self.state.control, parts);
        self.await_pass(worker, watch);
    }

    /// Freezes what a worker holds, and what nobody holds on its node; returns the number of
    /// subdomains.
    pub(super) fn freeze(&mut self, worker: WorkerId) -> u64 {
        self.freeze_held(worker) + self.go_through(worker, (NONE, FROZEN), |_, _| ())
    }

    /// Publishes the residuals of what is frozen on a worker's node; returns the number of
    /// subdomains.
    pub(super) fn share(&mut self, worker: WorkerId) -> u64 {
        self.go_through(worker, (FROZEN, SHARED), Self::publish_residual)
    }

    /// Calls `act` with each subdomain of a worker's node whose holder is the sentinel `from`, and
    /// sets that to the sentinel `to`. Returns their number. Where another worker has gone through
    /// the node in this pass, there are only its own.
    fn go_through(
        &mut self,
        worker: WorkerId,
        (from, to): (u32, u32),
        mut act: impl FnMut(&mut Self, SubdomainId),
    ) -> u64 {
        let mut number = 0;
        let (node, pass) = (self.places.node(worker), Some(self.state.control.pass()));
        let gone_through = core::mem::replace(&mut self.nodes[node].gone_through, pass) == pass;
        let all = if gone_through { &[] } else { self.workers_of(node).workers() };
        for owner in core::iter::once(worker).chain(all.iter().copied()) {
            let mut next = self.ownership.of(owner).next();
            while let Some(id) = next {
                next = self.ownership.after(id);
                let holder = &mut self.subdomains[id].holder;
                if *holder == from {
                    *holder = to;
                    number += 1;
                    act(self, id);
                }
            }
        }
        number
    }

    /// Records that a worker has done its part of a pass, with `number` subdomains. False where it
    /// goes on at once.
    pub(super) fn passes(&mut self, worker: WorkerId, number: u64, watch: &mut impl Watch) -> bool {
        let state = &mut self.workers.states[worker];
        state.life.handle_done(&self.state.control, number);
        if !state.life.acts() {
            self.await_pass(worker, watch);
            return true;
        }
        watch.see(self.state.now, Event::Waits { worker, wait: Wait::Halt });
        // All have to know of each other, as at a barrier; the clock starts with the first sweep,
        // and where the start has converged there is none.
        let takes_time = self.state.has_begun && self.state.updates > 0;
        if takes_time {
            self.workers.queue.push(self.state.now.after(self.barrier()), worker.0);
        }
        takes_time
    }

    /// Lets a worker wait for the next pass of the halt; where this one was the last to finish, the
    /// pass begins for all.
    pub(super) fn await_pass(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        let state = &mut self.workers.states[worker];
        let begins = state.life.pass() != self.state.control.pass();
        state.phase = Phase::Halted;
        if begins {
            self.begin_pass();
        } else {
            watch.see(self.state.now, Event::Waits { worker, wait: Wait::Halt });
        }
    }

    /// Wakes all workers that wait for the pass that begins. Before the clock starts they are asked
    /// in turn anyway.
    fn begin_pass(&mut self) {
        if self.state.control.pass().work() == Work::Run {
            self.subdomains.iter_mut().for_each(|state| state.holder = NONE);
        }
        for worker in (0..self.config.workers).map(WorkerId) {
            self.workers.wake(worker, self.state.now);
            self.wake_halted(worker);
        }
    }

    /// Wakes a worker that waits for a pass.
    pub(super) fn wake_halted(&mut self, worker: WorkerId) {
        let phase = &mut self.workers.states[worker].phase;
        if *phase == Phase::Halted {
            *phase = Phase::Ready;
            if self.state.has_begun {
                self.workers.queue.push(self.state.now, worker.0);
            }
        }
    }

    /// Returns the time of a node's barrier; all nodes have theirs at once, and what they do
    /// together between two of them takes the time of [`Simulation::meet`].
    fn barrier(&self) -> Duration {
        self.hardware.costs.barrier(self.config.workers_per_node())
    }

    /// Schedules a worker that acts for all after this many meetings of the nodes. False where that
    /// takes no time: on one node, and before the clock starts.
    pub(super) fn meet(&mut self, worker: WorkerId, times: u64) -> bool {
        let time = self.meetings(times);
        let takes_time = self.state.has_begun && time > Duration::ZERO;
        if takes_time {
            self.workers.queue.push(self.state.now.after(time), worker.0);
        }
        takes_time
    }

    /// Returns the time of this many meetings of all nodes over the network.
    fn meetings(&self, times: u64) -> Duration {
        let meeting = self.hardware.costs.meeting(self.config.nodes.number);
        Duration(meeting.0.saturating_mul(times))
    }

    /// Opens the barrier: all workers go on.
    pub(super) fn release(&mut self, watch: &mut impl Watch) {
        self.state.arrived = 0;
        for worker in (0..self.config.workers).map(WorkerId) {
            self.workers.states[worker].phase = Phase::Ready;
            self.run_commands(worker, watch);
        }
    }

    /// Starts the clock, and records the initial residual.
    pub(super) fn begin(&mut self) {
        self.state.has_begun = true;
        self.state.initial = self.published_residual();
        self.state.verified = self.state.initial;
        let progress = self.progress();
        self.halted_at(self.state.initial);
        let halts = self.state.detection.begin(self.state.initial, self.state.initial, &progress);
        self.state.control.begin(&progress, halts);
    }

    /// Lets all nodes go on to the highest count of all, and halt there, while nobody sweeps.
    pub(super) fn agree(&self) {
        self.state.control.agree(self.progress().most);
    }

    /// Lets the worker that acts for all wait until no subdomain is on its way between nodes. False
    /// where that takes no time.
    pub(super) fn settle(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        if self.state.halts.settle(self.on_their_way()) {
            return self.meet(worker, 1);
        }
        self.workers.states[worker].phase = Phase::Settling;
        watch.see(self.state.now, Event::Waits { worker, wait: Wait::Halt });
        true
    }

    /// Wakes the worker that waits until no subdomain is between nodes, once that is so.
    pub(super) fn wake_settled(&mut self) {
        if !self.is_halted() {
            return;
        }
        let (on_their_way, after) = (self.on_their_way(), self.state.now.after(self.meetings(1)));
        let mut states = (0..).zip(self.workers.states.iter_mut());
        let waits = states.find(|(_, state)| state.phase == Phase::Settling);
        if let Some((worker, state)) = waits
            && self.state.halts.settle(on_their_way)
        {
            state.phase = Phase::Ready;
            self.workers.queue.push(after, worker);
        }
    }

    /// Returns the number of subdomains that are on their way between nodes.
    fn on_their_way(&self) -> u64 {
        let migrations = self.nodes.iter().filter_map(|node| node.migration.as_ref());
        migrations.map(|migration| u64::from(migration.sender.departure().is_some())).sum()
    }

    /// Whether a halt is under way, in which no node sends.
    pub(super) fn is_halted(&self) -> bool {
        self.state.control.pass().work() != Work::Run
    }

    /// Publishes the residual of a frozen subdomain, with its halo as it is now.
    fn publish_residual(&mut self, id: SubdomainId) {
        self.read_halos_of(id, false);
        self.residuals[id] = self.parts[id].residual();
    }

    /// Records the residual of the version at which everybody is halted, in the exact mode.
    fn halted_at(&self, sum: f64) {
        if let Some(versions) = &self.state.versions {
            versions.halted(self.progress().least, sum);
        }
    }

    /// Asks for a halt after this worker's iteration. With several nodes, the worker's node asks
    /// the first node, and the command to all takes the time of one or two messages.
    pub(super) fn ask_to_halt(&mut self, worker: WorkerId) {
        if self.config.nodes.number < 2 || self.config.mode.is_synchronous() {
            self.halt(worker);
            return;
        }
        self.state.halts.wish();
        if self.state.halts.call(true).is_some() {
            let message = self.hardware.costs.halo.network.time(1);
            let is_first = self.places.node(worker).0 == 0;
            let messages = if is_first { 1 } else { 2 };
            let arrival = self.state.now.after(Duration(message.0.saturating_mul(messages)));
            self.workers.queue.push(arrival, self.actors.number(Actor::Command));
        }
    }

    /// Lets all halt: the first node's command has come.
    pub(super) fn halt_called(&mut self) {
        self.halt(WorkerId(0));
    }

    /// Lets all halt after a worker's iteration, and wakes those that wait.
    fn halt(&mut self, worker: WorkerId) {
        self.workers.states[worker].life.ask_to_halt(&self.state.control);
        self.wake_all();
    }

    /// Decides whether the run ends, by the residual of a consistent state, while everybody is
    /// halted.
    pub(super) fn decide(&mut self, watch: &mut impl Watch) {
        let is_let_go = self.subdomains.iter().all(|state| state.holder == SHARED);
        is_let_go.or_bug("a decision on a residual that is old");
        let sum = self.published_residual();
        self.state.verified = sum;
        self.halted_at(sum);
        watch.see(self.state.now, Event::Verified { sum });
        let (progress, is_interrupted) = (self.progress(), self.state.interrupted);
        let wants_to_pull = self.balancers().filter_map(Balancer::switches_at).max();
        let said = HaltStatus { progress, is_interrupted, wants_to_pull, ..HaltStatus::default() };
        // Nothing is saved in virtual time.
        let verdict = Verdict { saves: false, ..self.state.detection.decide(sum, &said) };
        self.state.end = verdict.end;
        if let Some(spread) = verdict.switches_at {
            self.send_home(spread, watch);
        }
        self.state.control.carry_out(&verdict);
    }

    /// Gives all subdomains to their homes, where they stay from now on. `spread` is the spread of
    /// update counts that led to the switch.
    fn send_home(&mut self, spread: u64, watch: &mut impl Watch) {
        let now = self.state.now;
        let Self { nodes, ownership, visits, .. } = self;
        let visits = visits.as_ref().or_bug("nobody can turn without homes");
        let homes = Homes::resume(visits.parts, visits.starts);
        watch.see(now, Event::Switched);
        // The first moves all subdomains to their homes, so that the others move none.
        for balancer in nodes.iter_mut().filter_map(|node| node.balancer.as_mut()) {
            balancer.switch_to_pull(now, spread, ownership, homes.all(), &mut |made| {
                watch.see(now, Event::Moved(made));
            });
        }
    }
}
