//! The slides' simulation: the processors take turns, and see the true loads.

use super::attempt::{Attempt, carry_out, load_of, movable_first};
use super::memory::GrapevineMemory;
use super::tally::Tally;
use crate::balance::grapevine::config::CmfUpdate;
use crate::balance::grapevine::moment::Stage;
use crate::balance::grapevine::parallel::cut;
use crate::balance::grapevine::transfer::order::arrange;
use crate::balance::grapevine::transfer::receiver::{AcceptedOffer, Receiver, Wanted};
use crate::balance::grapevine::transfer::sender::{Peers, Sender};
use crate::balance::objects::Objects;
use crate::base::id::{ObjectId, ProcessorId};
use crate::base::rng::Rng;
use crate::base::sort::sort_by_key;
use crate::base::table::{At, PerObject, PerProcessor};

/// The end of a list.
const END: u32 = u32::MAX;

/// The objects of each processor in lists, which change while turns are taken.
struct Lists<'a> {
    /// The object that each list begins with, or [`END`].
    first: PerProcessor<&'a mut [u32]>,
    /// The object after each one in its list, or [`END`].
    next: PerObject<&'a mut [ObjectId]>,
}

impl Lists<'_> {
    fn push(&mut self, processor: ProcessorId, object: ObjectId) {
        let second = core::mem::replace(&mut self.first[processor], object.0);
        self.next[object] = ObjectId(second);
    }

    fn clear(&mut self, processor: ProcessorId) {
        self.first[processor] = END;
    }

    /// Returns the objects of a processor, the last added first.
    fn of(&self, processor: ProcessorId) -> impl Iterator<Item = ObjectId> + Clone {
        let known = |object: u32| (object != END).then_some(ObjectId(object));
        let first = known(self.first[processor]);
        core::iter::successors(first, move |&object| known(self.next[object].0))
    }

    /// Removes an object from the list of the processor `of`, which has it.
    fn remove(&mut self, of: ProcessorId, gone: ObjectId) {
        debug_assert!(self.of(of).any(|object| object == gone), "an object is not in its list");
        let after = self.next[gone];
        let before = self.of(of).find(|&object| self.next[object] == gone);
        match before {
            Some(before) => self.next[before] = after,
            None => self.first[of] = after.0,
        }
    }

    /// Copies a processor's list into `out`, sorted by number; returns its length. There is room
    /// for all.
    fn gather(&self, processor: ProcessorId, out: &mut [ObjectId]) -> usize {
        debug_assert!(self.of(processor).count() <= out.len(), "an object has no room");
        let length = out.iter_mut().zip(self.of(processor)).map(|(out, id)| *out = id).count();
        sort_by_key(out.stretch_mut(..length), |&object| object);
        length
    }
}

