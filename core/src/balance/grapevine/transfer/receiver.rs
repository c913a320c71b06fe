//! The other end of an offer: a receiver that knows its own load, and may refuse.

use core::cmp::Reverse;

use heapless::Vec;

use super::criterion::Pair;
use super::sender::Rules;
use crate::balance::footprint::{Bounds, Usage};
use crate::balance::objects::Objects;
use crate::base::bug::OrBug;
use crate::base::id::{ObjectId, ProcessorId};
use crate::base::table::Add;

/// Objects of a sender that are looked at for an exchange.
pub const CANDIDATES_MAX: usize = 16;

/// Exchanges of one receiver in one attempt.
const EXCHANGES_MAX: usize = 8;

/// Object or objects that a sender wants to be rid of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// This object is to go; if that would overload the receiver, for a smaller one where there are
    /// exchanges.
    Transfer(ObjectId),
    /// Any one of these is to go, for an object of the receiver that is smaller, or for none.
    Exchange(&'a [ObjectId]),
}

/// An offer that is accepted: the object that the receiver takes, and the one that it gives for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedOffer {
    /// The object that goes to the receiver.
    pub given: ObjectId,
    /// The object that comes back.
    pub got: Option<ObjectId>,
}

/// Returns the key by which offers are answered, lowest first: that of the most loaded sender, then
/// by its name, then the one that it made first.
pub const fn urgency(sender_load: u64, name: u32, number: u32) -> (Reverse<u64>, u32, u32) {
    (Reverse(sender_load), name, number)
}

/// A processor that answers offers.
#[derive(Debug)]
pub struct Receiver<'a> {
    rules: &'a Rules,
    objects: &'a Objects<'a>,
    load: u64,
    /// Objects that it may give away.
    movable: &'a [ObjectId],
    promised: Vec<ObjectId, EXCHANGES_MAX>,
    memory: Option<MemoryUse<'a>>,
}

/// The memory of a processor, and the part of it that is taken.
#[derive(Debug)]
struct MemoryUse<'a> {
    bounds: &'a Bounds<'a>,
    usage: Usage,
    present: &'a [ObjectId],
}

impl<'a> Receiver<'a> {
    /// Returns a processor of this load, that may give away the objects `movable`.
    pub fn new(
        rules: &'a Rules,
        objects: &'a Objects<'a>,
        load: u64,
        movable: &'a [ObjectId],
    ) -> Self {
        Self { rules, objects, load, movable, promised: Vec::new(), memory: None }
    }

    /// Bounds the receiver's memory; `present` are all objects on it.
    pub fn within(
        mut self,
        bounds: Option<&'a Bounds<'a>>,
        processor: ProcessorId,
        present: &'a [ObjectId],
    ) -> Self {
        self.memory = bounds.map(|bounds| {
            let usage = bounds.usage(processor, &present.iter().copied());
            MemoryUse { bounds, usage, present }
        });
        self
    }

    /// Accepts or refuses (`None`) one offer of a sender of `sender_load`. An object that the
    /// receiver takes counts from now on; one that it gives is promised and not offered again.
    pub fn answer(&mut self, sender_load: u64, wanted: Wanted<'_>) -> Option<AcceptedOffer> {
        let pair = Pair { sender: sender_load, receiver: self.load };
        let accepted = match wanted {
            Wanted::Transfer(object) => {
                let accepted = AcceptedOffer { given: object, got: None };
                let admitted = self.admits(pair, accepted) && self.has_room(object);
                if admitted {
                    accepted
                } else {
                    self.best_exchange(pair, &[object]).filter(|_| self.rules.exchange)?
                }
            }
            Wanted::Exchange(candidates) => self.best_exchange(pair, candidates)?,
        };
        if let Some(got) = accepted.got {
            self.promised.add(got);
        }
        let after = self.after(pair, accepted).or_bug("somebody gives more than it has");
        self.load = after.receiver;
        if let Some(memory) = &mut self.memory {
            memory.usage = memory.bounds.with(memory.usage, accepted.given, memory.present);
        }
        Some(accepted)
    }

