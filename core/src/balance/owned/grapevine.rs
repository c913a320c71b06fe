//! Memory for Grapevine, as long as the core asks for.

use alloc::vec;
use alloc::vec::Vec;

use crate::balance::grapevine::gossip::full_knowledge::{FullKnowledge, words};
use crate::balance::grapevine::gossip::known::Known;
use crate::balance::grapevine::gossip::{NOBODY, Tables};
use crate::balance::grapevine::rounds::offers::{Offer, ReceivedOffer};
use crate::balance::grapevine::transfer::receiver::AcceptedOffer;
use crate::balance::grapevine::{Config, GrapevineMemory, Knowledge, Lengths, PeerMemory};
use crate::base::id::{ObjectId, ProcessorId};

/// The vectors behind [`GrapevineMemory`].
#[derive(Clone, Debug)]
pub struct OwnedGrapevineMemory {
    loads: Vec<u64>,
    published: Vec<u64>,
    underloaded: Vec<bool>,
    first: Vec<u32>,
    movable: Vec<u32>,
    offered: Vec<u32>,
    items: Vec<ObjectId>,
    scratch: Vec<ObjectId>,
    offers: Vec<Offer>,
    inbox: Vec<u32>,
    received: Vec<ReceivedOffer>,
    answers: Vec<Option<AcceptedOffer>>,
    start: Vec<ProcessorId>,
    best: Vec<ProcessorId>,
    bounded: bool,
    known: [Vec<Known>; 2],
    messages: [Vec<ProcessorId>; 2],
    message_first: Vec<u32>,
    rows: [Vec<u64>; 2],
    words: usize,
    peer_ids: Vec<ProcessorId>,
    peer_loads: Vec<u64>,
    cumulative: Vec<u128>,
}

impl OwnedGrapevineMemory {
    /// Allocates the memory for one problem.
    pub fn new(config: &Config, objects: usize, processors: usize) -> Self {
        let lengths = Lengths::of(config, objects, processors);
        let zeros = |length| vec![0; length];
        let ids = |length| vec![NOBODY; length];
        let objects = |length| vec![ObjectId(0); length];
        Self {
            loads: vec![0; lengths.processors],
            published: vec![0; lengths.processors],
            underloaded: vec![false; lengths.processors],
            first: zeros(lengths.first),
            movable: zeros(lengths.counts),
            offered: zeros(lengths.counts),
            items: objects(lengths.items),
            scratch: objects(lengths.scratch),
            offers: vec![Offer::EMPTY; lengths.offers],
            inbox: zeros(lengths.inbox),
            received: vec![ReceivedOffer::EMPTY; lengths.offers],
            answers: vec![None; lengths.offers],
            start: ids(lengths.start),
            best: ids(lengths.best),
            bounded: config.known.is_some(),
            known: [(); 2].map(|()| vec![Known::default(); lengths.tables]),
            messages: [(); 2].map(|()| ids(lengths.messages)),
            message_first: zeros(lengths.message_first),
            rows: [(); 2].map(|()| vec![0; lengths.rows]),
            words: words(processors),
            peer_ids: ids(lengths.peers),
            peer_loads: vec![0; lengths.peers],
            cumulative: vec![0; lengths.peers],
        }
    }

    /// Returns the bytes that [`OwnedGrapevineMemory::new`] allocates.
    pub fn bytes(config: &Config, objects: usize, processors: usize) -> u64 {
        let lengths = Lengths::of(config, objects, processors);
        // Each list by itself: a tuple would be padded.
        let offer =
            size_of::<Offer>() + size_of::<ReceivedOffer>() + size_of::<Option<AcceptedOffer>>();
        let peer = size_of::<ProcessorId>() + size_of::<u64>() + size_of::<u128>();
        [
            (lengths.processors, size_of::<[u64; 2]>() + size_of::<bool>()),
            (lengths.first, size_of::<u32>()),
            (lengths.counts, size_of::<[u32; 2]>()),
            (lengths.items, size_of::<ObjectId>()),
            (lengths.scratch, size_of::<ObjectId>()),
            (lengths.offers, offer),
            (lengths.inbox, size_of::<u32>()),
            (lengths.start, size_of::<ProcessorId>()),
            (lengths.best, size_of::<ProcessorId>()),
            (lengths.tables, size_of::<[Known; 2]>()),
            (lengths.messages, size_of::<[ProcessorId; 2]>()),
            (lengths.message_first, size_of::<u32>()),
            (lengths.rows, size_of::<[u64; 2]>()),
            (lengths.peers, peer),
        ]
        .into_iter()
        .map(|(number, size)| (number as u64).saturating_mul(size as u64))
        .fold(0, u64::saturating_add)
    }

