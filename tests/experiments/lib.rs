//! Small virtual experiments whose every number is pinned.
//!
//! The same code runs natively and, compiled for a browser, in an interpreter; the results must be
//! the same to the bit. Nothing here depends on a mathematical library or on the processor.

mod balancing;
mod configuration;
mod run;

// The hosts' memory of a machine and of cells, which need nothing of the host.
#[path = "../../host-cli/src/cells.rs"]
#[expect(dead_code, reason = "the layouts are for runs on threads")]
mod cells;
#[path = "../../host-cli/src/simulation/memory.rs"]
pub mod memory;

pub use configuration::{Experiment, experiment, experiments};
pub use run::{Row, row};

/// The hash of one experiment's row; 0 where there is no such experiment.
#[expect(unsafe_code, reason = "a name that the interpreter finds")]
#[unsafe(no_mangle)]
pub extern "C" fn hash_of_experiment(number: u32) -> u64 {
    let found = experiments().into_iter().nth(number as usize);
    found.map_or(0, |experiment| row(&experiment).map_or(0, |row| row.hash()))
}
