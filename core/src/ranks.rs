//! Several nodes, each with a memory of its own: what a rank reads of the others, and how parts
//! move between them (Zarins & Weiland 2020, section 3.2).
//!
//! A rank never waits for another, and never trusts what it reads: each call goes as far as it
//! goes. Read `Transport` first, which puts and gets words, then `Rank`; both need 64-bit atomics.
//!
//! `Links` follow the neighbours on other ranks with one [`Reader`](crate::parts::halo::Reader)
//! each, and show the workers their newest edges. `Moving` has a rank's
//! [`Sender`](migration::Sender) and [`Receiver`](migration::Receiver), and drives both by the
//! words that it finds. `View` has what the other ranks tell of their progress in their
//! `RankRecord`s, and [`Halts`](crate::node::worker::Halts) says when all halt together. A `Rank`
//! is all of these, and its `Cadence` says when it exchanges with the others; it does what is due
//! in a turn of one of its workers, and, while all are halted, what all ranks do in `Rounds`. A
//! rank's workers and cells are its `Home`.
//!
//! A transport promises very little, so that the same code runs over MPI, over one that is hostile,
//! and under a model checker: a word is read and written whole; what is got of several words is of
//! no one moment, and comes at any time later; what is put is seen at any time later. Cells are
//! taken by their checksum alone. The one order that is needed: when a word is put to another rank,
//! everything that this rank has stored before is there for whoever has seen that word. Where that
//! is broken, a packet's checksum says so, and what was offered is refused.

#[cfg(target_has_atomic = "64")]
mod cadence;
#[cfg(target_has_atomic = "64")]
mod links;
pub mod migration;
#[cfg(target_has_atomic = "64")]
mod moving;
#[cfg(target_has_atomic = "64")]
mod rank;
#[cfg(target_has_atomic = "64")]
mod record;
#[cfg(target_has_atomic = "64")]
mod transport;
#[cfg(target_has_atomic = "64")]
mod view;

#[cfg(target_has_atomic = "64")]
pub use cadence::Cadence;
#[cfg(target_has_atomic = "64")]
pub use links::{Coming, GhostView, GhostViews, Link, LinkOf, Links, LinksOf, Tally};
#[cfg(target_has_atomic = "64")]
pub use moving::{Fetch, Home, Moving, MovingOf};
#[cfg(target_has_atomic = "64")]
pub use rank::{Exchanged, Own, Rank};
#[cfg(target_has_atomic = "64")]
pub use record::{RankRecord, RecordWords};
#[cfg(target_has_atomic = "64")]
pub use transport::{CellsAt, Place, Transport};
#[cfg(target_has_atomic = "64")]
pub use view::{Seen, SeenOf, View, ViewOf, head_in_overview};
