//! The view Replay: the activities of a real machine's cores, from a recording that a person has
//! dropped on the view, or, without one, those of a virtual machine.

#[cfg(target_family = "wasm")]
mod draw;
pub mod frame;
mod kind;
mod model;
#[cfg(target_family = "wasm")]
mod page;
mod pool;
mod recorded;
mod schedule;
mod source;
mod summary;

#[cfg(target_family = "wasm")]
pub use page::ReplayView;

use crate::files;
use crate::model::Model;
use crate::parameters::Parameters;
use model::ReplayModel;

/// Opens a recording at its beginning.
pub fn open(parameters: &Parameters, file: &[u8]) -> Result<Box<dyn Model>, String> {
    let recorded = match files::unpack(file).into_iter().next() {
        Some(file) => source::recording(file)?,
        None => source::simulated(parameters)?,
    };
    Ok(Box::new(ReplayModel::new(recorded, parameters)?))
}
