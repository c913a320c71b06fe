//! The memory that a run of Grapevine is lent.

use core::fmt;

use super::offers::{Offer, ReceivedOffer};
use crate::balance::grapevine::config::KNOWN_MAX;
use crate::balance::grapevine::config::{Config, View};
use crate::balance::grapevine::gossip::Knowledge;
use crate::balance::grapevine::gossip::full_knowledge::words;
use crate::balance::grapevine::transfer::receiver::AcceptedOffer;
use crate::id::{ObjectId, ProcessorId};

/// Memory for a run; what it holds at the start does not matter. [`Lengths`] says how much.
#[derive(Debug)]
pub struct GrapevineMemory<'a> {
    /// The load of each processor.
    pub loads: &'a mut [u64],
    /// What was gossiped of it.
    pub published: &'a mut [u64],
    /// Whether it is one that is gossiped about.
    pub underloaded: &'a mut [bool],
    /// Where each processor's objects begin.
    pub first: &'a mut [u32],
    /// How many of a processor's objects may move, and were not offered.
    pub movable: &'a mut [u32],
    /// How many offers it makes.
    pub offered: &'a mut [u32],
    /// Objects by processor.
    pub items: &'a mut [ObjectId],
    /// Objects in their order.
    pub scratch: &'a mut [ObjectId],
    /// Offers by sender.
    pub offers: &'a mut [Offer],
    /// Where the offers to each receiver begin.
    pub inbox: &'a mut [u32],
    /// Offers by receiver.
    pub received: &'a mut [ReceivedOffer],
    /// What became of them.
    pub answers: &'a mut [Option<AcceptedOffer>],
    /// The placement at the start.
    pub start: &'a mut [ProcessorId],
    /// The best placement that was seen.
    pub best: &'a mut [ProcessorId],
    /// What the processors know of each other.
    pub knowledge: Knowledge<'a>,
    /// The peers of one processor.
    pub peers: PeerMemory<'a>,
}

/// Memory for the peers of one processor.
#[derive(Debug)]
pub struct PeerMemory<'a> {
    /// Who they are.
    pub ids: &'a mut [ProcessorId],
    /// Their loads.
    pub loads: &'a mut [u64],
    /// Their chances.
    pub cumulative: &'a mut [u128],
}

/// How many elements each part of [`GrapevineMemory`] needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// `loads`, `published`, `underloaded`.
    pub processors: usize,
    /// `first`.
    pub first: usize,
    /// `movable`, `offered`.
    pub counts: usize,
    /// `items`.
    pub items: usize,
    /// `scratch`.
    pub scratch: usize,
    /// `offers`, `received`, `answers`.
    pub offers: usize,
    /// `inbox`.
    pub inbox: usize,
    /// `start`.
    pub start: usize,
    /// `best`.
    pub best: usize,
    /// `known`, `next` of [`Tables`](crate::balance::grapevine::gossip::Tables).
    pub tables: usize,
    /// `targets`, `senders` of [`Tables`](crate::balance::grapevine::gossip::Tables).
    pub messages: usize,
    /// `first` of [`Tables`](crate::balance::grapevine::gossip::Tables).
    pub message_first: usize,
    /// `known`, `next` of [`FullKnowledge`](crate::balance::grapevine::gossip::full_knowledge::FullKnowledge).
    pub rows: usize,
    /// All of [`PeerMemory`].
    pub peers: usize,
}

impl Lengths {
    /// What a run needs.
    pub fn of(config: &Config, objects: usize, processors: usize) -> Self {
        let gossiped = config.view == View::Gossiped;
        let bounded = config.known.is_some();
        let when = |needed: bool, length: usize| if needed { length } else { 0 };
        Self {
            processors,
            first: processors + 1,
            counts: when(gossiped, processors),
            items: objects,
            scratch: when(!gossiped, objects),
            offers: when(gossiped, objects + processors),
            inbox: when(gossiped, processors + 1),
            start: when(config.trials > 1, objects),
            best: when(config.keep_best, objects),
            tables: when(bounded, processors),
            messages: when(bounded, processors.saturating_mul(config.fanout as usize)),
            message_first: when(bounded, processors + 1),
            rows: when(!bounded, processors.saturating_mul(words(processors))),
            peers: if bounded { processors.min(KNOWN_MAX) } else { processors },
        }
    }
}

/// A list that has another length than is needed, such as [`Lengths`] says of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength {
    /// Which part.
    pub part: &'static str,
    /// How long it should be.
    pub needed: usize,
    /// How long it is.
    pub lent: usize,
}

impl fmt::Display for WrongLength {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, needed, lent } = self;
        write!(f, "the list '{part}' has {lent} elements instead of {needed}")
    }
}

impl core::error::Error for WrongLength {}

impl WrongLength {
    pub(super) const fn unless(
        (part, needed, lent): (&'static str, usize, usize),
    ) -> Result<(), Self> {
        if needed == lent { Ok(()) } else { Err(Self { part, needed, lent }) }
    }
}

impl GrapevineMemory<'_> {
    /// Whether every part is as long as `lengths` says.
    pub fn check(&self, lengths: &Lengths) -> Result<(), WrongLength> {
        let parts = [
            ("loads", lengths.processors, self.loads.len()),
            ("published", lengths.processors, self.published.len()),
            ("underloaded", lengths.processors, self.underloaded.len()),
            ("first", lengths.first, self.first.len()),
            ("movable", lengths.counts, self.movable.len()),
            ("offered", lengths.counts, self.offered.len()),
            ("items", lengths.items, self.items.len()),
            ("scratch", lengths.scratch, self.scratch.len()),
            ("offers", lengths.offers, self.offers.len()),
            ("inbox", lengths.inbox, self.inbox.len()),
            ("received", lengths.offers, self.received.len()),
            ("answers", lengths.offers, self.answers.len()),
            ("start", lengths.start, self.start.len()),
            ("best", lengths.best, self.best.len()),
            ("peers.ids", lengths.peers, self.peers.ids.len()),
            ("peers.loads", lengths.peers, self.peers.loads.len()),
            ("peers.cumulative", lengths.peers, self.peers.cumulative.len()),
        ];
        parts.into_iter().chain(self.knowledge.parts(lengths)).try_for_each(WrongLength::unless)
    }
}

impl Knowledge<'_> {
    fn parts(&self, lengths: &Lengths) -> [(&'static str, usize, usize); 5] {
        match self {
            Self::Tables(tables) => [
                ("tables.known", lengths.tables, tables.known.len()),
                ("tables.next", lengths.tables, tables.next.len()),
                ("tables.targets", lengths.messages, tables.targets.len()),
                ("tables.senders", lengths.messages, tables.senders.len()),
                ("tables.first", lengths.message_first, tables.first.len()),
            ],
            Self::Full(full) => [
                ("full.known", lengths.rows, full.known.len()),
                ("full.next", lengths.rows, full.next.len()),
                ("tables.known", lengths.tables, 0),
                ("tables.targets", lengths.messages, 0),
                ("tables.first", lengths.message_first, 0),
            ],
        }
    }
}
