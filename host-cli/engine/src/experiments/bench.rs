//! Measurements of single pieces: the kernel, a balancing round, the engine; and of predictions.

pub mod engine;
mod grid;
pub mod kernel;
pub mod prediction;
pub mod round;
pub mod vm;

pub use grid::BareGrid;
