//! The view Race: up to four methods side by side, on the same machine and beside the same noise,
//! in lock step of virtual time.

pub mod frame;
mod model;
#[cfg(target_family = "wasm")]
mod page;
mod settings;

#[cfg(target_family = "wasm")]
pub use page::RaceView;
pub use settings::{LANES, method_of};

use crate::model::Model;
use crate::parameters::Parameters;
use model::RaceModel;

/// Opens all runs at their beginning.
pub fn open(parameters: &Parameters, _file: &[u8]) -> Result<Box<dyn Model>, String> {
    Ok(Box::new(RaceModel::new(parameters)?))
}
