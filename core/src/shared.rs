//! What threads touch together: published edges and counts, the hand-over of subdomains, and the
//! barrier of the synchronous mode.
//!
//! All of it is lock-free, and safe code over atomics but for two files, the only ones of this crate
//! with `unsafe`: `handover` lends out what it guards, and `row` reads many words at once. Under
//! `cfg(loom)` the same code runs on loom's atomics.
//!
//! The pieces need 64-bit atomics, so small microcontrollers do without this module; they have no
//! threads to share with.

mod assignment;
mod barrier;
mod edge;
mod handover;
mod label;
mod mirror;
mod publication;
mod row;
mod shared_real;
mod sync;
#[cfg(all(test, not(loom)))]
mod tests;

pub use assignment::{Assignment, DirtyMark};
pub use barrier::Barrier;
pub use edge::{EdgeReader, EdgeWriter};
pub use handover::{Handover, Held};
pub use label::{BufferFormat, LABEL_WORDS, accept};
pub use mirror::{Edges, Mirror};
pub use publication::{EDGE_BUFFERS, HEAD_WORDS, Head, Publication, head};
pub use shared_real::SharedReal;
pub use sync::{AtomicF32, AtomicF64};
pub(crate) use sync::{AtomicU64, Ordering};