    fn load_of(&self, object: Option<ObjectId>) -> u64 {
        object.map_or(0, |object| self.objects.load(object))
    }

    /// Returns the loads after an exchange; none where a side would give more than it has.
    fn after(&self, pair: Pair, accepted: AcceptedOffer) -> Option<Pair> {
        pair.after(self.objects.load(accepted.given), self.load_of(accepted.got))
    }

    /// Whether the criterion admits the exchange between processors of these loads.
    fn admits(&self, pair: Pair, accepted: AcceptedOffer) -> bool {
        let (given, got) = (self.objects.load(accepted.given), self.load_of(accepted.got));
        self.rules.criterion.admits(self.rules.average, pair, given, got)
    }

    /// Whether an object fits into the memory that is left, if memory is bounded.
    fn has_room(&self, object: ObjectId) -> bool {
        self.memory.as_ref().is_none_or(|memory| {
            let usage = memory.bounds.with(memory.usage, object, memory.present);
            memory.bounds.admits(usage)
        })
    }

    /// Returns the exchange after which the larger of the two loads is lowest; of equal ones the
    /// first.
    fn best_exchange(&self, pair: Pair, candidates: &[ObjectId]) -> Option<AcceptedOffer> {
        let full = self.promised.is_full();
        let mut best: Option<(u64, AcceptedOffer)> = None;
        for &given in candidates.iter().take(CANDIDATES_MAX).filter(|&&given| self.has_room(given))
        {
            let own = self.movable.iter().filter(|own| !full && !self.promised.contains(own));
            for got in core::iter::once(None).chain(own.map(|&own| Some(own))) {
                let accepted = AcceptedOffer { given, got };
                let Some(after) = self.after(pair, accepted) else { continue };
                let better = best.is_none_or(|(least, _)| after.max() < least);
                if better && self.admits(pair, accepted) {
                    best = Some((after.max(), accepted));
                }
            }
        }
        best.map(|(_, accepted)| accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::balance::grapevine::Config;
    use crate::balance::objects::Average;

    fn rules(total: u64, exchange: bool) -> Rules {
        Rules::new(
            &Config { exchange, ..Config::DISTRIBUTED },
            Average { total, processors: 2 },
            total,
        )
    }

    #[test]
    fn what_would_overfill_is_refused() {
        let loads = [6, 5, 3];
        let objects = Objects::new(&loads, &[]).unwrap();
        let rules = rules(14, false);
        let mut receiver = Receiver::new(&rules, &objects, 3, &[ObjectId(2)]);
        assert_eq!(receiver.answer(9, Wanted::Transfer(ObjectId(0))), None);
        let accepted = AcceptedOffer { given: ObjectId(1), got: None };
        assert_eq!(receiver.answer(9, Wanted::Transfer(ObjectId(1))), Some(accepted));
        // It has 8 now.
        assert_eq!(receiver.answer(13, Wanted::Transfer(ObjectId(0))), None);
    }

    #[test]
    fn the_exchange_that_evens_out_most_is_taken() {
        // 6 + 5 against 3 + 2: 6 for 3 makes 8 and 8.
        let loads = [6, 5, 3, 2];
        let objects = Objects::new(&loads, &[]).unwrap();
        let rules = rules(16, true);
        let own = [ObjectId(2), ObjectId(3)];
        let mut receiver = Receiver::new(&rules, &objects, 5, &own);
        let accepted = AcceptedOffer { given: ObjectId(0), got: Some(ObjectId(2)) };
        let candidates = [ObjectId(0), ObjectId(1)];
        assert_eq!(receiver.answer(11, Wanted::Exchange(&candidates)), Some(accepted));
        // The 3 is promised, and the receiver has 8 now: nothing evens out any more.
        assert_eq!(receiver.answer(8, Wanted::Exchange(&candidates)), None);
    }
}
