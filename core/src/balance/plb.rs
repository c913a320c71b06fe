//! Progressive load balancing on one node (Zarins & Weiland 2017).
//!
//! Every function takes a snapshot of the update counts, works on the live ownership, and hands
//! each [`Move`](crate::parts::ownership::Move) that it has made to `out`. A subdomain moves at
//! most once a round, and a call costs one pass over the subdomains, not a sort of them.

mod algorithm;
mod ends;
mod predecessors;
mod sockets;
mod stuck;

pub use algorithm::joint;
pub(super) use ends::count_of;
pub use predecessors::{gradient, swap};
pub use sockets::{exchange, joint_within, split};
pub use stuck::{Stuck, stuck};
