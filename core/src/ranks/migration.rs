//! A subdomain's way from rank to rank (Zarins & Weiland 2020, section 3.2). How its neighbours
//! find it again is in [`halo`](crate::parts::halo).
//!
//! The way of a subdomain, of which each step follows the one before:
//!
//! 1. its worker lets it go; the sender ([`Sender`]) packs it in its outbox, the head as a
//!    [`Packet`], and writes an [`Offer`] into the receiver's mailbox;
//! 2. the receiver ([`Receiver`]) fetches the packet, and refuses it where its checksum does not
//!    say that it is what was packed for this offer ([`unpack`]); else it installs the edges and
//!    the cells, writes the halo tag and [`DirectoryEntry::Here`] with an epoch more, and answers;
//! 3. the sender writes [`DirectoryEntry::Left`] and a halo tag with the new owner, frees the slot,
//!    and may reuse its outbox.
//!
//! Meanwhile readers find the last edges in the old slot. A refusal takes the subdomain back to a
//! worker of the sender. So it is always one rank's: the sender's until the receiver has installed
//! it, and there is a way to it from wherever it has been.
//!
//! Each word has a single writer and is read whole, but the words of a rank may be seen in any
//! order. Whatever a word from another rank says, nothing here panics or goes on for ever.

mod free_slots;
mod mailbox;
#[cfg(target_has_atomic = "64")]
mod outbox;
mod packet;
mod receiver;
mod sender;

pub use free_slots::FreeSlots;
pub use mailbox::{Answer, Offer};
#[cfg(target_has_atomic = "64")]
pub use outbox::{pack, unpack};
pub use packet::{Packet, PacketError};
pub use receiver::{Arrival, Look, Receiver};
pub use sender::{Departure, SendOutcome, Sender};

use core::num::NonZeroU32;

use crate::base::id::{RankId, SlotId, SubdomainId};
use crate::base::table::At;
use crate::parts::Graph;
use crate::parts::halo::{DirectoryEntry, HaloTag, Location};
use crate::run::RunConfig;

/// Returns the location where each subdomain starts: those of a rank lie in its first slots, in
/// ascending order. `taken` has one zero for each rank; it counts the slots that are taken.
pub fn homes<'a, G: Graph<N>, const N: usize>(
    config: &'a RunConfig,
    graph: &'a G,
    taken: &'a mut [u32],
) -> impl Iterator<Item = Location> + use<'a, G, N> {
    let workers = NonZeroU32::new(config.workers_per_node()).unwrap_or(NonZeroU32::MIN);
    (0..graph.parts()).map(SubdomainId).map(move |id| {
        let rank = RankId(graph.first_owner(id, config).0 / workers);
        let next = taken.at_mut(rank);
        let slot = core::mem::replace(next, next.saturating_add(1));
        Location { rank, slot: SlotId(slot), epoch: 0 }
    })
}

/// A word that a rank writes for others; the host knows where each lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// Into the mailbox that another rank has for this one.
    Offer(RankId, Offer),
    /// Among the answers that another rank has from this one.
    Answer(RankId, Answer),
    /// Into this rank's own directory.
    Entry(SubdomainId, DirectoryEntry),
    /// Onto one of this rank's own slots.
    HaloTag(SlotId, HaloTag),
}
