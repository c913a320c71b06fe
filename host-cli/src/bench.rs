//! Measurements of single pieces: the kernel, a balancing round, the engine.

pub mod engine;
mod grid;
pub mod kernel;
pub mod round;

pub use grid::BareGrid;
