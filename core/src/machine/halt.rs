//! The beginning, the barrier, and looks at a consistent state.

use super::event::{Event, Wait, Watch};
use super::memory::{Actor, Phase};
use super::numbers::{NO_SUBDOMAIN, NO_WORKER, NONE};
use super::simulation::Simulation;
use super::working_set::insert;
use crate::balance::dplb::NodeBalancer;
use crate::bug::OrBug;
use crate::id::{SubdomainId, WorkerId};
use crate::part::{Graph, Part};
use crate::run::NodeBalance;
use crate::time::Duration;
use crate::worker::next_look;

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Puts every subdomain into its owner's hands, takes the initial residual, and lets everybody
    /// begin.
    pub(super) fn start(&mut self) {
        // Reverse order, so that each goes to the front of its list.
        for id in (0..self.graph.parts()).rev().map(SubdomainId) {
            let Some(owner) = self.ownership.owner(id) else { continue };
            if let Some(state) = self.subdomains.get_mut(id.index()).or_bug(NO_SUBDOMAIN) {
                state.holder = owner.0;
            }
            insert(self.workers.states, self.subdomains, owner, id);
        }
        // No time passes until the clock starts: everybody goes from barrier to barrier.
        while self.arrived < self.config.workers && !self.has_begun {
            for worker in (0..self.config.workers).map(WorkerId) {
                self.go_on(worker, &mut ());
            }
            if !self.has_begun {
                self.arrived = 0;
            }
        }
        if self.config.nodes.balance != NodeBalance::None {
            for (node, state) in (0..).zip(self.nodes.iter()) {
                let due = state.node_balancer.as_ref().map(NodeBalancer::poll_at);
                if let Some(due) = due {
                    self.workers.queue.push(due, self.actors.number(Actor::Look(node)));
                }
            }
        }
    }

    /// Counts a worker at the barrier; the last one opens it, unless time has not begun.
    pub(super) fn arrive(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) else {
            return;
        };
        state.phase = Phase::Barrier;
        let wait = if state.life.is_halted() { Wait::Halt } else { Wait::Barrier };
        watch.see(self.now, Event::Waits { worker, wait });
        self.arrived += 1;
        if self.arrived >= self.config.workers && self.has_begun {
            // The clock starts with the first sweep.
            let cost = if self.updates > 0 { self.barrier() } else { Duration::ZERO };
            self.workers.queue.push(self.now.after(cost), self.actors.number(Actor::Barrier));
        }
    }

    fn barrier(&self) -> Duration {
        self.hardware.costs.barrier(self.config.workers)
    }

    /// Opens the barrier.
    pub(super) fn release(&mut self, watch: &mut impl Watch) {
        self.arrived = 0;
        for worker in (0..self.config.workers).map(WorkerId) {
            if let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) {
                state.phase = Phase::Ready;
            }
            self.go_on(worker, watch);
        }
    }

    /// Lets the clock start.
    pub(super) fn begin(&mut self) {
        self.has_begun = true;
        self.initial = self.published_residual();
        self.verified = self.initial;
        let progress = self.progress();
        let halts = self.detection.begin(self.initial, self.initial, &progress);
        self.control.begin(&progress, halts);
    }

    /// Lets a worker wait, for all that are halted, until no subdomain is on its way between nodes; false
    /// where none is.
    pub(super) fn settle(&mut self, worker: WorkerId, watch: &mut impl Watch) -> bool {
        if self.is_settled() {
            return false;
        }
        if let Some(state) = self.workers.states.get_mut(worker.index()).or_bug(NO_WORKER) {
            state.phase = Phase::Settling;
        }
        watch.see(self.now, Event::Waits { worker, wait: Wait::Halt });
        true
    }

    /// Lets the worker go on that waits until everything has arrived, once it has.
    pub(super) fn wake_settled(&mut self) {
        if self.is_settled()
            && let Some(state) = self.workers.states.first_mut()
            && state.phase == Phase::Settling
        {
            state.phase = Phase::Ready;
            self.workers.queue.push(self.now, 0);
        }
    }

    fn is_settled(&self) -> bool {
        let mut migrations = self.nodes.iter().filter_map(|node| node.migration.as_ref());
        migrations.all(|migration| migration.sender.departure().is_none())
    }

    /// Whether all workers halt, so that no node may send: the first has come to the halt's first barrier,
    /// which nobody passes before it.
    pub(super) fn is_halted(&self) -> bool {
        self.workers.states.first().is_some_and(|first| first.life.is_halted())
    }

    /// Publishes the residuals of a worker's subdomains with the newest halos.
    pub(super) fn publish_residuals(&mut self, worker: WorkerId) {
        self.for_each_held(worker, Self::publish_residual);
    }

    fn publish_residual(&mut self, id: SubdomainId) {
        self.read_halos_of(id, false);
        let part = self.parts.get_mut(id.index()).or_bug(NO_SUBDOMAIN);
        if let Some((part, published)) = part.zip(self.residuals.get_mut(id.index())) {
            *published = part.residual();
        }
    }

    /// Looks at the published residuals, and returns whether all are to halt.
    pub(super) fn detect(&mut self) -> bool {
        let (sum, progress) = (self.published_residual(), self.progress());
        self.detection.set_due(next_look(self.now, self.subdomains.len()));
        self.detection.look(sum, &progress) || self.interrupted
    }

    /// Lets a worker ask all to halt after its iteration, and wakes those that wait.
    pub(super) fn ask_to_halt(&mut self, worker: WorkerId) {
        if let Some(state) = self.workers.states.get(worker.index()).or_bug(NO_WORKER) {
            state.life.ask_to_halt(&self.control);
        }
        for worker in (0..self.config.workers).map(WorkerId) {
            self.workers.wake(worker, self.now);
        }
    }

    /// Decides on the residual of the cells as they are, while everybody is halted.
    pub(super) fn decide(&mut self, watch: &mut impl Watch) {
        debug_assert!(
            self.subdomains.iter().all(|state| state.holder != NONE),
            "a decision while a subdomain is in nobody's hands"
        );
        let sum = self.published_residual();
        self.verified = sum;
        watch.see(self.now, Event::Verified { sum });
        self.end = self.detection.decide(sum, &self.progress(), self.interrupted);
        self.control.decide(self.end.is_some());
    }
}
