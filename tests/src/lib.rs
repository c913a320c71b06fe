//! Shared pieces of the test suites: a naive oracle beside each decision, the worlds that they are
//! compared in, and the steps that lead from one world to the next; small problems, a serial
//! reference, what must hold for recorded runs, and load traces.

#![cfg(not(loom))]

pub mod audit;
#[cfg(feature = "c-kernel")]
pub mod c_kernel;
pub mod checkpoint_files;
pub mod choices;
pub mod direct;
pub mod fuzzing;
pub mod grapevine;
pub mod load_trace_files;
pub mod migration;
pub mod mpi;
pub mod node_world;
pub mod oracle;
pub mod output_files;
pub mod placement;
pub mod policies;
pub mod problem_files;
pub mod problems;
pub mod program;
pub mod recording;
pub mod reference;
pub mod sharing;
pub mod simulated;
pub mod skip;
pub mod small;
pub mod small_disk;
pub mod step;
pub mod symbols;
pub mod world;
