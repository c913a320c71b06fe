//! Problems ([`tresse_core::problem`]) as people write them: TOML, and arrays in `.npy` files.

mod arrays;
mod error;
mod field_name;
mod file;
mod npy;
mod parse;

pub use error::ProblemError;
pub use field_name::FieldName;
pub use file::ProblemFile;
pub use npy::NpyError;
