//! Tresse across MPI ranks. [Clusters](guide::clusters) is the page for those who use the program.
//!
//! # Map
//!
//! - [`mpi`]: how a process enters MPI, the window through which ranks read each other, and what
//!   the launcher, the library and the nodes are like.
//! - [`mod@rank`]: one rank of a run: its memory, its workers, the other ranks, checkpoints, and
//!   the baseline that sends messages.
//! - `run`: [`run()`], an iteration of one's own on a communicator of one's own.
//! - [`commands`]: the command line, a file for each subcommand, and the report of all ranks.

pub mod commands;
pub mod guide;
pub mod mpi;
pub mod rank;
mod run;

pub use mpi::initialize;
pub use run::{Access, Iterated, RunError, gather, run, run_with};