    /// Lends the memory.
    pub fn lend(&mut self) -> GrapevineMemory<'_> {
        let [known, next] = &mut self.known;
        let [targets, senders] = &mut self.messages;
        let [row, next_row] = &mut self.rows;
        let first = &mut self.message_first;
        let knowledge = if self.bounded {
            Knowledge::Tables(Tables { known, next, targets, senders, first })
        } else {
            Knowledge::Full(FullKnowledge { known: row, next: next_row, words: self.words })
        };
        GrapevineMemory {
            loads: &mut self.loads,
            published: &mut self.published,
            underloaded: &mut self.underloaded,
            first: &mut self.first,
            movable: &mut self.movable,
            offered: &mut self.offered,
            items: &mut self.items,
            scratch: &mut self.scratch,
            offers: &mut self.offers,
            inbox: &mut self.inbox,
            received: &mut self.received,
            answers: &mut self.answers,
            start: &mut self.start,
            best: &mut self.best,
            knowledge,
            peers: PeerMemory {
                ids: &mut self.peer_ids,
                loads: &mut self.peer_loads,
                cumulative: &mut self.cumulative,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::balance::grapevine::View;

    use super::*;

    fn bytes<T>(list: &[T]) -> usize {
        size_of_val(list)
    }

    /// Returns the bytes of every list that is lent.
    fn lent(memory: &GrapevineMemory<'_>) -> usize {
        let GrapevineMemory { loads, published, underloaded, first, movable, offered, .. } = memory;
        let GrapevineMemory {
            items, scratch, offers, inbox, received, answers, start, best, ..
        } = memory;
        let processors = bytes(loads) + bytes(published);
        let counts = [&**first, movable, offered, inbox].map(bytes);
        let objects = [&**items, scratch].map(bytes);
        let offers = bytes(offers) + bytes(received) + bytes(answers);
        let placements = [&**start, best].map(bytes);
        let knowledge = match &memory.knowledge {
            Knowledge::Tables(tables) => {
                bytes(tables.known)
                    + bytes(tables.next)
                    + bytes(tables.targets)
                    + bytes(tables.senders)
                    + bytes(tables.first)
            }
            Knowledge::Full(rows) => bytes(rows.known) + bytes(rows.next),
        };
        let PeerMemory { ids, loads, cumulative } = &memory.peers;
        let peers = bytes(ids) + bytes(loads) + bytes(cumulative);
        let small = [counts.iter().sum(), objects.iter().sum(), placements.iter().sum::<usize>()];
        let small: usize = small.iter().sum();
        processors + underloaded.len() + small + offers + knowledge + peers
    }

    #[test]
    fn what_is_lent_is_what_was_announced() {
        for base in [Config::SLIDES, Config::DISTRIBUTED] {
            for view in [View::Live, View::Gossiped] {
                for (known, trials) in [(None, 1), (Some(8), 3)] {
                    let config = Config { view, known, trials, keep_best: true, ..base };
                    let announced = OwnedGrapevineMemory::bytes(&config, 1000, 70);
                    let mut memory = OwnedGrapevineMemory::new(&config, 1000, 70);
                    assert_eq!(lent(&memory.lend()) as u64, announced, "{config:?}");
                }
            }
        }
        let all = Config { known: None, ..Config::DISTRIBUTED };
        assert!(OwnedGrapevineMemory::bytes(&all, 0, 1 << 20) > 1 << 38);
    }
}
