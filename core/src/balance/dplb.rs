//! Progressive load balancing between nodes (Zarins & Weiland 2020, section 3.1).
//!
//! Every node decides for itself, from the means that it last heard of the others: only the node
//! that finds itself the least progressed sends, so that simultaneous decisions of several nodes
//! need no agreement. To test the machinery that moves subdomains, nodes can also send them at
//! random.

use serde::Serialize;

use super::mean::Mean;
use crate::base::bug::OrBug;
use crate::base::id::{NodeId, SubdomainId, WorkerId};
use crate::base::rng::Rng;
use crate::base::time::Instant;
use crate::parts::Graph;
use crate::parts::ownership::Ownership;
use crate::run::{NodeBalance, NodeRule, Nodes, PlbParams, RunConfig};

/// A subdomain that leaves its node for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Transfer {
    /// The subdomain that moves.
    pub subdomain: SubdomainId,
    /// The node that had it.
    pub from: NodeId,
    /// The node that gets it.
    pub to: NodeId,
}

/// Limits on the number of subdomains of a worker and of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Limits {
    /// Number of subdomains at or below which a worker sends none.
    low: u32,
    /// Number of subdomains at or above which a node gets none.
    high: u64,
}

impl Limits {
    /// Returns the limits of the workers' balancer; with the published rule there are none.
    fn new(rule: NodeRule, params: PlbParams, workers: u32) -> Self {
        match rule {
            NodeRule::Settled | NodeRule::Boundary => {
                Self { low: params.low, high: u64::from(params.high) * u64::from(workers) }
            }
            NodeRule::Published => Self { low: 0, high: u64::MAX },
        }
    }
}

/// One node's part of DPLB: its clock, and its decisions which subdomain to send to whom.
#[derive(Clone, Debug)]
pub struct NodeBalancer {
    own: NodeId,
    nodes: Nodes,
    limits: Limits,
    /// Time of the next look.
    next: Instant,
    /// Time before which nothing is sent.
    rested: Instant,
    /// Subdomains that have left, and not arrived.
    in_flight: u32,
    /// Looks made so far.
    looks: u64,
    rng: Rng,
}

impl NodeBalancer {
    /// Returns the balancer of node `own`. It compares the nodes' mean update counts for the first
    /// time one period of the node balancer after `start`.
    pub fn new(own: NodeId, config: &RunConfig, start: Instant) -> Self {
        let nodes = config.nodes;
        let next = nodes.balance.period().map_or(Instant::NEVER, |period| start.after(period));
        let seed = match nodes.balance {
            NodeBalance::Chaos { seed } => seed,
            NodeBalance::None | NodeBalance::Rows | NodeBalance::Dplb { .. } => config.seed,
        };
        Self {
            own,
            nodes,
            limits: Limits::new(nodes.rule, config.plb, config.workers_per_node()),
            next,
            rested: start,
            in_flight: 0,
            looks: 0,
            // Streams of the nodes; 0 is that of the balancer within a node.
            rng: Rng::new(seed, (1 << 32) + u64::from(own.0)),
        }
    }

    /// Returns the time of the next look.
    pub const fn poll_at(&self) -> Instant {
        self.next
    }

    /// Returns the number of looks made so far.
    pub const fn looks(&self) -> u64 {
        self.looks
    }

    /// Returns the number of subdomains that left and have not arrived.
    pub const fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Compares this node with the others, where that is due, and decides whether a subdomain is to
    /// leave: as DPLB says, or, under [`NodeBalance::Chaos`], a random one to a random node.
    ///
    /// `view` has the mean of each node, as this node last heard of it, its own as it is, after
    /// [`count_as_arrived`]. `workers` are this node's; `ownership` has what left no longer with
    /// them, so that nothing is sent twice. `boundary` returns the update count of a subdomain that
    /// is [beside one of another node](boundary_counts), and none of others. The host carries the
    /// transfer out, or calls [`NodeBalancer::arrived`] at once where it cannot.
    pub fn poll(
        &mut self,
        now: Instant,
        view: &[Mean],
        ownership: &Ownership<'_>,
        workers: &[WorkerId],
        boundary: impl Fn(SubdomainId) -> Option<u64>,
    ) -> Option<Transfer> {
        if now < self.next {
            return None;
        }
        self.next = now.after(self.nodes.balance.period()?);
        self.looks += 1;
        if now < self.rested || self.nodes.rule.is_settled() && self.in_flight > 0 {
            return None;
        }
        let (subdomain, to) = match self.nodes.balance {
            NodeBalance::None | NodeBalance::Rows => None,
            NodeBalance::Dplb { threshold, .. } => {
                let to = receiver(view, self.own, threshold, self.limits.high)?;
                let rich = Rich::of(ownership, workers, self.limits.low)?;
                let subdomain = match self.nodes.rule {
                    NodeRule::Boundary => rich.least_updated(boundary),
                    NodeRule::Settled | NodeRule::Published => rich.random(&mut self.rng),
                };
                subdomain.map(|subdomain| (subdomain, to))
            }
            NodeBalance::Chaos { .. } => self.random_any(ownership, workers),
        }?;
        self.in_flight += 1;
        self.rested = now.after(self.nodes.cooldown);
        Some(Transfer { subdomain, from: self.own, to })
    }

