//! Helpers of the tests of the core's decisions: a naive oracle beside each decision, the worlds
//! that they are compared in, and the steps that lead from one world to the next.
//!
//! Nothing here knows of a host, so that these tests are compiled within seconds.

#![cfg(not(loom))]

use std::hash::{DefaultHasher, Hash, Hasher as _};

pub mod choices;
pub mod configurations;
pub mod grapevine;
pub mod migration;
pub mod multigrid;
pub mod node_world;
pub mod oracle;
pub mod placement;
pub mod policies;
pub mod sharing;
pub mod simulated;
pub mod small;
pub mod step;
pub mod visits;
pub mod world;

/// Returns a number that stands for a value: the same in every run, and for equal values.
pub fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The error of a test.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
