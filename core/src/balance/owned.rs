//! Memory that balancers are lent, for hosts with an allocator.

mod grapevine;
mod measured;

pub use grapevine::OwnedGrapevineMemory;
pub use measured::OwnedMeasuredMemory;
