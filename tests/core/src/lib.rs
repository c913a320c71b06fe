//! Helpers of the tests of the core's decisions: a naive oracle beside each decision, the worlds
//! that they are compared in, and the steps that lead from one world to the next.
//!
//! Nothing here knows of a host, so that these tests are compiled within seconds. Under `cfg(loom)`
//! only [`node_life`] is here.

use std::hash::{DefaultHasher, Hash, Hasher as _};

#[cfg(not(loom))]
pub mod choices;
#[cfg(not(loom))]
pub mod configurations;
#[cfg(not(loom))]
pub mod explorer;
#[cfg(not(loom))]
pub mod grapevine;
#[cfg(not(loom))]
pub mod migration;
#[cfg(not(loom))]
pub mod multigrid;
pub mod node_life;
#[cfg(not(loom))]
pub mod node_world;
#[cfg(not(loom))]
pub mod number;
#[cfg(not(loom))]
pub mod oracle;
#[cfg(not(loom))]
pub mod placement;
#[cfg(not(loom))]
pub mod policies;
#[cfg(not(loom))]
pub mod sharing;
#[cfg(not(loom))]
pub mod simulated;
#[cfg(not(loom))]
pub mod small;
#[cfg(not(loom))]
pub mod visits;
#[cfg(not(loom))]
pub mod world;

/// Returns a number that stands for a value: the same in every run, and for equal values.
pub fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The error of a test.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
