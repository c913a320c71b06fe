//! The view Grapevine: gossip load balancing by the criteria 6 and 6' side by side, iteration by
//! iteration, of drawn objects or of a load trace that a person has dropped on it.

pub mod frame;
mod model;
#[cfg(target_family = "wasm")]
mod page;
mod run;
mod settings;

#[cfg(target_family = "wasm")]
pub use page::GrapevineView;

use crate::files;
use crate::model::Model;
use crate::parameters::Parameters;
use model::GrapevineModel;

/// Opens both runs before their first iteration.
pub fn open(parameters: &Parameters, file: &[u8]) -> Result<Box<dyn Model>, String> {
    Ok(Box::new(GrapevineModel::new(parameters, files::unpack(file))?))
}
