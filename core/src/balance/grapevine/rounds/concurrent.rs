//! One attempt of all overloaded processors at once, each with the gossiped loads: offers, answers,
//! and the moves that follow. The work of each processor for itself can be done on many threads.

use super::attempt::{Attempt, carry_out, load_of, movable_first};
use super::memory::{GrapevineMemory, PeerMemory};
use super::offers::{
    ANY_OBJECT, Answering, Asked, Knowing, Offer, Outbox, Planning, ReceivedOffer,
};
use super::tally::Tally;
use crate::balance::grapevine::config::KNOWN_MAX;
use crate::balance::grapevine::gossip::Knowledge;
use crate::balance::grapevine::group::{group, stretch};
use crate::balance::grapevine::moment::Stage;
use crate::balance::grapevine::parallel::{Parallel, cut, divide};
use crate::balance::grapevine::transfer::offering::{Offering, PeerOffer};
use crate::balance::grapevine::transfer::receiver::{AcceptedOffer, Receiver, Wanted, urgency};
use crate::balance::grapevine::transfer::sender::Peers;
use crate::base::id::{ObjectId, ProcessorId, number_of};
use crate::base::sort::sort_by_key;
use crate::base::table::At;

impl Attempt<'_> {
    /// Makes one attempt of all processors at once: offers, answers and moves. Changes `owners` and
    /// the loads.
    pub fn at_once(
        &self,
        owners: &mut [ProcessorId],
        memory: &mut GrapevineMemory<'_>,
        parallel: &impl Parallel,
    ) -> Tally {
        let placed = owners.iter().copied().zip(self.objects.ids());
        group(placed, memory.first, memory.items);
        let planned = self.plan(memory, parallel);
        deliver(memory);
        self.answer(memory, parallel);
        planned.and(self.settle(owners, memory))
    }

    /// Lets every overloaded processor make its offers, on many threads where knowledge is in
    /// tables. Counts the transfers that the senders' criterion rejects.
    fn plan(&self, memory: &mut GrapevineMemory<'_>, parallel: &impl Parallel) -> Tally {
        let GrapevineMemory { items, movable, offered, offers, first, loads, published, .. } =
            memory;
        let (knowledge, peers) = (&memory.knowledge, &mut memory.peers);
        let (loads, published) = (&**loads, &**published);
        let known = Knowing { knowledge, loads, published };
        let part = Planning { first_processor: 0, starts: first, items, movable, offered, offers };
        match knowledge {
            Knowledge::Tables(_) => {
                let work = |part: Planning<'_>| {
                    let peers = &mut PeerMemory {
                        ids: &mut [ProcessorId(0); KNOWN_MAX],
                        loads: &mut [0; KNOWN_MAX],
                        cumulative: &mut [0; KNOWN_MAX],
                    };
                    self.plan_part(&known, part, peers)
                };
                divide(parallel, part, &work, &Tally::and)
            }
            // The peers of each may be all processors: memory for those is lent only once.
            Knowledge::Full(_) => self.plan_part(&known, part, peers),
        }
    }

    /// Makes the offers of the processors in `part`, one after the other. `peers` is scratch memory
    /// for what each knows.
    fn plan_part(
        &self,
        known: &Knowing<'_>,
        part: Planning<'_>,
        peers: &mut PeerMemory<'_>,
    ) -> Tally {
        let Planning { first_processor, starts, mut items, movable, offered, mut offers } = part;
        let mut tally = Tally::default();
        let lengths = starts.windows(2).map(|pair| match pair {
            [begin, end] => (end - begin) as usize,
            _ => 0,
        });
        let counts = movable.iter_mut().zip(offered);
        for ((processor, length), (movable, offered)) in
            (first_processor..).map(ProcessorId).zip(lengths).zip(counts)
        {
            let (list, other_items) = cut(core::mem::take(&mut items), length);
            let (mine, other_offers) = cut(core::mem::take(&mut offers), length + 1);
            (items, offers) = (other_items, other_offers);
            let kept = movable_first(self.objects, list);
            let list = list.stretch_mut(..kept);
            let mut outbox = Outbox { offers: mine, made: 0 };
            *movable =
                number_of(self.plan_one(processor, known, list, peers, &mut outbox, &mut tally));
            *offered = number_of(outbox.made);
        }
        tally
    }

    /// Makes one processor's offers into `outbox`. Returns the number of objects of `list` that are
    /// not offered, which come to the front.
    fn plan_one(
        &self,
        processor: ProcessorId,
        known: &Knowing<'_>,
        list: &mut [ObjectId],
        peers: &mut PeerMemory<'_>,
        outbox: &mut Outbox<'_>,
        tally: &mut Tally,
    ) -> usize {
        let load = load_of(known.loads, processor);
        if !self.rules.gives(load) {
            return list.len();
        }
        let found = known.knowledge.gather(processor, peers.ids);
        let ids = peers.ids.stretch(..found);
        let loads = peers.loads.stretch_mut(..found);
        for (load, &id) in loads.iter_mut().zip(ids) {
            *load = load_of(known.published, id);
        }
        let peers = Peers::new(self.rules, loads, peers.cumulative);
        let &Self { config, rules, objects, .. } = self;
        let mut rng = self.moment.draws(Stage::Transfer(self.number), processor.0);
        let offering = Offering { config, rules, objects, load };
        let offered = offering.run(list, peers, &mut rng, &mut |offer| {
            let PeerOffer { peer, sender_load, wanted } = offer;
            let object = if let Wanted::Transfer(object) = wanted { object } else { ANY_OBJECT };
            outbox.push(Offer { to: *ids.at(peer), object, sender_load });
            true
        });
        tally.rejected += offered.rejected;
        offered.left
    }

    /// Lets every receiver answer the offers in its inbox, on many threads.
    fn answer(&self, memory: &mut GrapevineMemory<'_>, parallel: &impl Parallel) {
        let GrapevineMemory {
            first,
            items,
            movable,
            offered,
            offers,
            inbox,
            received,
            answers,
            loads,
            ..
        } = memory;
        let asked = Asked { first, items, movable, offered, offers, loads };
        let part = Answering { first_processor: 0, starts: inbox, received, answers };
        divide(parallel, part, &|part| self.answer_part(&asked, part), &|(), ()| ());
    }

    /// Answers the offers to the processors in `part`.
    fn answer_part(&self, asked: &Asked<'_>, part: Answering<'_>) {
        let Answering { first_processor, starts, mut received, mut answers } = part;
        for (processor, pair) in (first_processor..).map(ProcessorId).zip(starts.windows(2)) {
            let length = if let [begin, end] = pair { (end - begin) as usize } else { 0 };
            let (inbox, other_received) = cut(core::mem::take(&mut received), length);
            let (mine, other_answers) = cut(core::mem::take(&mut answers), length);
            (received, answers) = (other_received, other_answers);
            if length > 0 {
                self.answer_one(processor, asked, inbox, mine);
            }
        }
    }

    /// Answers the offers in one processor's inbox, the most urgent first. It refuses all where it
    /// has made offers itself, and takes all where the configuration lets nobody refuse.
    fn answer_one(
        &self,
        processor: ProcessorId,
        asked: &Asked<'_>,
        inbox: &mut [ReceivedOffer],
        answers: &mut [Option<AcceptedOffer>],
    ) {
        let offer = |received: &ReceivedOffer| *asked.offers.at(received.offer);
        if !self.config.refuse {
            for (answer, received) in answers.iter_mut().zip(inbox.iter()) {
                *answer = Some(AcceptedOffer { given: offer(received).object, got: None });
            }
            return;
        }
        answers.fill(None);
        // A processor that makes offers has promised its objects, and its load is not yet certain.
        if *asked.offered.at(processor) > 0 {
            return;
        }
        sort_by_key(inbox, |received| {
            urgency(offer(received).sender_load, received.from.0, received.offer)
        });
        let mut receiver = Receiver::new(
            self.rules,
            self.objects,
            load_of(asked.loads, processor),
            asked.movable(processor),
        )
        .within(self.bounds, processor, asked.present(processor));
        for (answer, received) in answers.iter_mut().zip(inbox.iter()) {
            let Offer { object, sender_load, .. } = offer(received);
            let wanted = if object == ANY_OBJECT {
                Wanted::Exchange(asked.movable(received.from))
            } else {
                Wanted::Transfer(object)
            };
            *answer = receiver.answer(sender_load, wanted);
        }
    }

    /// Carries out the accepted offers, unless the sender has no memory for the object that comes
    /// back. Counts the transfers and the refusals.
    fn settle(&self, owners: &mut [ProcessorId], memory: &mut GrapevineMemory<'_>) -> Tally {
        let mut tally = Tally::default();
        let GrapevineMemory { inbox, received, answers, loads, first, items, offers, .. } = memory;
        // The order is that of numbers, since the room that a sender still has depends on the
        // objects that it got before.
        for to in (0..).map(ProcessorId).take(inbox.len().saturating_sub(1)) {
            let places = stretch(inbox, to);
            let received = received.stretch(places.clone());
            for (received, answer) in received.iter().zip(answers.stretch(places)) {
                let present = items.stretch_mut(stretch(first, received.from));
                let has_room = |accepted: &AcceptedOffer| {
                    self.sender_has_room(received.from, *accepted, present.iter().copied())
                };
                let accepted = answer.filter(has_room);
                let Some(accepted) = accepted else {
                    tally.refused += u64::from(offers.at(received.offer).object != ANY_OBJECT);
                    continue;
                };
                carry_out(self.objects, received.from, to, accepted, owners, loads);
                if self.bounds.is_some() {
                    replace(present, accepted);
                }
                tally.count(accepted);
            }
        }
        tally
    }
}

/// Puts the object that a sender got in the place of the one that it gave; [`ANY_OBJECT`], which
/// takes no memory, where it got none.
fn replace(present: &mut [ObjectId], accepted: AcceptedOffer) {
    let given = present.place_of(|&object| object == accepted.given);
    *present.at_mut(given) = accepted.got.unwrap_or(ANY_OBJECT);
}

/// Groups the offers by receiver into the inboxes.
fn deliver(memory: &mut GrapevineMemory<'_>) {
    let GrapevineMemory { first, offered, offers, inbox, received, .. } = memory;
    let (offers, offered): (&[Offer], &[u32]) = (offers, offered);
    let begins = first.iter().zip(0..).map(|(&begin, sender)| begin + sender);
    let senders = (0..).map(ProcessorId).zip(begins.zip(offered));
    let delivered = senders.flat_map(|(from, (begin, &made))| {
        let places = begin..begin + made;
        places.map(move |place| (offers.at(place).to, ReceivedOffer { offer: place, from }))
    });
    group(delivered, inbox, received);
}
