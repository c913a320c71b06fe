//! Problems ([`tresse_core::field::problem`]) as people write them: TOML, and arrays in `.npy`
//! files.

mod arrays;
mod error;
mod file;
mod mask;
mod npy;
mod parse;

pub use crate::field_name::FieldName;
pub use arrays::{Loss, vector};
pub use error::ProblemError;
pub use file::{Built, ProblemFile};
pub use npy::NpyError;
