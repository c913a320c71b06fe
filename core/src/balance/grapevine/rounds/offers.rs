//! Offers of an attempt, and its memory, cut between processors.

use crate::balance::grapevine::gossip::Knowledge;
use crate::balance::grapevine::group::stretch;
use crate::balance::grapevine::parallel::{SplitByProcessor, cut};
use crate::balance::grapevine::transfer::receiver::AcceptedOffer;
use crate::base::id::{ObjectId, ProcessorId, number_of};
use crate::base::table::At;

/// Sentinel in place of an object: the offer of an exchange, in which the receiver may take any
/// object that the sender can move.
pub(super) const ANY_OBJECT: ObjectId = ObjectId(u32::MAX);

/// Memory for an offer.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// The receiver.
    pub(super) to: ProcessorId,
    /// The object that the sender wants to be rid of, or [`ANY_OBJECT`].
    pub(super) object: ObjectId,
    /// The sender's load when it makes the offer.
    pub(super) sender_load: u64,
}

impl Offer {
    /// No offer.
    pub const EMPTY: Self = Self { to: ProcessorId(u32::MAX), object: ANY_OBJECT, sender_load: 0 };
}

/// Memory for an offer as its receiver finds it.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedOffer {
    /// Place of the offer among those of all senders.
    pub(super) offer: u32,
    pub(super) from: ProcessorId,
}

impl ReceivedOffer {
    /// No offer.
    pub const EMPTY: Self = Self { offer: 0, from: ProcessorId(u32::MAX) };
}

/// Knowledge of the senders.
pub(super) struct Knowing<'a> {
    pub(super) knowledge: &'a Knowledge<'a>,
    /// The load of each processor: a sender reads its own.
    pub(super) loads: &'a [u64],
    /// The load of each processor that was gossiped: a sender reads those of others.
    pub(super) published: &'a [u64],
}

/// Knowledge of the receivers.
pub(super) struct Asked<'a> {
    /// Places in `items` where the objects of each processor begin.
    pub(super) first: &'a [u32],
    /// Objects by processor, in each those first that may move and are not offered.
    pub(super) items: &'a [ObjectId],
    /// Number of those for each processor.
    pub(super) movable: &'a [u32],
    /// Number of offers that each processor makes.
    pub(super) offered: &'a [u32],
    pub(super) offers: &'a [Offer],
    pub(super) loads: &'a [u64],
}

impl<'a> Asked<'a> {
    /// Returns all objects of a processor.
    pub(super) fn present(&self, processor: ProcessorId) -> &'a [ObjectId] {
        self.items.stretch(stretch(self.first, processor))
    }

    /// Returns a processor's objects that may move and are not offered.
    pub(super) fn movable(&self, processor: ProcessorId) -> &'a [ObjectId] {
        self.present(processor).stretch(..*self.movable.at(processor) as usize)
    }
}

/// The offers of one processor.
pub(super) struct Outbox<'a> {
    pub(super) offers: &'a mut [Offer],
    pub(super) made: usize,
}

impl Outbox<'_> {
    pub(super) fn push(&mut self, offer: Offer) {
        *self.offers.at_mut(self.made) = offer;
        self.made += 1;
    }
}

/// Some processors' objects and offers.
pub(super) struct Planning<'a> {
    pub(super) first_processor: u32,
    /// Places where the objects of each processor begin, and where those of the last end.
    pub(super) starts: &'a [u32],
    pub(super) items: &'a mut [ObjectId],
    pub(super) movable: &'a mut [u32],
    pub(super) offered: &'a mut [u32],
    /// Places for offers: one more for each processor than it has objects.
    pub(super) offers: &'a mut [Offer],
}

impl SplitByProcessor for Planning<'_> {
    fn processors(&self) -> usize {
        self.movable.len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let Self { first_processor, starts, items, movable, offered, offers } = self;
        let (starts, place) = split_starts(starts, at);
        let (items, offers) = (cut(items, place), cut(offers, place + at));
        let (movable, offered) = (cut(movable, at), cut(offered, at));
        let part = |first_processor, starts, items, movable, offered, offers| Planning {
            first_processor,
            starts,
            items,
            movable,
            offered,
            offers,
        };
        (
            part(first_processor, starts.0, items.0, movable.0, offered.0, offers.0),
            part(
                first_processor + number_of(at),
                starts.1,
                items.1,
                movable.1,
                offered.1,
                offers.1,
            ),
        )
    }
}

/// Offers to some processors, and their answers.
pub(super) struct Answering<'a> {
    pub(super) first_processor: u32,
    /// Places where the offers to each processor begin, and where those to the last end.
    pub(super) starts: &'a [u32],
    pub(super) received: &'a mut [ReceivedOffer],
    pub(super) answers: &'a mut [Option<AcceptedOffer>],
}

impl SplitByProcessor for Answering<'_> {
    fn processors(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    fn split(self, at: usize) -> (Self, Self) {
        let Self { first_processor, starts, received, answers } = self;
        let (starts, place) = split_starts(starts, at);
        let (received, answers) = (cut(received, place), cut(answers, place));
        (
            Self { first_processor, starts: starts.0, received: received.0, answers: answers.0 },
            Self {
                first_processor: first_processor + number_of(at),
                starts: starts.1,
                received: received.1,
                answers: answers.1,
            },
        )
    }
}

/// Splits a list of places where the processors' things begin, before processor `at`. Also returns
/// the number of things before the cut.
fn split_starts(starts: &[u32], at: usize) -> ((&[u32], &[u32]), usize) {
    let place = |index: usize| *starts.at(index) as usize;
    debug_assert!(starts.is_sorted(), "processors' things are not in their order");
    let cut = place(at).saturating_sub(place(0));
    ((starts.stretch(..=at), starts.stretch(at..)), cut)
}