impl Attempt<'_> {
    /// Makes one attempt in which the processors take turns, in a random order by the seed, and see
    /// the true loads. Changes `owners` and the loads.
    pub fn in_turns(&self, owners: &mut [ProcessorId], memory: &mut GrapevineMemory<'_>) -> Tally {
        let mut tally = Tally::default();
        let GrapevineMemory { first, items, loads, published, scratch, knowledge, peers, .. } =
            memory;
        let mut lists = Lists { first: PerProcessor::of(first), next: PerObject::of(items) };
        lists.first.as_mut_slice().fill(END);
        for (&owner, object) in owners.iter().zip(self.objects.ids()) {
            lists.push(owner, object);
        }
        let mut world = World { owners, loads, lists };
        let processors = u32::try_from(world.loads.len()).unwrap_or(u32::MAX);
        let mut rng = self.moment.draws(Stage::Turns(self.number), 0);
        let mut before = None;
        // A processor that is filled up before its turn gives away what it got.
        for processor in turns(processors, &mut rng).map(ProcessorId) {
            if !self.rules.gives(load_of(world.loads, processor)) {
                continue;
            }
            let same =
                before.filter(|before: &Gathered| knowledge.know_the_same([before.by, processor]));
            let found =
                same.map_or_else(|| knowledge.gather(processor, peers.ids), |before| before.found);
            let ids = peers.ids.stretch(..found);
            let known = peers.loads.stretch_mut(..found);
            // The chances are those of the gossip, the criterion sees the true loads.
            let seen = if let Some(weighed) = same.and_then(|before| before.weighed) {
                Peers::with_chances(known, peers.cumulative, weighed)
            } else {
                see(known, ids, published);
                Peers::new(self.rules, known, peers.cumulative)
            };
            let weighed = (self.config.cmf_update == CmfUpdate::Once).then_some(seen.weighed());
            before = Some(Gathered { by: processor, found, weighed });
            see(seen.loads, ids, world.loads);
            tally = tally.and(self.turn(processor, ids, seen, &mut world, scratch));
        }
        tally
    }

    /// Makes the turn of one processor: it gives objects away while it is overloaded, and then
    /// tries one exchange. `ids` are the processors of `peers`, whose loads are the true ones.
    fn turn(
        &self,
        processor: ProcessorId,
        ids: &[ProcessorId],
        peers: Peers<'_>,
        world: &mut World<'_>,
        scratch: &mut [ObjectId],
    ) -> Tally {
        let mut tally = Tally::default();
        let length = world.lists.gather(processor, scratch);
        let (list, _) = cut(scratch, length);
        let movable = movable_first(self.objects, list);
        let (list, fixed) = cut(list, movable);
        let (load, average) = (load_of(world.loads, processor), self.rules.average);
        let mut rng = self.moment.draws(Stage::Transfer(self.number), processor.0);
        arrange(self.config.order, list, self.objects, load, average, &mut rng);
        let mut sender = Sender::new(self.rules, self.objects, load, peers);
        let left = sender.run(list, &mut rng, &mut |proposal| {
            let to = *ids.at(proposal.peer);
            let accepted = AcceptedOffer { given: proposal.object, got: None };
            let made = self.has_room(to, proposal.object, &world.lists);
            if made {
                world.carry_out(self.objects, processor, to, accepted);
                world.lists.push(to, accepted.given);
                tally.count(accepted);
            }
            made
        });
        tally.rejected += sender.rejected;
        let kept = list.stretch(..left);
        world.lists.clear(processor);
        for &object in kept.iter().chain(fixed.iter()) {
            world.lists.push(processor, object);
        }
        if self.config.exchange && self.rules.is_overloaded(sender.load) {
            let partner = sender.peers.sample(&mut rng).map(|peer| *ids.at(peer));
            // Objects that are gone may be on the partner: its objects need that memory too.
            let (kept, rest) = cut(scratch, left);
            if let Some(partner) = partner {
                self.exchange((processor, kept), partner, world, rest, &mut tally);
            }
        }
        tally
    }

    /// Exchanges one of the `candidates` of a processor for an object of `partner`, so that their
    /// loads are evened out most; nothing where no exchange is admitted.
    fn exchange(
        &self,
        (processor, candidates): (ProcessorId, &[ObjectId]),
        partner: ProcessorId,
        world: &mut World<'_>,
        scratch: &mut [ObjectId],
        tally: &mut Tally,
    ) {
        let length = world.lists.gather(partner, scratch);
        let present = scratch.stretch_mut(..length);
        let movable = movable_first(self.objects, present);
        let (loads, present) = (&world.loads, &*present);
        let movable = present.stretch(..movable);
        let mut receiver =
            Receiver::new(self.rules, self.objects, load_of(loads, partner), movable).within(
                self.bounds,
                partner,
                present,
            );
        let sender_load = load_of(loads, processor);
        let Some(accepted) = receiver.answer(sender_load, Wanted::Exchange(candidates)) else {
            return;
        };
        if !self.sender_has_room(processor, accepted, world.lists.of(processor)) {
            return;
        }
        world.carry_out(self.objects, processor, partner, accepted);
        // Each leaves its list before it goes to the other: it is in one at a time.
        world.lists.remove(processor, accepted.given);
        if let Some(got) = accepted.got {
            world.lists.remove(partner, got);
            world.lists.push(processor, got);
        }
        world.lists.push(partner, accepted.given);
        tally.count(accepted);
    }

    /// Whether the processor `to` has memory for one more object.
    fn has_room(&self, to: ProcessorId, object: ObjectId, lists: &Lists<'_>) -> bool {
        self.bounds
            .is_none_or(|bounds| bounds.admits(bounds.usage(to, &lists.of(to).chain([object]))))
    }
}

/// Everything that a turn changes.
struct World<'a> {
    owners: &'a mut [ProcessorId],
    loads: &'a mut [u64],
    lists: Lists<'a>,
}

impl World<'_> {
    /// Changes owners and loads; the lists are left to the caller.
    fn carry_out(
        &mut self,
        objects: &Objects<'_>,
        from: ProcessorId,
        to: ProcessorId,
        accepted: AcceptedOffer,
    ) {
        carry_out(objects, from, to, accepted, self.owners, self.loads);
    }
}

/// State that the last turn has left in the memory for peers: once gossip has reached everybody,
/// all know the same others, and gathering and weighing them again would take most of the time.
#[derive(Clone, Copy)]
struct Gathered {
    /// The processor whose turn it was.
    by: ProcessorId,
    /// Number of its peers.
    found: usize,
    /// Number of peers that have chances, where these stay those of the gossip.
    weighed: Option<usize>,
}

/// Copies the loads of the processors `ids` into `seen`.
fn see(seen: &mut [u64], ids: &[ProcessorId], loads: &[u64]) {
    for (seen, &id) in seen.iter_mut().zip(ids) {
        *seen = load_of(loads, id);
    }
}

/// Returns each processor number once, in a random order that needs no memory: from a random start
/// in steps that have no divisor in common with their number.
fn turns(processors: u32, rng: &mut Rng) -> impl Iterator<Item = u32> + use<> {
    let begin = rng.below(processors);
    let step = (0..64).map(|_| rng.below(processors)).find(|&step| divisor(step, processors) == 1);
    let (step, all) = (u64::from(step.unwrap_or(1)), u64::from(processors));
    (0..all).map(move |turn| {
        let number = (u64::from(begin) + turn * step).checked_rem(all).unwrap_or(0);
        u32::try_from(number).unwrap_or(0)
    })
}

/// Returns the greatest common divisor.
fn divisor(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while let Some(rest) = a.checked_rem(b) {
        (a, b) = (b, rest);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_one_turn() {
        for processors in 1..40 {
            let seen = turns(processors, &mut Rng::new(5, u64::from(processors)))
                .fold(0_u64, |seen, number| seen | 1 << number);
            assert_eq!(seen, (1 << processors) - 1);
        }
    }
}
