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
    /// Whose each part is, by part.
    pub owners: &'m [Owner],
    /// By worker; new ones.
    pub marks: &'m [Mark],
    /// By worker; new ones.
    pub sweeps: &'m [Sweeps],
    /// Lists of who has what, by part.
    pub links: &'m mut [Link],
    /// The same, by worker, and among several nodes one more for what is elsewhere.
    pub holdings: &'m mut [Holding],
    /// Zeros by worker.
    pub kept: &'m mut [u64],
    /// By worker.
    pub room: &'m mut [u64],
    /// Zeros by part.
    pub counts: &'m mut [u64],
    /// By worker.
    pub worker_updates: &'m mut [u64],
    /// For a balancer that goes by times
    /// ([`MeasuredNeeds`](crate::balance::measured::MeasuredNeeds)).
    pub measured: Option<Measured<'m>>,
    /// By part, and new ones, in the exact mode.
    pub shares: &'m [Shares<AtomicU64>],
    /// Where parts may stay at home ([`RunConfig::may_visit`](crate::run::RunConfig::may_visit)).
    pub visits: Option<VisitsMemory<'m, 'r, T, N>>,
}

/// The memory of a worker.
pub struct WorkerMemory<'m, 'r, T: Part, const N: usize = 4> {
    /// A place for each part that can be here.
    pub members: &'m mut [Option<Member<'r, T, N>>],
    /// The same.
    pub frozen: &'m mut [Option<SubdomainId>],
}
