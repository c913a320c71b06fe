//! Balancing objects on this machine: memory and threads for the core's balancers of loads.

mod measured;
mod memory;
mod threads;

pub use measured::MeasuredMemory;
pub use memory::GrapevineMemory;
pub use threads::Rayon;
