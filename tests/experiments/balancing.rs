//! The hosts' memory of balancers, which needs nothing of the host.

#[path = "../../host-cli/src/balancing/memory.rs"]
mod grapevine;
#[path = "../../host-cli/src/balancing/measured.rs"]
mod measured;

pub use grapevine::GrapevineMemory;
pub use measured::MeasuredMemory;
