//! One rank among others: what it reads of them, and how parts move between them, over a [`Transport`]
//! that puts and gets words (Zarins & Weiland 2020, section 3.2).
//!
//! [`Links`] follow the neighbours on other ranks with one [`Reader`](crate::halo::Reader) each, and show the
//! workers their newest edges. [`Moving`] has a rank's [`Sender`](crate::migration::Sender) and
//! [`Receiver`](crate::migration::Receiver), and drives both by the words that it finds. [`View`] has what the
//! other ranks tell of their progress in their [`RankRecord`]s, and [`Halts`](crate::worker::Halts) says when all halt together. A
//! [`Rank`] is all of these, and its [`Cadence`] says when it exchanges with the others; it does what is due in a turn of one of its workers, and, while all are halted, what
//! all ranks do in [`Rounds`]. Each call goes as far as it goes without waiting. A rank's workers and cells are its [`Home`].
//!
//! A transport promises very little, so that the same code runs over MPI, over one that is hostile, and
//! under a model checker: a word is read and written whole; what is got of several words is of no one
//! moment, and comes at any time later; what is put is seen at any time later. Cells are taken by their
//! checksum alone. The one order that is needed: when a word is put to another rank, everything that
//! this rank has stored before is there for whoever has seen that word. Where that is broken, a packet's
//! checksum says so, and what was offered is refused.

mod cadence;
mod links;
mod moving;
mod rank;
mod record;
mod rounds;
mod transport;
mod view;

pub use cadence::Cadence;
pub use links::{Coming, Link, LinkOf, Links, LinksOf, Sight, Sights, Tally};
pub use moving::{Fetch, Home, Moving, MovingOf};
pub use rank::{Exchanged, Own, Rank};
pub use record::{RankRecord, RecordWords};
pub use rounds::Rounds;
pub use transport::{CellsAt, Place, Transport};
pub use view::{GlobalProgress, Seen, SeenOf, View, ViewOf, head_in_overview};
