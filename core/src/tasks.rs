//! Pools of tasks that workers share, where nobody knows before how much there is to do.
//!
//! Nothing here is iterated, and nothing knows of parts or fields. Workers and managers are state
//! machines: messages in, messages out. Who carries messages, and when, is a driver's affair.
//!
//! Read [`sharing::Work`] first, then [`sharing::Worker`].
//!
//! | file | what is in it |
//! |---|---|
//! | [`sharing`] | the pool: release, ask, speculate, commit and roll back |
//! | [`uts`] | unbalanced tree search, as work for a pool |
//! | [`traversal`] | depth-first traversal of a graph, as work for a pool |
//! | `combiner` | one at a time does what many ask for |
//! | `owned` | memory of workers, managers, graphs and trees (with `alloc`) |

#[cfg(target_has_atomic = "64")]
mod combiner;
#[cfg(feature = "alloc")]
pub mod owned;
pub mod sharing;
pub mod traversal;
pub mod uts;

#[cfg(target_has_atomic = "64")]
pub use combiner::Combiner;
