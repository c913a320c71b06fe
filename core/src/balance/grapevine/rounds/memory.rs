//! The memory that a run of Grapevine is lent.

use core::fmt;

use super::offers::{Offer, ReceivedOffer};
use crate::balance::grapevine::config::{Config, KNOWN_MAX, View};
use crate::balance::grapevine::gossip::Knowledge;
use crate::balance::grapevine::gossip::full_knowledge::words;
use crate::balance::grapevine::transfer::receiver::AcceptedOffer;
use crate::base::id::{ObjectId, ProcessorId};

/// Memory for a run, with the lengths given by [`Lengths`]; what it holds at the start does not
/// matter.
#[derive(Debug)]
pub struct GrapevineMemory<'a> {
    /// The load of each processor.
    pub loads: &'a mut [u64],
    /// The load of each processor that was gossiped.
    pub published: &'a mut [u64],
    /// Whether each processor is one that is gossiped about.
    pub underloaded: &'a mut [bool],
    /// Place where each processor's objects begin.
    pub first: &'a mut [u32],
    /// Number of a processor's objects that may move, and were not offered.
    pub movable: &'a mut [u32],
    /// Number of offers that each processor makes.
    pub offered: &'a mut [u32],
    /// Objects by processor.
    pub items: &'a mut [ObjectId],
    /// Objects in their order.
    pub scratch: &'a mut [ObjectId],
    /// Offers by sender.
    pub offers: &'a mut [Offer],
    /// Place where the offers to each receiver begin.
    pub inbox: &'a mut [u32],
    /// Offers by receiver.
    pub received: &'a mut [ReceivedOffer],
    /// Answers to the offers, by receiver.
    pub answers: &'a mut [Option<AcceptedOffer>],
    /// The placement at the start.
    pub start: &'a mut [ProcessorId],
    /// The best placement that was seen.
    pub best: &'a mut [ProcessorId],
    /// Knowledge that the processors have of each other.
    pub knowledge: Knowledge<'a>,
    /// The peers of one processor.
    pub peers: PeerMemory<'a>,
}

/// Memory for the peers of one processor.
#[derive(Debug)]
pub struct PeerMemory<'a> {
    /// The peers.
    pub ids: &'a mut [ProcessorId],
    /// Their loads.
    pub loads: &'a mut [u64],
    /// Their chances.
    pub cumulative: &'a mut [u128],
}

/// Numbers of elements that the parts of [`GrapevineMemory`] need.
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
    /// `known`, `next` of
    /// [`FullKnowledge`](crate::balance::grapevine::gossip::full_knowledge::FullKnowledge).
    pub rows: usize,
    /// Number of peers, for all parts of [`PeerMemory`].
    pub peers: usize,
}

impl Lengths {
    /// Returns the lengths that a run needs.
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
    /// Name of the list.
    pub part: &'static str,
    /// Length that it should have.
    pub needed: usize,
    /// Length that it has.
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
    /// Checks a list by its name, the length that it needs and the length that it has.
    pub(super) const fn unless(
        (part, needed, lent): (&'static str, usize, usize),
    ) -> Result<(), Self> {
        if needed == lent { Ok(()) } else { Err(Self { part, needed, lent }) }
    }
}

impl GrapevineMemory<'_> {
    /// Checks that every part is as long as `lengths` says.
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
    /// Returns the name of each list, the length that it needs and the length that it has. Lists of
    /// the other variant have length 0, so that a run that needs them is refused.
    fn parts(&self, lengths: &Lengths) -> [(&'static str, usize, usize); 6] {
        match self {
            Self::Tables(tables) => [
                ("tables.known", lengths.tables, tables.known.len()),
                ("tables.next", lengths.tables, tables.next.len()),
                ("tables.targets", lengths.messages, tables.targets.len()),
                ("tables.senders", lengths.messages, tables.senders.len()),
                ("tables.first", lengths.message_first, tables.first.len()),
                ("full.known", lengths.rows, 0),
            ],
            Self::Full(full) => [
                ("full.known", lengths.rows, full.known.len()),
                ("full.next", lengths.rows, full.next.len()),
                ("tables.known", lengths.tables, 0),
                ("tables.targets", lengths.messages, 0),
                ("tables.senders", lengths.messages, 0),
                ("tables.first", lengths.message_first, 0),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::grapevine::gossip::Tables;
    use crate::balance::grapevine::gossip::full_knowledge::FullKnowledge;

    #[test]
    fn knowledge_of_the_other_kind_is_refused() {
        let known = |known| Lengths::of(&Config { known, ..Config::DISTRIBUTED }, 2, 2);
        let fits = |knowledge: &Knowledge<'_>, lengths: &Lengths| {
            knowledge.parts(lengths).into_iter().all(|part| WrongLength::unless(part).is_ok())
        };
        let full = FullKnowledge { known: &mut [0; 2], next: &mut [0; 2], words: 1 };
        let full = Knowledge::Full(full);
        assert!(fits(&full, &known(None)) && !fits(&full, &known(Some(4))));
        let empty = Tables {
            known: &mut [],
            next: &mut [],
            targets: &mut [],
            senders: &mut [],
            first: &mut [],
        };
        let empty = Knowledge::Tables(empty);
        assert!(!fits(&empty, &known(None)) && !fits(&empty, &known(Some(4))));
    }
}
