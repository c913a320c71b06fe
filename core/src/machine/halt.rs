//! The beginning, the barrier, and looks at a consistent state.

use super::event::{Event, Wait, Watch};
use super::fields::Fields;
use super::memory::{Actor, Phase};
use super::simulation::Machine;
use super::worker::insert;
use crate::balance::dplb::NodeBalancer;
use crate::convergence::{Convergence, Detected, Verified};
use crate::grid::Side;
use crate::id::{SubdomainId, WorkerId};
use crate::run::{End, NodeBalance};
use crate::schedule::is_done;
use crate::time::Duration;

impl<P: Fields> Machine<'_, '_, P> {
    /// Puts every subdomain into its owner's hands, takes the initial residual, and lets everybody
    /// begin.
    pub(super) fn start(&mut self) {
        // In reverse, so that each goes to the front of its list.
        for id in (0..self.decomposition.subdomains()).rev().map(SubdomainId) {
            let Some(owner) = self.ownership.owner(id) else { continue };
            if let Some(state) = self.subdomains.get_mut(id.index()) {
                state.holder = owner.0;
            }
            insert(self.crew.workers, self.subdomains, owner, id);
        }
        self.initial = self.take_residual();
        self.verified = self.initial;
        self.convergence =
            Convergence::new(self.initial, self.config.stop.tolerance, self.progress());
        self.halting = self.convergence.detect(self.initial, &self.progress()) == Detected::Verify;
        self.next_check = u64::from(self.decomposition.subdomains());
        if self.config.mode.is_synchronous() {
            self.arrived = self.config.workers;
            self.crew.queue.push(self.now, self.actors.number(Actor::Barrier));
        } else {
            for worker in 0..self.config.workers {
                self.crew.queue.push(self.now, worker);
            }
        }
        if self.config.nodes.balance != NodeBalance::None {
            for (node, state) in (0..).zip(self.nodes.iter()) {
                let due = state.sender.as_ref().map(NodeBalancer::poll_at);
                if let Some(due) = due {
                    self.crew.queue.push(due, self.actors.number(Actor::Look(node)));
                }
            }
        }
    }

    /// Whether the iterations that were asked for are made.
    pub(super) fn has_done_iterations(&self) -> bool {
        is_done(self.updates, self.config.subdomains(), self.config.stop.iterations)
    }

    /// Counts a worker at the barrier; the last one opens it.
    pub(super) fn arrive(&mut self) {
        self.arrived += 1;
        if self.arrived >= self.config.workers {
            let open = self.now.after(self.barrier());
            self.crew.queue.push(open, self.actors.number(Actor::Barrier));
        }
    }

    fn barrier(&self) -> Duration {
        self.hardware.costs.barrier(self.config.workers)
    }

    /// Opens the barrier: everybody reads all halos before anybody sweeps.
    pub(super) fn release(&mut self, watch: &mut impl Watch) {
        if self.halting {
            self.verify(watch);
            if self.end.is_some() {
                return;
            }
        }
        self.arrived = 0;
        self.read_all_halos(true);
        for worker in (0..self.config.workers).map(WorkerId) {
            if let Some(state) = self.crew.workers.get_mut(worker.index()) {
                state.phase = Phase::Ready;
            }
            self.begin(worker, watch);
        }
    }

    fn read_all_halos(&mut self, counted: bool) {
        for id in self.decomposition.ids() {
            for (side, neighbour) in Side::ALL.into_iter().zip(self.decomposition.neighbours(id)) {
                let Some(neighbour) = neighbour else { continue };
                self.fields.read_halo(id, side, neighbour);
                let version = |id: SubdomainId| {
                    self.subdomains.get(id.index()).map_or(0, |state| state.version)
                };
                if counted {
                    self.staleness.meet(version(id), version(neighbour));
                }
            }
        }
    }

    /// The residual of all cells as they are.
    fn take_residual(&mut self) -> f64 {
        self.read_all_halos(false);
        let mut sum = 0.0;
        for (id, residual) in (0..).map(SubdomainId).zip(self.residuals.iter_mut()) {
            *residual = self.fields.residual(id);
            sum += *residual;
        }
        sum
    }

    /// Looks at the published residuals, once in an iteration.
    pub(super) fn detect(&mut self, watch: &mut impl Watch) {
        self.next_check = self.updates + u64::from(self.decomposition.subdomains());
        let (sum, progress) = (self.published_residual(), self.progress());
        self.spread_max = self.spread_max.max(progress.spread());
        if !self.halting && self.convergence.detect(sum, &progress) == Detected::Verify {
            self.halt(watch);
        }
    }

    /// Lets everybody stop before the next iteration.
    pub(super) fn halt(&mut self, watch: &mut impl Watch) {
        if self.halting {
            return;
        }
        self.halting = true;
        for (worker, state) in (0..).map(WorkerId).zip(self.crew.workers.iter_mut()) {
            if state.phase == Phase::Blocked {
                state.phase = Phase::Halted;
                self.halted += 1;
                watch.see(self.now, Event::Waits { worker, wait: Wait::Halt });
            }
        }
        if self.halted >= self.config.workers {
            self.verify_and_go_on(watch);
        }
    }

    /// One worker has stopped; the last one looks.
    pub(super) fn stop(&mut self, worker: WorkerId, watch: &mut impl Watch) {
        if let Some(state) = self.crew.workers.get_mut(worker.index()) {
            state.phase = Phase::Halted;
        }
        self.halted += 1;
        watch.see(self.now, Event::Waits { worker, wait: Wait::Halt });
        if self.halted >= self.config.workers {
            self.verify_and_go_on(watch);
        }
    }

    /// Looks, and where the run is to go on lets everybody begin again, two barriers later: one
    /// after all have stopped, one after the look.
    fn verify_and_go_on(&mut self, watch: &mut impl Watch) {
        self.verify(watch);
        if self.end.is_some() {
            return;
        }
        let again = self.now.after(self.barrier()).after(self.barrier());
        for (worker, state) in (0..).zip(self.crew.workers.iter_mut()) {
            state.phase = Phase::Ready;
            self.crew.queue.push(again, worker);
        }
    }

    /// Decides on the residual of the cells as they are, while nobody sweeps.
    fn verify(&mut self, watch: &mut impl Watch) {
        let sum = self.take_residual();
        self.verified = sum;
        watch.see(self.now, Event::Verified { sum });
        self.end = match self.convergence.verify(sum) {
            Verified::Converged => Some(End::Converged),
            Verified::NotFinite => Some(End::NotFinite),
            Verified::Stagnated => Some(End::Stagnated),
            Verified::GoOn if self.interrupted => Some(End::Interrupted),
            Verified::GoOn => self.has_done_iterations().then_some(End::Iterations),
        };
        self.halting = false;
        self.halted = 0;
        if self.end.is_some() {
            self.spread_max = self.spread_max.max(self.progress().spread());
        }
    }
}
