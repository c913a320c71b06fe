//! Negotiation: how a processor offers objects, answers offers, and settles answers.

use heapless::Vec;

use super::message::{Answer, Candidates, Message, Offer, Step};
use super::offers::Negotiation;
use super::peer::Peer;
use super::setting::{Mode, Setting};
use super::store::{ProtocolMemory, Request, Store};
use crate::balance::grapevine::config::KNOWN_MAX;
use crate::balance::grapevine::moment::Stage;
use crate::balance::grapevine::transfer::offering::{Offering, PeerOffer};
use crate::balance::grapevine::transfer::receiver::{
    AcceptedOffer, CANDIDATES_MAX, Receiver, Wanted,
};
use crate::balance::grapevine::transfer::sender::{Peers, Rules};
use crate::balance::objects::Objects;
use crate::base::bug::OrBug;
use crate::base::id::ObjectId;
use crate::base::table::{Add, At};

const SHORT: &str = "there is less memory than a processor needs";

impl Peer {
    /// Sends the offers of attempt `number` of the iteration, if this processor is overloaded.
    /// Offered objects stay until the offer is answered.
    pub(super) fn make_offers(
        &mut self,
        number: u32,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let (step, rules) = (self.begun.step, self.rules(setting));
        let load = self.store.load(memory);
        let listed = list(&self.store, memory);
        self.negotiation = Negotiation { listed, made: 0, ..self.negotiation };
        if !rules.gives(load) {
            return;
        }
        let ProtocolMemory { objects: tokens, loads, list, .. } = memory;
        let loads = loads.stretch(..self.store.held);
        let objects = objects_of(loads);
        let (mut names, mut known) = (Vec::<u32, KNOWN_MAX>::new(), Vec::<u64, KNOWN_MAX>::new());
        for (name, load) in self.heard.iter() {
            names.add(name);
            known.add(load);
        }
        let mut cumulative = [0; KNOWN_MAX];
        let cumulative = cumulative.stretch_mut(..known.len());
        let peers = Peers::new(&rules, &mut known, cumulative);
        let mut rng = setting.draws(step.iteration, Stage::Transfer(number), self.name);
        let offering = Offering { config: setting.config, rules: &rules, objects: &objects, load };
        let list = list.stretch_mut(..listed);
        let mut made = 0;
        let offered = offering.run(list, peers, &mut rng, &mut |offer| {
            let PeerOffer { peer, sender_load, wanted } = offer;
            let (any, wanted) = match wanted {
                Wanted::Transfer(ref object) => (false, core::slice::from_ref(object)),
                Wanted::Exchange(candidates) => (true, candidates),
            };
            let mut objects = Candidates::new();
            for &object in wanted.iter().take(CANDIDATES_MAX) {
                objects.add(*tokens.at(object));
            }
            send(
                *names.at(peer),
                Message::Offer(Offer { step, number: made, sender_load, any, objects }),
            );
            made += 1;
            true
        });
        self.negotiation =
            Negotiation { made, open: made, listed: offered.left, ..self.negotiation };
        self.traffic.sent += u64::from(made);
    }

    /// Queues an offer of the processor `from`. Where messages are answered one by one, it is
    /// answered at once.
    pub(super) fn consider(
        &mut self,
        from: u32,
        offer: Offer,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let step = offer.step;
        self.traffic_of(step).received += 1;
        let request = Request { from, offer, ..Request::EMPTY };
        if let Some(refused) = self.negotiation.queue(memory.inbox, request) {
            self.reply(&refused, step, send);
        }
        if setting.mode == Mode::Messages {
            if self.negotiation.open == 0 {
                self.negotiation.listed = list(&self.store, memory);
            }
            let is_bound = self.negotiation.open > 0;
            self.answer(is_bound, step, setting, memory, send);
        }
    }

    /// Answers all offers of an attempt, once every processor has sent its own.
    pub(super) fn answer_all(
        &mut self,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let is_bound = self.negotiation.made > 0;
        self.answer(is_bound, self.begun.step, setting, memory, send);
    }

