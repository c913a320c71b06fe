//! Helpers of the tests of the core's decisions: a naive oracle beside each decision, the worlds that
//! they are compared in, and the steps that lead from one world to the next.
//!
//! Nothing here knows of a host, so that these tests are compiled within seconds.

#![cfg(not(loom))]

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

/// The error of a test.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
