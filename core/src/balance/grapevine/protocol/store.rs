//! The memory of one processor, and the objects in it.

use super::message::{Candidates, Offer, Phase, Step, Token};
use crate::balance::grapevine::transfer::receiver::CANDIDATES_MAX;
use crate::base::id::ObjectId;
use crate::base::sort::sort_by_key;
use crate::base::table::At;

/// An offer that is to be answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// Name of the processor that made it.
    pub(super) from: u32,
    pub(super) offer: Offer,
    /// Place of its first object among the loads.
    pub(super) place: u32,
    /// Object that is taken of it, and the one that is given for that.
    pub(super) given: Option<Token>,
    pub(super) got: Option<Token>,
}

impl Request {
    /// A request of nobody, to fill memory with that is lent to a [`ProtocolMemory`].
    pub const EMPTY: Self = Self {
        from: 0,
        offer: Offer {
            step: Step { iteration: 0, phase: Phase::Start },
            number: 0,
            sender_load: 0,
            any: false,
            objects: Candidates::new(),
        },
        place: 0,
        given: None,
        got: None,
    };
}

/// Memory of one processor. What it holds at the start does not matter, but for its objects, which
/// are the first of `objects`.
#[derive(Debug)]
pub struct ProtocolMemory<'a> {
    /// Its objects, in any order. A processor whose memory is full refuses.
    pub objects: &'a mut [Token],
    /// The objects in the best placement; as long as `objects`.
    pub best: &'a mut [Token],
    /// Loads that are compared.
    pub loads: &'a mut [u64],
    /// Its objects in the order in which they are offered: as long as `objects`.
    pub list: &'a mut [ObjectId],
    /// Offers that are to be answered. Where there are more, the least urgent are refused.
    pub inbox: &'a mut [Request],
}

/// Numbers of elements that the parts of [`ProtocolMemory`] need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// `objects`, `best`, `list`: as many objects as are ever on one processor.
    pub objects: usize,
    /// `inbox`: as many offers as are ever made to one in an attempt.
    pub inbox: usize,
    /// `loads`.
    pub loads: usize,
}

impl Lengths {
    /// Returns the lengths for this number of objects and offers.
    pub const fn of(objects: usize, inbox: usize) -> Self {
        Self { objects, inbox, loads: objects + inbox * CANDIDATES_MAX }
    }
}

/// Numbers of the objects that are in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Store {
    /// Number of objects now.
    pub held: usize,
    /// Number of objects in the best placement.
    pub best: usize,
}

impl Store {
    /// Returns the objects that the processor has now.
    pub fn objects<'m>(&self, memory: &'m ProtocolMemory<'_>) -> &'m [Token] {
        memory.objects.stretch(..self.held)
    }

    /// Returns the sum of the loads of its objects.
    pub fn load(&self, memory: &ProtocolMemory<'_>) -> u64 {
        self.objects(memory).iter().fold(0, |sum, object| object.load.saturating_add(sum))
    }

    /// Sorts its objects by their numbers.
    pub fn sort(&self, memory: &mut ProtocolMemory<'_>) {
        let objects = memory.objects.stretch_mut(..self.held);
        sort_by_key(objects, |object| object.id);
    }

    /// Adds an object, for which there is room.
    pub fn put(&mut self, memory: &mut ProtocolMemory<'_>, object: Token) {
        *memory.objects.at_mut(self.held) = object;
        self.held += 1;
    }

    /// Removes an object, which is there.
    pub fn take(&mut self, memory: &mut ProtocolMemory<'_>, id: ObjectId) {
        let place = self.objects(memory).place_of(|object| object.id == id);
        self.held -= 1;
        let last = *memory.objects.at(self.held);
        *memory.objects.at_mut(place) = last;
    }

    /// Returns the number of further objects that there is room for.
    pub fn room(&self, memory: &ProtocolMemory<'_>) -> usize {
        memory.objects.len().saturating_sub(self.held)
    }

    /// Copies the present placement over the best one.
    pub fn remember(&mut self, memory: &mut ProtocolMemory<'_>) {
        let best = memory.best.stretch_mut(..self.held);
        let objects = memory.objects.stretch(..self.held);
        best.iter_mut().zip(objects).for_each(|(best, object)| *best = *object);
        self.best = self.held;
    }

    /// Copies the best placement over the present one.
    pub fn restore(&mut self, memory: &mut ProtocolMemory<'_>) {
        let objects = memory.objects.stretch_mut(..self.best);
        let best = memory.best.stretch(..self.best);
        objects.iter_mut().zip(best).for_each(|(object, best)| *object = *best);
        self.held = self.best;
    }
}
