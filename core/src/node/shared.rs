//! Memory that threads touch together: the owners of subdomains, the hand-over of subdomains and of
//! their copies, and the barrier of the synchronous mode. Published edges are in
//! [`halo`](crate::parts::halo).
//!
//! All of it is lock-free, and safe code over atomics but for `handover`, which lends out what it
//! guards. Under `cfg(loom)` the same code runs on loom's atomics.
//!
//! The pieces need 64-bit atomics, so small microcontrollers do without this module; they have no
//! threads to share with.

mod assignment;
mod barrier;
mod copies;
mod handover;
#[cfg(all(test, not(loom)))]
mod tests;

pub use assignment::Assignment;
pub use barrier::Barrier;
pub use copies::{Copies, Pairs, Sweep};
pub use handover::{Handover, Held, Read};
