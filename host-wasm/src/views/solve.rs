//! The view Solve: one run in virtual time, whose cores a person can slow down while it goes on.

mod activity_log;
pub mod frame;
mod look;
mod model;
#[cfg(target_family = "wasm")]
pub mod page;
mod run;
mod scene;
mod settings;
mod snapshots;
mod tables;
pub mod track;

#[cfg(target_family = "wasm")]
pub use page::SolveView;
pub use settings::{command_line, run_of, sentence};

use crate::model::Model;
use crate::parameters::Parameters;
use model::SolveModel;

/// Opens the run of these parameters at its beginning.
pub fn open(parameters: &Parameters, _file: &[u8]) -> Result<Box<dyn Model>, String> {
    open_one_of(parameters, 1)
}

/// Opens the run of these parameters at its beginning, as one of `runs` that share the memory of
/// the page.
pub fn open_one_of(parameters: &Parameters, runs: usize) -> Result<Box<dyn Model>, String> {
    let run = run_of(parameters, runs)?;
    Ok(Box::new(SolveModel::new(run, command_line(parameters), runs)?))
}
