//! The world in which a node decides whether to send a subdomain, the decision written naively from
//! the four steps of DPLB (Zarins & Weiland 2020, section 3.1) and from rule 8, and the one check
//! that compares the core with it. Shares no code with the core.

use std::cmp::{Ordering, Reverse};
use std::fmt;

use tresse_core::balance::Mean;
use tresse_core::balance::dplb::{NodeBalancer, Transfer};
use tresse_core::base::id::{NodeId, SubdomainId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::parts::ownership::{Holding, Link, Owner, Ownership};
use tresse_core::run::{
    Balance, GridSize, Mode, NodeBalance, NodeRule, Nodes, PlbParams, RunConfig,
};

use crate::configurations::{config, iterations};
use crate::world::worker;

/// The time between two looks in every world.
pub const PERIOD: Duration = Duration(10);

/// The state from which a node decides.
#[derive(Clone, Debug)]
pub struct NodeWorld {
    /// The worker of each subdomain; those of a node are consecutive.
    pub owners: Vec<usize>,
    /// Workers of each node.
    pub workers_per_node: usize,
    /// The node that decides.
    pub own: usize,
    /// Known state of each node: the sum of its counts, and their number.
    pub view: Vec<(u64, u64)>,
    /// Difference of the nodes from which on a subdomain is sent.
    pub threshold: u64,
    /// The lower and the upper threshold of a worker.
    pub limits: (u32, u32),
    /// Whether rule 8 holds.
    pub rule: NodeRule,
    /// Seed of the random choice.
    pub seed: u64,
    /// Count of each subdomain that is beside one of another node; none of others.
    pub boundary: Vec<Option<u64>>,
}

/// A decision that is wrong, with the world in which it is.
#[derive(Debug)]
pub struct Wrong {
    /// Description of the fault.
    pub what: String,
    /// The world.
    pub world: Box<NodeWorld>,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  in {:?}", self.what, self.world)
    }
}

/// A fraction of whole numbers, compared exactly whatever their size.
#[derive(Clone, Copy, Debug)]
pub struct Fraction(pub u128, pub u128);

impl Fraction {
    /// Compares by whole parts, then by what is left over, turned upside down.
    ///
    /// # Panics
    /// Where a denominator is zero.
    pub fn compare(self, other: Self) -> Ordering {
        let (Self(a, b), Self(c, d)) = (self, other);
        (a / b).cmp(&(c / d)).then_with(|| match (a % b, c % d) {
            (0, 0) => Ordering::Equal,
            (0, _) => Ordering::Less,
            (_, 0) => Ordering::Greater,
            (left, right) => Self(d, right).compare(Self(b, left)),
        })
    }

    /// Returns the fraction plus a whole number.
    pub fn plus(self, whole: u64) -> Self {
        Self(self.0 + u128::from(whole) * self.1, self.1)
    }
}

impl NodeWorld {
    /// Nodes in all.
    pub fn nodes(&self) -> usize {
        self.view.len()
    }

    /// Returns the node that a subdomain is on.
    pub fn node_of(&self, subdomain: usize) -> usize {
        self.owners[subdomain] / self.workers_per_node
    }

    /// Returns the number of subdomains of a worker.
    fn held(&self, worker: usize) -> usize {
        self.owners.iter().filter(|&&owner| owner == worker).count()
    }

    /// Returns the least updated subdomain of the boundary of this node, of workers that may send.
    fn least_updated(&self) -> Option<usize> {
        let may_go = |id: &usize| {
            self.node_of(*id) == self.own && self.held(self.owners[*id]) > self.limits.0 as usize
        };
        let count = |id| Some((self.boundary.get(id).copied().flatten()?, id));
        let least = (0..self.owners.len()).filter(may_go).filter_map(count).min();
        least.map(|(_, id)| id)
    }

    /// Sums and numbers of the counts on each node, as all of them are now.
    pub fn fresh_view(&self, counts: &[u64]) -> Vec<(u64, u64)> {
        let mut view = vec![(0, 0); self.nodes()];
        for (subdomain, count) in counts.iter().enumerate() {
            let (sum, number) = &mut view[self.node_of(subdomain)];
            (*sum, *number) = (*sum + count, *number + 1);
        }
        view
    }

    /// Returns the run that this is a moment of.
    pub fn config(&self) -> RunConfig {
        let workers = u32::try_from(self.nodes() * self.workers_per_node).unwrap_or(0);
        let grid = GridSize { rows: 1_000, columns: 1_000 };
        let method = (Mode::Async, Balance::None);
        let balance = NodeBalance::Dplb { period: PERIOD, threshold: self.threshold };
        let number = u32::try_from(self.nodes()).unwrap_or(0);
        let (low, high) = self.limits;
        RunConfig {
            nodes: Nodes { number, balance, rule: self.rule, ..Nodes::ONE },
            plb: PlbParams { low, high, ..PlbParams::default() },
            seed: self.seed,
            ..config(grid, (workers, 1), method, iterations(1))
        }
    }

