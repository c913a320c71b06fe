//! Small virtual experiments whose every number is pinned.
//!
//! The same code runs natively and, compiled for a browser, in an interpreter; the results must be
//! the same to the bit. Nothing here depends on a mathematical library or on the processor.

mod configuration;
mod run;

pub use configuration::{Experiment, experiment, experiments};
pub use run::{Row, row};

/// The hash of one experiment's row; 0 where there is no such experiment.
#[expect(unsafe_code, reason = "a name that the interpreter finds")]
#[unsafe(no_mangle)]
pub extern "C" fn hash_of_experiment(number: u32) -> u64 {
    let found = experiments().into_iter().nth(number as usize);
    found.map_or(0, |experiment| row(&experiment).map_or(0, |row| row.hash()))
}
