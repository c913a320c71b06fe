//! Memory that threads touch together: the owners of subdomains, who has which subdomain and which
//! of its copies, and the barrier of the synchronous mode. Published edges are in
//! [`halo`](crate::parts::halo).
//!
//! All of it is lock-free, and safe code over atomics but for `claim`, which reaches what it
//! guards. Under `cfg(loom)` the same code runs on loom's atomics.
//!
//! The pieces need 64-bit atomics, so small microcontrollers do without this module; they have no
//! threads to share with.

mod assignment;
mod barrier;
mod claim;
mod copies;
#[cfg(all(test, not(loom)))]
mod tests;

pub use assignment::Assignment;
pub use barrier::Barrier;
pub use claim::{Claim, Claims, Grip};
pub use copies::{Copies, Pairs, Swept};
