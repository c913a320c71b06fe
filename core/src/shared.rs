//! Memory that threads touch together: the owners of subdomains, the hand-over of subdomains and of their copies, the
//! barrier of the synchronous mode, the turns of a pool's managers, and the rows of multigrid's levels. Published edges are
//! in [`halo`](crate::halo).
//!
//! All of it is lock-free, and safe code over atomics but for `handover` and `lent_rows`, which lend out what they guard.
//! Under `cfg(loom)` the same code runs on loom's atomics.
//!
//! The pieces need 64-bit atomics, so small microcontrollers do without this module; they have no
//! threads to share with.

mod assignment;
mod barrier;
mod combiner;
mod copies;
mod handover;
mod lent_rows;

pub use crate::sync::{AtomicF32, AtomicF64};
pub use assignment::{Assignment, DirtyMark};
pub use barrier::Barrier;
pub use combiner::Combiner;
pub use copies::{Copies, Pairs, Sweep};
pub use handover::{Handover, Held, Read};
pub use lent_rows::{LentRows, MOST_READERS, RowStates, RowsRead, RowsWritten};