    /// Looks with `balancer` at this world.
    pub fn look(&self, balancer: &mut NodeBalancer, now: Instant) -> Option<Transfer> {
        let workers = self.nodes() * self.workers_per_node;
        let owners: Vec<_> = self.owners.iter().map(|&owner| Owner::of(worker(owner))).collect();
        let mut links = vec![Link::EMPTY; owners.len()];
        let mut holdings = vec![Holding::EMPTY; workers];
        let ownership = Ownership::new(&owners, &mut links, &mut holdings).ok()?;
        let first = self.own * self.workers_per_node;
        let workers: Vec<WorkerId> = (first..first + self.workers_per_node).map(worker).collect();
        let mean = |&(updates, subdomains): &(u64, u64)| Mean { updates, subdomains };
        let view: Vec<Mean> = self.view.iter().map(mean).collect();
        let count = |id: SubdomainId| self.boundary.get(id.index()).copied().flatten();
        balancer.poll(now, &view, &ownership, &workers, count)
    }
}

/// Returns the core's first look.
pub fn core_decision(world: &NodeWorld) -> Option<Transfer> {
    let own = NodeId(u32::try_from(world.own).unwrap_or(u32::MAX));
    let mut balancer = NodeBalancer::new(own, &world.config(), Instant::ZERO);
    world.look(&mut balancer, Instant::ZERO.after(PERIOD))
}

/// Returns the node that one of this node's subdomains is to go to, step by step.
pub fn receiver(world: &NodeWorld) -> Option<usize> {
    // 1. The average number of updates on every node that has any subdomains.
    let known = world.view.iter().enumerate().filter(|(_, (_, number))| *number > 0);
    let averages: Vec<(usize, Fraction)> =
        known.map(|(node, &(sum, number))| (node, Fraction(sum.into(), number.into()))).collect();
    // 2. The highest and the lowest, ties by lowest id, further apart than the threshold?
    let compare = |a: &(usize, Fraction), b: &(usize, Fraction)| a.1.compare(b.1);
    let (lowest, least) = *averages.iter().min_by(|a, b| compare(a, b).then(a.0.cmp(&b.0)))?;
    let (highest, most) =
        *averages.iter().max_by(|a, b| compare(a, b).then(Reverse(a.0).cmp(&Reverse(b.0))))?;
    if most.compare(least.plus(world.threshold)) != Ordering::Greater {
        return None;
    }
    // 3. The least progressed node sends to the one that has advanced the most.
    if lowest != world.own {
        return None;
    }
    let held = (0..world.owners.len()).filter(|&id| world.node_of(id) == world.own).count() as u64;
    let all = |threshold: u32| u64::from(threshold) * world.workers_per_node as u64;
    let (low, high) = world.limits;
    let within_thresholds = match world.rule {
        NodeRule::Settled => held > all(low) && world.view[highest].1 < all(high),
        NodeRule::Boundary => {
            held > all(low) && world.view[highest].1 < all(high) && world.least_updated().is_some()
        }
        NodeRule::Published => held > 0,
    };
    within_thresholds.then_some(highest)
}

/// Compares a decision with the naive one.
pub fn check(world: &NodeWorld, decision: Option<Transfer>) -> Result<(), Wrong> {
    let wrong = |what: String| Err(Wrong { what, world: Box::new(world.clone()) });
    let expected = receiver(world);
    let to = decision.map(|transfer| transfer.to.index());
    if to != expected {
        return wrong(format!("sent to {to:?}, the steps say {expected:?}"));
    }
    let Some(Transfer { subdomain: SubdomainId(id), from, .. }) = decision else { return Ok(()) };
    let is_own = (id as usize) < world.owners.len() && world.node_of(id as usize) == world.own;
    if !is_own || from.index() != world.own {
        return wrong(format!("sent subdomain {id} of node {from}"));
    }
    let owner = world.owners[id as usize];
    let held = world.held(owner);
    if world.rule == NodeRule::Boundary && world.least_updated() != Some(id as usize) {
        return wrong(format!("sent {id}, which is not the least updated of the boundary"));
    }
    if world.rule != NodeRule::Published && held <= world.limits.0 as usize {
        return wrong(format!("left worker {owner} with fewer than it may have"));
    }
    Ok(())
}
