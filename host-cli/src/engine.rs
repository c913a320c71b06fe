//! Runs: on pinned [`threads`], and as a [`simulation`] in virtual time.
//!
//! [`solver`] is the way in: it takes the engine that the configuration asks for ([`solvers`]), and
//! hands back a [`solution`]. [`multigrid`] is the other method than sweeps, on the same threads or
//! in virtual time ([`virtual_multigrid`]). [`kernel`] is the sweep as this processor does it best,
//! and [`pinned`] the threads of all of them. Pools of tasks are in `tresse_tasks`.

pub mod checkpoints;
pub mod error_estimate;
pub mod kernel;
pub mod multigrid;
pub mod recorder;
pub mod simulation;
pub mod solution;
pub mod solver;
pub mod solvers;
mod synchronous;
pub mod threads;
pub mod virtual_multigrid;
mod virtual_nodes;

pub use tresse_platform::{clock, pinned};
#[cfg(feature = "tasks")]
pub use tresse_tasks::{hashes, pool, traversal, virtual_pool};