    /// Answers the waiting offers, which are of `step`, and carries the accepted ones out. A
    /// processor that has made offers is bound: it refuses, as it has promised its objects and its
    /// load is not yet certain.
    fn answer(
        &mut self,
        is_bound: bool,
        step: Step,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let waiting = core::mem::take(&mut self.negotiation.waiting);
        if !(is_bound && setting.config.refuse) {
            let rules = self.rules(setting);
            decide((&self.store, self.negotiation.listed), waiting, (setting, &rules), memory);
        }
        for place in 0..waiting {
            let request = memory.inbox.at(place).clone();
            if let Some(got) = request.got {
                self.store.take(memory, got.id);
            }
            if let Some(given) = request.given {
                self.store.put(memory, given);
                self.transfers += 1 + u64::from(request.got.is_some());
            }
            self.reply(&request, step, send);
        }
    }

    /// Sends the answer to an offer back to its sender: the objects that change hands are in
    /// `request`, and none where the offer is refused.
    fn reply(&mut self, request: &Request, step: Step, send: &mut impl FnMut(u32, Message)) {
        self.traffic_of(step).sent += 1;
        let given = request.given.map(|object| object.id);
        send(request.from, Message::Answer(Answer { step, given, got: request.got }));
    }

    /// Takes the answer to one of this processor's own offers: gives the object away that was
    /// taken, and takes in the one that comes back.
    pub(super) fn settle(&mut self, answer: Answer, memory: &mut ProtocolMemory<'_>) {
        let Answer { step, given, got } = answer;
        self.traffic_of(step).received += 1;
        debug_assert!(self.negotiation.open > 0, "an offer is answered that was not made");
        self.negotiation.open = self.negotiation.open.saturating_sub(1);
        if let Some(given) = given {
            self.store.take(memory, given);
            if let Some(got) = got {
                self.store.put(memory, got);
            }
        }
    }
}

/// Returns objects of these loads, which may all move. The sum of all loads fits 64 bits.
fn objects_of(loads: &[u64]) -> Objects<'_> {
    Objects::new(loads, &[]).or_bug("the sum of the loads does not fit 64 bits")
}

/// Sorts the objects by their numbers, and lists those that may move, by their places. Returns the
/// length of the list.
fn list(store: &Store, memory: &mut ProtocolMemory<'_>) -> usize {
    store.sort(memory);
    let ProtocolMemory { objects, loads, list, .. } = memory;
    let objects = objects.stretch(..store.held);
    debug_assert!(loads.len().min(list.len()) >= objects.len(), "{SHORT}");
    loads.iter_mut().zip(objects).for_each(|(load, object)| *load = object.load);
    let movable = (0..).map(ObjectId).zip(objects).filter(|(_, object)| !object.fixed);
    list.iter_mut().zip(movable).map(|(place, (object, _))| *place = object).count()
}

/// Decides on the first `waiting` offers in the inbox, and writes into each what is given and got.
/// The first `listed` objects of the list may go in exchange.
fn decide(
    (store, listed): (&Store, usize),
    waiting: usize,
    (setting, rules): (&Setting<'_>, &Rules),
    memory: &mut ProtocolMemory<'_>,
) {
    let (mut room, load) = (store.room(memory), store.load(memory));
    let ProtocolMemory { objects: tokens, loads, list, inbox, .. } = memory;
    let requests = inbox.stretch_mut(..waiting);
    // The offered objects come behind the own ones.
    let mut end = store.held;
    for request in &mut *requests {
        request.place = u32::try_from(end).unwrap_or(u32::MAX);
        let places = loads.stretch_mut(end..).iter_mut();
        debug_assert!(places.len() >= request.offer.objects.len(), "{SHORT}");
        end += places.zip(&request.offer.objects).map(|(load, object)| *load = object.load).count();
    }
    let loads = loads.stretch(..end);
    let objects = objects_of(loads);
    let movable = list.stretch(..listed);
    let mut receiver = Receiver::new(rules, &objects, load, movable);
    for request in requests.iter_mut().filter(|request| request.end() <= end) {
        if room == 0 {
            break;
        }
        let local = request.local();
        let sender_load = request.offer.sender_load;
        let accepted = match local.first() {
            _ if request.offer.any => receiver.answer(sender_load, Wanted::Exchange(&local)),
            Some(&object) if setting.config.refuse => {
                receiver.answer(sender_load, Wanted::Transfer(object))
            }
            Some(&object) => Some(AcceptedOffer { given: object, got: None }),
            None => None,
        };
        let Some(AcceptedOffer { given, got }) = accepted else { continue };
        let place = given.0.saturating_sub(request.place) as usize;
        request.given = Some(*request.offer.objects.at(place));
        request.got = got.map(|got| *tokens.at(got));
        room -= 1;
    }
}
