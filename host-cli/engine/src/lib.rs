//! Runs: on pinned [`threads`], and as a [`simulation`] in virtual time; what they read, leave and
//! tell.
//!
//! # Map
//!
//! - [`solver`] is the way in: it takes the engine that the configuration asks for ([`solvers`]),
//!   and hands back a [`solution`].
//! - [`iteration`] is a run of parts of one's own.
//! - [`multigrid`] is the other method than sweeps, on the same threads or in virtual time
//!   ([`virtual_multigrid`]). [`kernel`] is the sweep as this processor does it best.
//! - [`recorder`] takes samples of a run, [`checkpoints`] keep its state, and [`error_estimate`]
//!   says how far its field is from the solution.
//! - [`files`]: what a run reads and leaves: problems, recordings, checkpoints. What is in them, as
//!   bytes, is in [`tresse_files`].
//! - Behind the feature `program`: the `commands` of runs and of this machine; `report`, what
//!   people and scripts are told; and `experiments`, which calibrate, measure and compare.
//!   [`wording`] names flags in errors.

pub mod checkpoints;
#[cfg(feature = "program")]
pub mod commands;
pub mod error_estimate;
#[cfg(feature = "program")]
pub mod experiments;
pub mod files;
pub mod iteration;
pub mod kernel;
pub mod multigrid;
pub mod recorder;
#[cfg(feature = "program")]
pub mod report;
pub mod simulation;
pub mod solution;
pub mod solver;
pub mod solvers;
mod synchronous;
pub mod threads;
pub mod virtual_multigrid;
mod virtual_nodes;
pub mod wording;
