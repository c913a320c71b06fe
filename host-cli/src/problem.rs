//! What a run solves ([`tresse_core::problem`]), as it is read from files.

mod arrays;
mod error;
mod file;
mod npy;
mod parse;

pub use error::ProblemError;
pub use file::ProblemFile;
pub use npy::NpyError;
pub use tresse_core::problem::{
    AMPLITUDE, Boundary, CellValues, Problem, Profile, side_length, worker_beside_source,
};
