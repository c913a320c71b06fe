//! The view Solve: one run in virtual time, whose cores a person slows down while it goes.

mod books;
pub mod frame;
mod kept;
mod model;
#[cfg(target_family = "wasm")]
pub mod page;
mod settings;
pub mod track;

#[cfg(target_family = "wasm")]
pub use page::SolveView;
pub use settings::{command_line, run_of, sentence};

use tresse_core::run::Precision;

use crate::model::Model;
use crate::parameters::Parameters;
use model::SolveModel;

/// The run of these parameters at its beginning.
pub fn open(parameters: &Parameters, _file: &[u8]) -> Result<Box<dyn Model>, String> {
    open_one_of(parameters, 1)
}

/// The same, as one of some runs that share the memory of the page.
pub fn open_one_of(parameters: &Parameters, runs: usize) -> Result<Box<dyn Model>, String> {
    let run = run_of(parameters, runs)?;
    let command = command_line(parameters);
    Ok(match run.config.precision {
        Precision::F32 => Box::new(SolveModel::<f32>::new(run, command, runs)?),
        Precision::F64 => Box::new(SolveModel::<f64>::new(run, command, runs)?),
    })
}
