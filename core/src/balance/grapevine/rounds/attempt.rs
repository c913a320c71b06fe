//! One attempt of the overloaded processors to give objects away: the part that both ways of making
//! it share.
//!
//! [`Attempt::at_once`] is that of processors that know what was gossiped, [`Attempt::in_turns`]
//! that of the slides' simulation.

use crate::balance::footprint::Bounds;
use crate::balance::grapevine::config::Config;
use crate::balance::grapevine::moment::Moment;
use crate::balance::grapevine::transfer::receiver::AcceptedOffer;
use crate::balance::grapevine::transfer::sender::Rules;
use crate::balance::objects::Objects;
use crate::base::bug::{Minus, OrBug};
use crate::base::id::{ObjectId, ProcessorId};
use crate::base::sort::swap;
use crate::base::table::At;

/// Setting of an attempt, during which it does not change.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The parameters.
    pub config: &'a Config,
    /// The rules.
    pub rules: &'a Rules,
    /// All objects.
    pub objects: &'a Objects<'a>,
    /// Bounds on memory, where there are some.
    pub bounds: Option<&'a Bounds<'a>>,
    /// The iteration.
    pub moment: Moment,
    /// Number of the attempt in its iteration, from 0.
    pub number: u32,
}

impl Attempt<'_> {
    /// Whether the sender `from`, with the objects `present`, has memory for the object that it
    /// gets back.
    pub(super) fn sender_has_room(
        &self,
        from: ProcessorId,
        accepted: AcceptedOffer,
        present: impl Iterator<Item = ObjectId> + Clone,
    ) -> bool {
        let (Some(bounds), Some(got)) = (self.bounds, accepted.got) else { return true };
        bounds.admits_exchange(from, present, accepted.given, got)
    }
}

/// Moves the given object of an accepted offer to `to`, and the one that is given back to `from`:
/// in the list of owners and in the loads.
pub fn carry_out(
    objects: &Objects<'_>,
    from: ProcessorId,
    to: ProcessorId,
    accepted: AcceptedOffer,
    owners: &mut [ProcessorId],
    loads: &mut [u64],
) {
    let mut hand_over = |object: ObjectId, from: ProcessorId, to: ProcessorId| {
        let owner = owners.at_mut(object);
        (*owner == from).or_bug("an object is given away by who does not have it");
        *owner = to;
        let load = objects.load(object);
        let sum = loads.at_mut(from);
        *sum = sum.minus(load);
        let sum = loads.at_mut(to);
        *sum = sum.saturating_add(load);
    };
    hand_over(accepted.given, from, to);
    if let Some(got) = accepted.got {
        hand_over(got, to, from);
    }
}

/// Puts the objects that may move to the front, in their order; returns their number.
pub fn movable_first(objects: &Objects<'_>, list: &mut [ObjectId]) -> usize {
    let mut kept = 0;
    for place in 0..list.len() {
        if list.get(place).is_some_and(|&object| !objects.is_fixed(object)) {
            swap(list, kept, place);
            kept += 1;
        }
    }
    kept
}

/// Returns the load of a processor.
pub fn load_of(loads: &[u64], processor: ProcessorId) -> u64 {
    *loads.at(processor)
}
