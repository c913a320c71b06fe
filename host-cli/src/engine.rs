//! Runs: on pinned [`threads`], and as a [`simulation`] in virtual time ([`tresse_engine`]); pools
//! of tasks are in `tresse_tasks`, the clock and the threads of all of them in [`tresse_platform`].

pub use tresse_engine::{
    checkpoints, error_estimate, iteration, kernel, multigrid, recorder, simulation, solution,
    solver, solvers, threads, virtual_multigrid,
};
pub use tresse_platform::{clock, pinned};
#[cfg(feature = "tasks")]
pub use tresse_tasks::{hashes, pool, traversal, virtual_pool};
