//! Memory that the virtual machine is lent, and what lasts from one run to the next, for hosts with
//! an allocator.

mod cores;
mod machine;
mod run;
mod speed_trace;
pub mod timeline;
mod virtual_threads;

pub(crate) use cores::OwnedCores;
pub use machine::OwnedSimulationMemory;
pub use run::{OfStencil, OwnedRun, Snapshot};
pub use speed_trace::{SpeedTrace, lent};
pub use virtual_threads::{VirtualClock, VirtualThreads};
