//! Memory that this crate's parts are lent, owned by one value each, for hosts with an allocator.
//!
//! Each is as long as the part asks for; nothing else in the crate allocates.

mod capacity;
mod cells;
mod cores;
mod grapevine;
mod machine;
mod measured;
pub mod multigrid;
mod run;
mod sharing;
mod speed_trace;
pub mod timeline;
mod traversal;
mod uts;

pub use capacity::bytes_needed;
pub use cells::{CellMemory, refit};
pub(crate) use cores::OwnedCores;
pub use grapevine::OwnedGrapevineMemory;
pub use machine::OwnedSimulationMemory;
pub use measured::OwnedMeasuredMemory;
pub use run::{OfStencil, OwnedRun, Snapshot};
pub use sharing::{OwnedManager, OwnedWorker, everybody};
pub use speed_trace::{SpeedTrace, lent};
pub use traversal::{OwnedGraph, Survey, breadth_first};
pub use uts::OwnedTree;
