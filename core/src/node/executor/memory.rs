//! The memory that a node is lent, in one bundle.

use crate::balance::measured::Measured;
use crate::base::id::SubdomainId;
use crate::base::sync::AtomicU64;
use crate::node::worker::Shares;
use crate::parts::Part;
use crate::parts::ownership::{Holding, Link, Mark, Owner};

use super::members::Member;
use super::node::Sweeps;
use super::visits::VisitsMemory;

/// The memory of a node. What is *by part* has a place for each part of the run, here or not; what
/// is *by worker* has one for each worker of the node. Contents do not matter, unless said.
pub struct NodeMemory<'m, 'r, T: Part, const N: usize = 4> {
    /// The owner of each part, by part.
    pub owners: &'m [Owner],
    /// The marks of changed working sets, by worker; new ones.
    pub marks: &'m [Mark],
    /// The sweep counters, by worker; new ones.
    pub sweeps: &'m [Sweeps],
    /// The linked lists of each worker's parts, by part.
    pub links: &'m mut [Link],
    /// The heads of these lists, by worker, and among several nodes one more for what is on others.
    pub holdings: &'m mut [Holding],
    /// The balancer's state from round to round, by worker; zeros.
    pub balancer_state: &'m mut [u64],
    /// The balancer's scratch memory within a round, by worker.
    pub balancer_scratch: &'m mut [u64],
    /// A snapshot of the update counts, by part; zeros.
    pub counts: &'m mut [u64],
    /// A snapshot of the sweep counters, by worker.
    pub worker_updates: &'m mut [u64],
    /// Measured sweep times, for a balancer that uses them
    /// ([`MeasuredNeeds`](crate::balance::measured::MeasuredNeeds)).
    pub measured: Option<Measured<'m>>,
    /// The shares of the residuals of versions, by part, in the exact mode; new ones.
    pub shares: &'m [Shares<AtomicU64>],
    /// Memory for parts that may stay at home
    /// ([`RunConfig::may_visit`](crate::run::RunConfig::may_visit)).
    pub visits: Option<VisitsMemory<'m, 'r, T, N>>,
}

/// The memory of a worker.
pub struct WorkerMemory<'m, 'r, T: Part, const N: usize = 4> {
    /// A place for each part that can be in this process.
    pub members: &'m mut [Option<Member<'r, T, N>>],
    /// A place for each part that can be in this process.
    pub frozen: &'m mut [Option<SubdomainId>],
}