    /// Draws any subdomain of the node and any other node; none for the last subdomain of the node.
    fn random_any(
        &mut self,
        ownership: &Ownership<'_>,
        workers: &[WorkerId],
    ) -> Option<(SubdomainId, NodeId)> {
        let number = u32::try_from(held(ownership, workers)).ok()?;
        let others = self.nodes.number.saturating_sub(1);
        if number < 2 || others == 0 {
            return None;
        }
        let chosen = self.rng.below(number);
        let to = self.rng.below(others);
        let to = if to < self.own.0 { to } else { to + 1 };
        let subdomains = workers.iter().flat_map(|&worker| ownership.of(worker));
        Some((nth(subdomains, chosen), NodeId(to)))
    }

    /// Records that one of this node's subdomains has arrived where it was sent.
    pub fn arrived(&mut self) {
        debug_assert!(self.in_flight > 0, "more has arrived than was sent");
        self.in_flight = self.in_flight.saturating_sub(1);
    }
}

/// Returns the subdomain at a place in the lists of some workers.
fn nth(mut subdomains: impl Iterator<Item = SubdomainId>, place: u32) -> SubdomainId {
    subdomains.nth(place as usize).or_bug("workers have fewer subdomains than they count")
}

/// The workers of a node that have more subdomains than they must keep.
struct Rich<'a> {
    ownership: &'a Ownership<'a>,
    workers: &'a [WorkerId],
    low: u32,
}

impl<'a> Rich<'a> {
    /// Returns the workers that may send; none while the node has no more subdomains than all its
    /// workers must keep.
    fn of(ownership: &'a Ownership<'_>, workers: &'a [WorkerId], low: u32) -> Option<Self> {
        // A worker that is left with fewer than the others can be given nothing by the balancer
        // within the node once they are at their lower threshold: what it has would race ahead.
        let may_send = held(ownership, workers) > u64::from(low) * workers.len() as u64;
        may_send.then_some(Self { ownership, workers, low })
    }

    fn workers(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.iter().copied().filter(|worker| self.ownership.held(*worker) > self.low)
    }

    fn subdomains(&self) -> impl Iterator<Item = SubdomainId> {
        self.workers().flat_map(|worker| self.ownership.of(worker))
    }

    /// Draws one of the subdomains of workers that may send; none where they have none.
    fn random(&self, rng: &mut Rng) -> Option<SubdomainId> {
        let number: u64 = self.workers().map(|worker| u64::from(self.ownership.held(worker))).sum();
        if number == 0 {
            return None;
        }
        let chosen = rng.below(u32::try_from(number).ok()?);
        Some(nth(self.subdomains(), chosen))
    }

    /// Returns the least updated of those that have a count here, ties by lowest id; none where
    /// none has.
    fn least_updated(&self, count: impl Fn(SubdomainId) -> Option<u64>) -> Option<SubdomainId> {
        let counted = self.subdomains().filter_map(|id| Some((count(id)?, id)));
        counted.min().map(|(_, id)| id)
    }
}

/// Returns a function that gives the update count of a subdomain of this node that is beside one of
/// another node, and none of other subdomains. `workers` are those of this node.
pub fn boundary_counts<G: Graph<N>, const N: usize>(
    graph: &G,
    ownership: &Ownership<'_>,
    workers: &[WorkerId],
    counts: &[u64],
) -> impl Fn(SubdomainId) -> Option<u64> {
    let is_elsewhere =
        |beside| ownership.owner(beside).is_some_and(|owner| !workers.contains(&owner));
    move |subdomain| {
        let is_beside = graph.neighbours(subdomain).into_iter().flatten().any(is_elsewhere);
        counts.get(subdomain.index()).copied().filter(|_| is_beside)
    }
}

/// Counts subdomains in flight as arrived in the means of the nodes that they are on their way to,
/// where that rule holds (rule 8): without it, several nodes would flood the one that leads, which
/// stays ahead and below its upper threshold until the first of them arrives.
///
/// `view` has the mean of each node over its subdomains, `in_flight` the receiver and the update
/// count of each subdomain that has left one node and is at no other yet. Other nodes say so: a
/// subdomain that goes to a node that is not there is passed over.
pub fn count_as_arrived(
    rule: NodeRule,
    view: &mut [Mean],
    in_flight: impl IntoIterator<Item = (NodeId, u64)>,
) {
    if rule == NodeRule::Published {
        return;
    }
    for (to, count) in in_flight {
        if let Some(mean) = view.get_mut(to.index()) {
            *mean = mean.and(count);
        }
    }
}

/// Returns the number of subdomains of some workers together.
fn held(ownership: &Ownership<'_>, workers: &[WorkerId]) -> u64 {
    workers.iter().map(|&worker| u64::from(ownership.held(worker))).sum()
}

/// Returns the node that gets a subdomain: the most progressed one, if `own` is the least
/// progressed and more than `threshold` updates behind it, and the other has fewer than `high`
/// subdomains (steps 2 and 3). Ties go to the lowest id; nodes without subdomains take no part.
fn receiver(view: &[Mean], own: NodeId, threshold: u64, high: u64) -> Option<NodeId> {
    let [(slow, least), (fast, most)] =
        Mean::extremes((0..).map(NodeId).zip(view.iter().copied()))?;
    (slow == own && most.subdomains < high && least.is_below_by(threshold, most)).then_some(fast)
}

/// Returns the worker that a subdomain which has arrived goes to (step 4): the one with the fewest
/// subdomains, ties by lowest id; none where there are no workers.
pub fn place(ownership: &Ownership<'_>, workers: &[WorkerId]) -> Option<WorkerId> {
    workers.iter().copied().min_by_key(|&worker| (ownership.held(worker), worker))
}
