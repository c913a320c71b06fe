//! The transport that carries words between ranks.

use super::record::RecordWords;
use crate::base::id::{RankId, SlotId, SubdomainId};
use crate::base::sync::AtomicU64;
use crate::base::unit::Unit;
use crate::parts::halo::Bounds;

/// The words of a rank that others read or write, by meaning; the transport knows their addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The rank's record of its progress.
    Record,
    /// The record, and behind it the heads of all slots.
    Overview,
    /// The version and the halo tag in a slot.
    Head(SlotId),
    /// The last command of the first rank to this one: one word.
    Command,
    /// The last version for whose residual the first rank has asked this one: one word.
    Asked,
    /// The last offer of a rank to this one: one word.
    Mailbox(RankId),
    /// The last answer of a rank to this one: one word.
    Answer(RankId),
    /// The head of the packet in the outbox.
    Packet,
    /// The rank's directory entry about a subdomain: one word.
    Entry(SubdomainId),
}

/// The units of a rank that others fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CellsAt {
    /// The used part of the buffer that a version of a subdomain's edge is in: its label, and the
    /// edge.
    Edge {
        /// The slot in which it lies.
        slot: SlotId,
        /// The link of the subdomain there.
        link: usize,
        /// The version.
        version: u64,
        /// Units of the edge.
        units: u32,
    },
    /// The outbox, as far as a packet of this number of units takes it: its label, and all units.
    Outbox(u64),
}

/// One rank's way to the words of all.
///
/// A transport never waits. Words arrive in any order and at any time, and several words need not
/// be of one moment; see the [module](crate::ranks) for what is promised.
pub trait Transport {
    /// Type of a cell.
    type Unit: Unit;
    /// Words that have come; where they lie in memory that is shared, each may still change.
    type Words: AsRef<[AtomicU64]>;
    /// Cells that have come: a copy, which nobody changes.
    type Cells: AsRef<[<Self::Unit as Unit>::Shared]>;
    /// Words on their way.
    type WordsComing;
    /// Cells on their way.
    type CellsComing;
    /// Reason why the transport cannot go on.
    type Error;

    /// Returns this rank.
    fn own(&self) -> RankId;

    /// Returns the limits on the numbers in words.
    fn bounds(&self) -> Bounds;

    /// Whether this rank's workers can read that rank's edges directly, in shared memory.
    fn is_in_memory(&self, rank: RankId) -> bool;

    /// Loads the first word of a place on this rank.
    fn load(&self, place: Place) -> u64;

    /// Stores the words of this rank's record, each atomically, for others to get.
    fn publish(&mut self, record: &RecordWords);

    /// Writes the first word of a place on any rank; no other rank writes that word.
    fn put(&mut self, rank: RankId, place: Place, word: u64) -> Result<(), Self::Error>;

    /// Begins to fetch the words of a place on a rank.
    fn get(&mut self, rank: RankId, place: Place) -> Result<Self::WordsComing, Self::Error>;

    /// Asks for cells.
    fn get_cells(&mut self, rank: RankId, cells: CellsAt)
    -> Result<Self::CellsComing, Self::Error>;

    /// Returns the words if they have come; otherwise, in `Err`, the fetch to be polled again.
    fn poll(
        &mut self,
        coming: Self::WordsComing,
    ) -> Result<Result<Self::Words, Self::WordsComing>, Self::Error>;

    /// Returns the cells if they have come; otherwise, in `Err`, the fetch to be polled again.
    fn poll_cells(
        &mut self,
        coming: Self::CellsComing,
    ) -> Result<Result<Self::Cells, Self::CellsComing>, Self::Error>;

    /// Cancels a fetch of words. They may still come.
    fn forget(&mut self, coming: Self::WordsComing);

    /// Cancels a fetch of cells. They may still come.
    fn forget_cells(&mut self, coming: Self::CellsComing);
}
