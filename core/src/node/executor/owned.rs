//! The memory of a node, for hosts with an allocator.

use alloc::vec::Vec;
use core::iter::repeat_with;

use super::links::{Links, Neighbour};
use super::members::Member;
use super::memory::{NodeMemory, WorkerMemory};
use super::node::Sweeps;
use super::visits::{Seen, VisitsMemory};
use crate::balance::measured::MeasuredNeeds;
use crate::balance::owned::OwnedMeasuredMemory;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::AtomicU64;
use crate::node::worker::Shares;
use crate::parts::Part;
use crate::parts::ownership::{Holding, Link, Mark, Owner};
use crate::run::{Mode, RunConfig};

/// The memory of a node.
pub struct OwnedNodeMemory<'r, T: Part, const N: usize = 4> {
    owners: Vec<Owner>,
    marks: Vec<Mark>,
    sweeps: Vec<Sweeps>,
    links: Vec<Link>,
    holdings: Vec<Holding>,
    balancer_state: Vec<u64>,
    balancer_scratch: Vec<u64>,
    counts: Vec<u64>,
    worker_updates: Vec<u64>,
    measured: Option<OwnedMeasuredMemory>,
    shares: Vec<Shares<AtomicU64>>,
    visits: Option<OwnedVisitsMemory<'r, T, N>>,
}

struct OwnedVisitsMemory<'r, T: Part, const N: usize> {
    links: Vec<Links<'r, T::Unit, N>>,
    seen: Vec<Seen>,
    halos: Vec<[AtomicU64; N]>,
    at_home: Vec<SubdomainId>,
    starts: Vec<u32>,
}

/// Returns a vector of `number` new elements.
fn new<T>(number: usize, one: impl FnMut() -> T) -> Vec<T> {
    repeat_with(one).take(number).collect()
}

impl<T: Part, const N: usize> OwnedNodeMemory<'_, T, N> {
    /// Allocates the memory of a node with `workers` workers, for a run of `parts` parts on all
    /// nodes.
    pub fn new(config: &RunConfig, parts: usize, workers: usize) -> Self {
        let shared = if config.mode == Mode::Exact { parts } else { 0 };
        Self {
            owners: new(parts, || Owner::of(WorkerId(0))),
            marks: new(workers, Mark::new),
            sweeps: new(workers, Sweeps::default),
            links: new(parts, || Link::EMPTY),
            // One more: of the parts on other nodes.
            holdings: new(workers + 1, || Holding::EMPTY),
            balancer_state: new(workers, || 0),
            balancer_scratch: new(workers, || 0),
            counts: new(parts, || 0),
            worker_updates: new(workers, || 0),
            measured: MeasuredNeeds::of(config).as_ref().map(OwnedMeasuredMemory::new),
            shares: new(shared, Shares::none),
            visits: config.may_visit().then(|| OwnedVisitsMemory::new(parts, workers)),
        }
    }
}

impl<T: Part, const N: usize> OwnedVisitsMemory<'_, T, N> {
    /// Allocates memory for `parts` parts of the run and `workers` workers of the node.
    fn new(parts: usize, workers: usize) -> Self {
        let halo = || AtomicU64::new(0);
        Self {
            links: new(parts, || [const { Neighbour::Nobody }; N]),
            seen: new(workers, Seen::new),
            halos: new(parts, || core::array::from_fn(|_| halo())),
            at_home: new(parts, || SubdomainId(0)),
            starts: new(workers + 1, || 0),
        }
    }
}

impl<'r, T: Part, const N: usize> OwnedNodeMemory<'r, T, N> {
    /// Lends the memory for one run.
    pub fn lend(&mut self) -> NodeMemory<'_, 'r, T, N> {
        NodeMemory {
            owners: &self.owners,
            marks: &self.marks,
            sweeps: &self.sweeps,
            links: &mut self.links,
            holdings: &mut self.holdings,
            balancer_state: &mut self.balancer_state,
            balancer_scratch: &mut self.balancer_scratch,
            counts: &mut self.counts,
            worker_updates: &mut self.worker_updates,
            measured: self.measured.as_mut().map(OwnedMeasuredMemory::lend),
            shares: &self.shares,
            visits: self.visits.as_mut().map(|visits| VisitsMemory {
                links: &mut visits.links,
                seen: &visits.seen,
                halos: &visits.halos,
                at_home: &mut visits.at_home,
                starts: &mut visits.starts,
            }),
        }
    }
}

/// The memory of a worker.
pub struct OwnedWorkerMemory<'r, T: Part, const N: usize = 4> {
    members: Vec<Option<Member<'r, T, N>>>,
    frozen: Vec<Option<SubdomainId>>,
}

impl<'r, T: Part, const N: usize> OwnedWorkerMemory<'r, T, N> {
    /// Allocates the memory of a worker on a node that can have this number of parts.
    pub fn new(parts: usize) -> Self {
        Self { members: new(parts, || None), frozen: new(parts, || None) }
    }

    /// Lends the memory for one run.
    pub fn lend(&mut self) -> WorkerMemory<'_, 'r, T, N> {
        WorkerMemory { members: &mut self.members, frozen: &mut self.frozen }
    }
}
