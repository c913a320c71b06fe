//! Measurements of single pieces: the kernel, a balancing round, the engine.

mod grid;
pub mod kernel;

pub use grid::BareGrid;
