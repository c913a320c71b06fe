//! A turn of balancing on one node (Zarins & Weiland 2017, section 4.2: threads take turns).

use super::event::{Event, Watch};
use super::memory::{Actor, Phase};
use super::numbers::{NO_NODE, NO_SUBDOMAIN, NO_WORKER};
use super::simulation::Simulation;
use crate::balance::{Balancer, Lent, Mean, Observed};
use crate::bug::OrBug;
use crate::id::{NodeId, WorkerId};
use crate::part::{Graph, Part};
use crate::run::Balance;
use crate::time::Instant;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Balances and detects if it is this worker's turn and something is due; returns the time at
    /// which that is done, if it takes time.
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
        let is_due = self.nodes.get(node.index()).or_bug(NO_NODE)?.turn.is_due(local, || self.now);
        if is_due { self.perform_turn(node, worker, watch) } else { None }
    }

    /// Whether the workers of a node have something to do in turn. Where they have not, nobody looks at
    /// the node: on large machines it would have to come from memory for each iteration.
    #[inline]
    fn has_turns(&self, node: NodeId) -> bool {
        // The first node detects for all.
        node.0 == 0 || self.config.balance != Balance::None
    }

    fn perform_turn(
        &mut self,
        node: NodeId,
        worker: WorkerId,
        watch: &mut impl Watch,
    ) -> Option<Instant> {
        let is_due = |balancer: &Balancer| self.now >= balancer.poll_at();
        let balances =
            self.nodes.get(node.index()).or_bug(NO_NODE)?.balancer.as_ref().is_some_and(is_due);
        let looks = balances.then(|| {
            watch.see(self.now, Event::Round { node, worker });
            self.balance(node, watch)
        });
        let asks = node.0 == 0 && self.now >= self.detection.due() && self.detect();
        let is_to_turn = |balancer: &Balancer| balancer.is_to_turn();
        let turns =
            self.nodes.get(node.index()).or_bug(NO_NODE)?.balancer.as_ref().is_some_and(is_to_turn);
        if asks || turns {
            self.ask_to_halt(worker);
        }
        let state = self.nodes.get_mut(node.index()).or_bug(NO_NODE)?;
        let due = state.balancer.as_ref().map_or(Instant::NEVER, Balancer::poll_at);
        let due = if node.0 == 0 { due.min(self.detection.due()) } else { due };
        state.turn.pass_on(due);
        self.time_turn(node);
        looks.map(|looks| self.finish_of(worker, self.hardware.costs.round(looks)))
    }

    /// Sees to it that a turn is taken in time while the worker whose turn it is waits.
    pub(super) fn time_turn(&mut self, node: NodeId) {
        if !self.has_turns(node) {
            return;
        }
        let worker = self.turn(node);
        let waits = self
            .workers
            .states
            .get(worker.index())
            .or_bug(NO_WORKER)
            .is_some_and(|w| w.phase == Phase::Blocked);
        let Some(state) = self.nodes.get_mut(node.index()).or_bug(NO_NODE) else { return };
        let due = state.turn.due();
        if waits && !state.turn_is_timed && due < Instant::NEVER {
            state.turn_is_timed = true;
            self.workers.queue.push(due.max(self.now), self.actors.number(Actor::Round(node.0)));
        }
    }

    /// Lets the worker whose turn it is take its turn, if it still waits.
    pub(super) fn take_waiting_turn(&mut self, node: NodeId, watch: &mut impl Watch) {
        let worker = self.turn(node);
        if let Some(state) = self.nodes.get_mut(node.index()).or_bug(NO_NODE) {
            state.turn_is_timed = false;
        }
        let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) else {
            return;
        };
        if state.phase != Phase::Blocked {
            return;
        }
        state.phase = Phase::Ready;
        self.workers.blocked = self.workers.blocked.saturating_sub(1);
        let until = self.take_turn(worker, watch).unwrap_or(self.now);
        self.workers.queue.push(until, worker.0);
    }

    fn turn(&self, node: NodeId) -> WorkerId {
        let turn =
            self.nodes.get(node.index()).or_bug(NO_NODE).map_or(0, |state| state.turn.worker().0);
        WorkerId(node.0 * self.places.node_workers + turn)
    }

    /// Makes one balancing round on a node; returns the number of looks at a subdomain that it was
    /// worth.
    fn balance(&mut self, node: NodeId, watch: &mut impl Watch) -> u64 {
        let mean = self.snapshot(node);
        let topology = self.workers_of(node);
        let Self { nodes, counts, worker_updates, ownership, workers, now, moves, .. } = self;
        let Self { kept, room, measured, .. } = self;
        let Some(balancer) =
            nodes.get_mut(node.index()).or_bug(NO_NODE).and_then(|state| state.balancer.as_mut())
        else {
            return 0;
        };
        let observed = Observed { counts, worker_updates, topology };
        let first = topology.workers().first().map_or(0, |worker| worker.index());
        let lent = Lent {
            kept: kept.get_mut(first..).or_bug(NO_WORKER).unwrap_or_default(),
            room: room.get_mut(first..).or_bug(NO_WORKER).unwrap_or_default(),
            measured: measured.as_mut(),
        };
        balancer.poll(*now, &observed, lent, ownership, &mut |made| {
            *moves += 1;
            workers.mark(made.from, *now);
            workers.mark(made.to, *now);
            watch.see(*now, Event::Moved(made));
        });
        self.rounds += 1;
        measured.as_ref().map_or(mean.subdomains, |measured| measured.looks)
    }

    /// Brings the counts of a node's subdomains up to date, and returns their mean.
    pub(super) fn snapshot(&mut self, node: NodeId) -> Mean {
        let mut mean = Mean::default();
        for id in
            self.workers_of(node).workers().iter().flat_map(|&worker| self.ownership.of(worker))
        {
            let places = self
                .counts
                .get_mut(id.index())
                .or_bug(NO_SUBDOMAIN)
                .zip(self.subdomains.get(id.index()).or_bug(NO_SUBDOMAIN));
            if let Some((count, state)) = places {
                *count = state.version;
                mean = mean.and(state.version);
            }
        }
        mean
    }
}
