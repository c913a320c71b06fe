//! What a run shows of itself.

use super::numbers::{NONE, subdomain};
use super::simulation::Simulation;
use crate::balance::Balancer;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::time::Instant;
use crate::node::Visitor;
use crate::node::worker::{Residuals, Sum};
use crate::parts::{Graph, Part};
use crate::run::progress::{Progress, Staleness};
use crate::run::{Chosen, End};
use crate::sim::speed::part;

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimulationOutcome {
    /// Reason for the end.
    pub end: End,
    /// Time of the end.
    pub at: Instant,
    /// Sum of squares of the residual before the first sweep.
    pub initial: f64,
    /// Last published sum of squares when a look at a consistent state was asked for.
    pub detected: Option<f64>,
    /// Sum of squares on the last consistent state.
    pub verified: f64,
}

/// Time that one source of noise has taken from one core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseTaken {
    /// The core, counted over all sockets and nodes.
    pub core: u32,
    /// Place of the source in the configuration's list.
    pub source: usize,
    /// Share of the core's time that it has taken so far, from 0 to 1.
    pub share: f64,
}

impl<T: Part, G: Graph<N>, const N: usize> Simulation<'_, '_, T, G, N> {
    /// Returns the time of the last event.
    pub const fn now(&self) -> Instant {
        self.state.now
    }

    /// Returns the outcome of the run; none while it goes on.
    pub fn outcome(&self) -> Option<SimulationOutcome> {
        self.state.end.map(|end| SimulationOutcome {
            end,
            at: self.state.now,
            initial: self.state.initial,
            detected: self.state.detection.detected(),
            verified: self.state.verified,
        })
    }

    /// Returns the update count of each subdomain.
    pub fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.subdomains.iter().map(|subdomain| subdomain.version)
    }

    /// Returns the progress of all subdomains.
    pub fn progress(&self) -> Progress {
        Progress::of(self.counts())
    }

    /// Returns the sum of squares of the residual before the first sweep.
    pub const fn initial_residual(&self) -> f64 {
        self.state.initial
    }

    /// Returns the sum of squares of the published residuals.
    pub fn published_residual(&self) -> f64 {
        self.residuals.iter().sum()
    }

    /// Returns the last residual that is known of one version of all parts: in the exact mode,
    /// while everybody goes on; in others none.
    pub fn known_residual(&self) -> Option<Sum> {
        self.state.versions.as_ref().and_then(Residuals::known)
    }

    /// Returns the sum of squares of each part's residual as it was last published.
    pub fn residuals(&self) -> &[f64] {
        self.residuals.as_slice()
    }

    /// Returns the staleness of the halos that were read.
    pub const fn staleness(&self) -> Staleness {
        self.state.staleness
    }

    /// Returns the largest spread that workers have seen in their turns.
    pub const fn spread_max(&self) -> u64 {
        self.state.detection.spread_max()
    }

    /// Returns the number of subdomains that changed their owner on a node.
    pub fn moves(&self) -> u64 {
        self.balancers().map(Balancer::moves).sum()
    }

    /// Returns the number of subdomains that arrived on another node.
    pub const fn transfers(&self) -> u64 {
        self.state.transfers
    }

    /// Returns the number of balancing rounds on nodes.
    pub fn rounds(&self) -> u64 {
        self.balancers().map(Balancer::rounds).sum()
    }

    /// Returns the parameters that the balancer of the first node has arrived at, where it derives
    /// them.
    pub fn chosen(&self) -> Option<Chosen> {
        self.balancers().next().and_then(Balancer::chosen)
    }

    pub(super) fn balancers(&self) -> impl Iterator<Item = &Balancer> {
        self.nodes.iter().filter_map(|node| node.balancer.as_ref())
    }

    /// Whether subdomains are claimed for one sweep at a time, from the beginning on or by now
    /// ([`RunConfig::may_switch`](crate::run::RunConfig::may_switch)).
    pub fn visits(&self) -> bool {
        self.state.control.visits()
    }

    /// Returns the number of sweeps.
    pub const fn updates(&self) -> u64 {
        self.state.updates
    }

    /// Returns the number of sweeps of subdomains at home with another worker, where subdomains are
    /// claimed for one sweep at a time ([`RunConfig::visits`](crate::run::RunConfig::visits)).
    pub const fn away(&self) -> u64 {
        self.state.away
    }

    /// Returns the number of sweeps that another worker was stuck in, and which the one that helped
    /// was done with first.
    pub const fn helped(&self) -> u64 {
        self.state.helped
    }

    /// Returns the most sweeps for which a worker claims a subdomain ([`Visitor::sweeps_a_claim`]);
    /// 0 where subdomains are kept.
    pub fn sweeps_a_claim(&self) -> u32 {
        let visitors = self.visits.iter().flat_map(|visits| visits.visitors.iter());
        visitors.map(Visitor::sweeps_a_claim).max().unwrap_or(0)
    }

    /// Returns the owner of a subdomain; beyond the workers' numbers while it is in flight to
    /// another node.
    pub fn owner(&self, subdomain: SubdomainId) -> Option<WorkerId> {
        self.ownership.owner(subdomain)
    }

    /// Returns the number of subdomains that a worker owns.
    pub fn held(&self, worker: WorkerId) -> u32 {
        self.ownership.held(worker)
    }

    /// Returns the subdomain that a worker is sweeping.
    pub fn sweeping(&self, worker: WorkerId) -> Option<SubdomainId> {
        self.workers
            .states
            .as_slice()
            .get(worker.index())
            .and_then(|state| subdomain(state.current))
    }

    /// Returns the working set of a worker, in ascending order.
    pub fn working_set(&self, worker: WorkerId) -> impl Iterator<Item = SubdomainId> + '_ {
        let first =
            self.workers.states.as_slice().get(worker.index()).map_or(NONE, |state| state.first);
        let known = subdomain;
        core::iter::successors(known(first), move |&id| known(self.subdomains[id].next))
    }

    /// Returns the parts, in the order of their numbers.
    pub fn parts(&self) -> &[T] {
        self.parts.as_slice()
    }

    /// Calls `out` for each source of noise that the configuration names, on each core that it
    /// slows.
    pub fn noise_taken(&mut self, mut out: impl FnMut(NoiseTaken)) {
        let background = self.hardware.background.len();
        for (worker, state) in (0..).map(WorkerId).zip(self.workers.states.iter()) {
            let numbers =
                (0..).zip(&self.config.noise).filter(|(_, noise)| self.places.is_on(worker, noise));
            let mut numbers = numbers.map(|(number, _)| number);
            let intervened = self.intervened.get(worker.index());
            let mut time = intervened.map_or(self.state.now.0, |state| state.left(self.state.now));
            for (index, source) in (0..).zip(part(self.slowdowns, state.slowdowns)) {
                let left = source.left(time);
                if index >= background
                    && let Some(number) = numbers.next()
                {
                    let share = time.saturating_sub(left) as f64 / (self.state.now.0.max(1)) as f64;
                    out(NoiseTaken { core: self.places.core(worker), source: number, share });
                }
                time = left;
            }
        }
    }
}
