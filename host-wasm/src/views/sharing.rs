//! The view Sharing: a pool of tasks in virtual time, two methods side by side, on a tree that
//! grows as it is searched.

pub mod frame;
mod grow;
mod model;
#[cfg(target_family = "wasm")]
mod page;
mod settings;

#[cfg(target_family = "wasm")]
pub use page::SharingView;

use crate::model::Model;
use crate::parameters::Parameters;
use model::SharingModel;

/// Opens both pools before their first task.
pub fn open(parameters: &Parameters, _file: &[u8]) -> Result<Box<dyn Model>, String> {
    Ok(Box::new(SharingModel::new(parameters)?))
}
