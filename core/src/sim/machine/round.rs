//! A turn of balancing on one node (Zarins & Weiland 2017, section 4.2: threads take turns).

use super::event::{Event, Watch};
use super::memory::{Actor, Phase};
use super::simulation::Simulation;
use super::suspended::State;
use crate::balance::{Balancer, Lent, Mean, Observed};
use crate::base::id::{NodeId, WorkerId};
use crate::base::table::At;
use crate::base::time::Instant;
use crate::node::worker::{Detection, Duty, Looked, Performed, next_look};
use crate::parts::ownership::Ownership;
use crate::parts::{Graph, Part};
use crate::run::Balance;
use crate::run::progress::Progress;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Balances and detects if it is this worker's turn and something is due. Returns the time at
    /// which that is done; none if it takes no time.
    #[inline]
    pub(super) fn take_turn(
        &mut self,
        worker: WorkerId,
        watch: &mut impl Watch,
    ) -> Option<Instant> {
        let node = self.places.node(worker);
        if !self.has_turns(node) {
            return None;
        }
        let local = WorkerId(worker.0 - node.0 * self.places.node_workers);
        let is_due = self.nodes[node].turn.is_due(local, || self.state.now);
        if is_due { self.perform_turn(node, worker, watch) } else { None }
    }

    /// Whether the workers of a node have something to do in turn. Where they have not, nobody
    /// looks at the node: on large machines it would have to come from memory for each iteration.
    #[inline]
    fn has_turns(&self, node: NodeId) -> bool {
        // The first node detects for all.
        node.0 == 0 || self.config.balance != Balance::None
    }

    /// Balances the node if a round is due, and detects for all on the first node. Returns the time
    /// at which a round is done; none without a round.
    fn perform_turn(
        &mut self,
        node: NodeId,
        worker: WorkerId,
        watch: &mut impl Watch,
    ) -> Option<Instant> {
        let balancer = self.nodes[node].balancer.as_ref();
        let is_due = balancer.is_some_and(|balancer| balancer.is_due(self.state.now));
        let mut looks = 0;
        if is_due {
            watch.see(self.state.now, Event::Round { node, worker });
            looks = self.snapshot(node).subdomains;
        }
        let Performed { round, asks, due, .. } = self.perform_duty(node, watch)?;
        if asks {
            self.ask_to_halt(worker);
        }
        self.nodes[node].turn.pass_on(due);
        self.time_turn(node);
        let looks = self.measured.as_ref().map_or(looks, |measured| measured.looks);
        round.map(|_| self.finish_of(worker, self.hardware.costs.round(looks)))
    }

    /// Makes the due round of the node's balancer; on the first node also looks for the end of the
    /// run, for all. None where the node has no balancer.
    fn perform_duty(&mut self, node: NodeId, watch: &mut impl Watch) -> Option<Performed> {
        let topology = self.workers_of(node);
        let first = topology.workers().first().map_or(0, |worker| worker.index());
        let Self { nodes, workers, subdomains, residuals, shares, .. } = self;
        let State { now, ref mut detection, ref versions, interrupted, .. } = self.state;
        let duty = Duty {
            balancer: nodes[node].balancer.as_mut()?,
            detection: (node.0 == 0).then_some(detection),
            observed: Observed {
                counts: self.counts.as_slice(),
                worker_updates: self.worker_updates.as_slice(),
                topology,
            },
            lent: Lent {
                state: self.balancer_state.stretch_mut(first..),
                scratch: self.balancer_scratch.stretch_mut(first..),
                measured: self.measured.as_mut(),
            },
            ownership: &mut self.ownership,
            is_interrupted: interrupted,
        };
        let look = |detection: &mut Detection, _: &Balancer, _: &mut Ownership<'_>| {
            let progress = Progress::of(subdomains.iter().map(|subdomain| subdomain.version));
            let published = || residuals.iter().sum();
            let versions = versions
                .as_ref()
                .map(|versions| (versions, versions.find_newest(shares.iter(), progress.least)));
            let asks = detection.look(published, versions, &progress);
            Looked { asks, halts: false, due: next_look(now, subdomains.len()) }
        };
        Some(duty.perform(now, look, &mut |made| {
            workers.mark(made.from, now);
            workers.mark(made.to, now);
            watch.see(now, Event::Moved(made));
        }))
    }

    /// Schedules the turn of a worker that waits, so that it is taken in time.
    pub(super) fn time_turn(&mut self, node: NodeId) {
        if !self.has_turns(node) {
            return;
        }
        let worker = self.turn(node);
        if !self.is_halted() {
            // The halt is now this worker's to begin.
            self.wake_halted(worker);
        }
        let waits = self.workers.states[worker].phase == Phase::Blocked;
        let state = &mut self.nodes[node];
        let due = state.turn.due();
        if waits && !state.turn_is_timed && due < Instant::NEVER {
            state.turn_is_timed = true;
            self.workers
                .queue
                .push(due.max(self.state.now), self.actors.number(Actor::Round(node.0)));
        }
    }

    /// Lets the worker whose turn it is take it although it waits; nothing where it has gone on
    /// meanwhile.
    pub(super) fn take_waiting_turn(&mut self, node: NodeId, watch: &mut impl Watch) {
        let worker = self.turn(node);
        self.nodes[node].turn_is_timed = false;
        if !self.workers.unblock(worker) {
            return;
        }
        let until = self.take_turn(worker, watch).unwrap_or(self.state.now);
        self.workers.queue.push(until, worker.0);
    }

    /// Returns the worker of a node whose turn it is.
    fn turn(&self, node: NodeId) -> WorkerId {
        let turn = self.nodes[node].turn.worker().0;
        WorkerId(node.0 * self.places.node_workers + turn)
    }

    /// Copies the update counts of a node's subdomains for its balancer, and returns their mean.
    pub(super) fn snapshot(&mut self, node: NodeId) -> Mean {
        let mut mean = Mean::default();
        for id in
            self.workers_of(node).workers().iter().flat_map(|&worker| self.ownership.of(worker))
        {
            let version = self.subdomains[id].version;
            self.counts[id] = version;
            mean = mean.and(version);
        }
        mean
    }
}
