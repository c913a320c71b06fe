//! A subdomain's way from rank to rank, and how its neighbours find it again (Zarins & Weiland 2020,
//! section 3.2).
//!
//! Nobody knows where all subdomains are. A rank keeps what the others see of each of its subdomains
//! in a slot ([`SlotId`]) of its memory, with a [`HaloTag`], and says in its [`directory`], in one
//! word a subdomain, in which slot it lies or which rank it was given to. Whoever knew where a
//! subdomain was reads there until the halo tag names another one, and then makes a [`Search`].
//!
//! The way of a subdomain, of which each step follows the one before:
//!
//! 1. its worker lets it go; the sender ([`Sender`]) packs it in its outbox, the head as a [`Packet`],
//!    and writes an [`Offer`] into the receiver's mailbox;
//! 2. the receiver ([`Receiver`]) fetches the packet, installs the edges and the cells, writes the
//!    halo tag and [`DirectoryEntry::Here`] with an epoch more, and answers;
//! 3. the sender writes [`DirectoryEntry::Left`] and a halo tag with the new owner, frees the slot,
//!    and may reuse its outbox.
//!
//! Meanwhile readers find the last edges in the old slot. A refusal takes the subdomain back to a
//! worker of the sender. So it is always one rank's: the sender's until the receiver has installed
//! it, and there is a way to it from wherever it has been.
//!
//! Each word has a single writer and is read whole, but the words of a rank may be seen in any order.
//! Whatever a word from another rank says, nothing here panics or goes on for ever.

pub mod directory;
mod free_slots;
mod halo_tag;
mod mailbox;
mod packet;
mod reader;
mod receiver;
mod search;
mod sender;

pub use directory::{DirectoryEntry, shortened};
pub use free_slots::FreeSlots;
pub use halo_tag::{HaloTag, Met};
pub use mailbox::{Answer, Offer};
pub use packet::{Packet, PacketError};
pub use reader::{Around, Heard, Reader, Request};
pub use receiver::{Arrival, Look, Receiver};
pub use search::{Location, Search, Step};
pub use sender::{Departure, SendOutcome, Sender};

use core::num::NonZeroU32;

use crate::bug::OrBug;
use crate::id::{RankId, SlotId, SubdomainId};
use crate::part::Graph;
use crate::run::{NodeBalance, NodeRule, RunConfig};

/// What a word from another rank may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Subdomains of the run.
    pub subdomains: u32,
    /// Ranks of the run.
    pub ranks: u32,
    /// Slots of each rank.
    pub slots: u32,
}

impl Bounds {
    /// Those of a run: a rank has as many slots as it may have subdomains, and some more for those that
    /// several ranks send at the same time; those for which there is none are refused.
    pub fn of(config: &RunConfig) -> Self {
        let subdomains = u32::try_from(config.subdomains()).unwrap_or(u32::MAX);
        let workers = config.workers_per_node();
        let first = workers.saturating_mul(config.split);
        let nodes = config.nodes;
        let slots = match (nodes.balance, nodes.rule) {
            (NodeBalance::None, _) => first,
            (NodeBalance::Dplb { .. }, NodeRule::Settled) => {
                let most = workers.saturating_mul(config.plb.high);
                first.max(most).saturating_add(nodes.number.min(workers + 2)).min(subdomains)
            }
            (NodeBalance::Dplb { .. }, NodeRule::Published) | (NodeBalance::Chaos { .. }, _) => {
                subdomains
            }
        };
        Self { subdomains, ranks: nodes.number, slots }
    }

    pub(crate) fn subdomain(self, id: u32) -> Option<SubdomainId> {
        (id < self.subdomains).then_some(SubdomainId(id))
    }

    pub(crate) fn rank(self, id: u32) -> Option<RankId> {
        (id < self.ranks).then_some(RankId(id))
    }

    pub(crate) fn slot(self, id: u32) -> Option<SlotId> {
        (id < self.slots).then_some(SlotId(id))
    }
}

/// Where each subdomain starts: those of a rank lie in its first slots, in ascending order. `taken` has
/// one element a rank, zero before, and how many slots of it are taken afterwards.
pub fn homes<'a, G: Graph<N>, const N: usize>(
    config: &'a RunConfig,
    graph: &'a G,
    taken: &'a mut [u32],
) -> impl Iterator<Item = Location> + use<'a, G, N> {
    let workers = NonZeroU32::new(config.workers_per_node()).unwrap_or(NonZeroU32::MIN);
    (0..graph.parts()).map(SubdomainId).map(move |id| {
        let rank = RankId(graph.first_owner(id, config).0 / workers);
        let next = taken.get_mut(rank.index()).or_bug("a rank is not counted");
        let slot = next.map_or(0, |next| core::mem::replace(next, next.saturating_add(1)));
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

/// A word of two halves.
const fn word(high: u32, low: u32) -> u64 {
    (high as u64) << u32::BITS | low as u64
}

/// The high and the low half of a word.
#[expect(clippy::cast_possible_truncation, reason = "each half fits its type")]
const fn halves(word: u64) -> (u32, u32) {
    ((word >> u32::BITS) as u32, word as u32)
}
