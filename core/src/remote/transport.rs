//! What carries words between ranks.

use crate::halo::{Bounds, SharedReal};
use crate::id::{RankId, SlotId, SubdomainId};
use crate::shared::sync::AtomicU64;

/// Words of a rank that others see, by what they are; the transport knows where they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// How the rank is getting on.
    Record,
    /// The same, and behind it the heads of all slots.
    Overview,
    /// The version and the halo tag in a slot.
    Head(SlotId),
    /// What the first rank has told this one: one word.
    Command,
    /// What a rank has offered to this one: one word.
    Mailbox(RankId),
    /// What a rank has answered to this one: one word.
    Answer(RankId),
    /// The head of the packet in the outbox.
    Packet,
    /// What the rank says of a subdomain: one word.
    Entry(SubdomainId),
}

/// Cells of a rank that others fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CellsAt {
    /// What is used of the buffer that a version of a subdomain's edge is in: its label, and the edge.
    Edge {
        /// Where it lies.
        slot: SlotId,
        /// The subdomain that is to lie there.
        of: SubdomainId,
        /// The link of that subdomain.
        link: usize,
        /// The version.
        version: u64,
    },
    /// The outbox, as far as a subdomain takes it: its label, and all cells.
    Outbox(SubdomainId),
}

/// One rank's way to the words of all.
///
/// It never waits. What is got arrives in any order and at any time, and what several words say need not be
/// of one moment; see the [room](crate::remote) for what is promised.
pub trait Transport {
    /// What a cell holds.
    type Real: SharedReal;
    /// Words that have come; where they lie in memory that is shared, each may still change.
    type Words: AsRef<[AtomicU64]>;
    /// Cells that have come: a copy, which nobody changes.
    type Cells: AsRef<[<Self::Real as SharedReal>::Shared]>;
    /// Words on their way.
    type WordsComing;
    /// Cells on their way.
    type CellsComing;
    /// Why it cannot go on.
    type Error;

    /// This rank.
    fn own(&self) -> RankId;

    /// What words may name.
    fn bounds(&self) -> Bounds;

    /// Whether workers of this rank read that rank's edges on their own, in memory that both share.
    fn is_in_memory(&self, rank: RankId) -> bool;

    /// The first word of a place of this rank.
    fn load(&self, place: Place) -> u64;

    /// Puts the first word of a place, which only this rank writes, on any rank.
    fn put(&mut self, rank: RankId, place: Place, word: u64) -> Result<(), Self::Error>;

    /// Asks for the words of a place.
    fn get(&mut self, rank: RankId, place: Place) -> Result<Self::WordsComing, Self::Error>;

    /// Asks for cells.
    fn get_cells(&mut self, rank: RankId, cells: CellsAt)
    -> Result<Self::CellsComing, Self::Error>;

    /// The words, or in `Err` what is to be asked again.
    fn poll(
        &mut self,
        coming: Self::WordsComing,
    ) -> Result<Result<Self::Words, Self::WordsComing>, Self::Error>;

    /// The cells, or in `Err` what is to be asked again.
    fn poll_cells(
        &mut self,
        coming: Self::CellsComing,
    ) -> Result<Result<Self::Cells, Self::CellsComing>, Self::Error>;

    /// Nobody wants these words any more. They may still come.
    fn forget(&mut self, coming: Self::WordsComing);

    /// Nobody wants these cells any more. They may still come.
    fn forget_cells(&mut self, coming: Self::CellsComing);
}
