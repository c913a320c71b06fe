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
use crate::base::go_on::OrGoOn;
use crate::base::id::ObjectId;

const SHORT: &str = "there is less memory than a processor needs";
const NO_OBJECT: &str = "an object is not there";
const TOO_MUCH: &str = "the sum of the loads does not fit 64 bits";

impl Peer {
    /// Makes the processor's offers of an attempt, if it gives at all.
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
        let token = |local: ObjectId| tokens.get(local.index()).copied().or_go_on(NO_OBJECT);
        let loads = loads.get(..self.store.held).or_go_on(SHORT).unwrap_or_default();
        let Ok(objects) = Objects::new(loads, &[]).or_go_on(TOO_MUCH) else { return };
        let (mut names, mut known) = (Vec::<u32, KNOWN_MAX>::new(), Vec::<u64, KNOWN_MAX>::new());
        for (name, load) in self.heard.iter() {
            names.push(name).or_go_on("more is known than there is room for").ok();
            known.push(load).or_go_on("more is known than there is room for").ok();
        }
        let mut cumulative = [0; KNOWN_MAX];
        let cumulative = cumulative.get_mut(..known.len()).unwrap_or_default();
        let peers = Peers::new(&rules, &mut known, cumulative);
        let mut rng = setting.draws(step.iteration, Stage::Transfer(number), self.name);
        let offering = Offering { config: setting.config, rules: &rules, objects: &objects, load };
        let list = list.get_mut(..listed).or_go_on(SHORT).unwrap_or_default();
        let mut made = 0;
        let (left, _) = offering.run(list, peers, &mut rng, &mut |offer| {
            let PeerOffer { peer, sender_load, wanted } = offer;
            let Some(&to) = names.get(peer).or_go_on("a peer is not there") else { return false };
            let (any, wanted) = match wanted {
                Wanted::Transfer(ref object) => (false, core::slice::from_ref(object)),
                Wanted::Exchange(candidates) => (true, candidates),
            };
            let mut objects = Candidates::new();
            for &object in wanted.iter().take(CANDIDATES_MAX) {
                let token = token(object).unwrap_or_default();
                objects.push(token).or_go_on("more is offered than there is room for").ok();
            }
            send(to, Message::Offer(Offer { step, number: made, sender_load, any, objects }));
            made += 1;
            true
        });
        self.negotiation = Negotiation { made, open: made, listed: left, ..self.negotiation };
        self.traffic.sent += u64::from(made);
    }

    /// Takes an offer of another processor.
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

    /// Answers all offers of an attempt.
    pub(super) fn answer_all(
        &mut self,
        setting: &Setting<'_>,
        memory: &mut ProtocolMemory<'_>,
        send: &mut impl FnMut(u32, Message),
    ) {
        let is_bound = self.negotiation.made > 0;
        self.answer(is_bound, self.begun.step, setting, memory, send);
    }

    /// Answers the waiting offers. A processor that has made offers is bound: it has promised its
    /// objects, and its load is not yet certain.
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
            let request = memory.inbox.get(place).cloned().or_go_on("an offer is not there");
            let Some(request) = request else { continue };
            if let Some(got) = request.got {
                self.store.take(memory, got.id).or_go_on(NO_OBJECT);
            }
            if let Some(given) = request.given {
                self.store.put(memory, given);
                self.transfers += 1 + u64::from(request.got.is_some());
            }
            self.reply(&request, step, send);
        }
    }

    fn reply(&mut self, request: &Request, step: Step, send: &mut impl FnMut(u32, Message)) {
        self.traffic_of(step).sent += 1;
        let given = request.given.map(|object| object.id);
        send(request.from, Message::Answer(Answer { step, given, got: request.got }));
    }

    /// Settles one of the processor's offers, which is answered.
    pub(super) fn settle(&mut self, answer: Answer, memory: &mut ProtocolMemory<'_>) {
        let Answer { step, given, got } = answer;
        self.traffic_of(step).received += 1;
        debug_assert!(self.negotiation.open > 0, "an offer is answered that was not made");
        self.negotiation.open = self.negotiation.open.saturating_sub(1);
        let gone = given.and_then(|given| self.store.take(memory, given).or_go_on(NO_OBJECT));
        if gone.is_some()
            && let Some(got) = got
        {
            self.store.put(memory, got);
        }
    }
}

/// Puts the objects in order, and those that may move into the list, by their places; returns the
/// number of the latter.
fn list(store: &Store, memory: &mut ProtocolMemory<'_>) -> usize {
    store.sort(memory);
    let ProtocolMemory { objects, loads, list, .. } = memory;
    let objects = objects.get(..store.held).or_go_on(SHORT).unwrap_or_default();
    debug_assert!(loads.len().min(list.len()) >= objects.len(), "{SHORT}");
    loads.iter_mut().zip(objects).for_each(|(load, object)| *load = object.load);
    let movable = (0..).map(ObjectId).zip(objects).filter(|(_, object)| !object.fixed);
    list.iter_mut().zip(movable).map(|(place, (object, _))| *place = object).count()
}

/// Decides on the first offers in the inbox; `listed` objects may go for others.
fn decide(
    (store, listed): (&Store, usize),
    waiting: usize,
    (setting, rules): (&Setting<'_>, &Rules),
    memory: &mut ProtocolMemory<'_>,
) {
    let (mut room, load) = (store.room(memory), store.load(memory));
    let ProtocolMemory { objects: tokens, loads, list, inbox, .. } = memory;
    let requests = inbox.get_mut(..waiting).or_go_on("an offer is not there").unwrap_or_default();
    // The offered objects come behind the own ones.
    let mut end = store.held;
    for request in &mut *requests {
        request.place = u32::try_from(end).unwrap_or(u32::MAX);
        let places = loads.get_mut(end..).or_go_on(SHORT).unwrap_or_default().iter_mut();
        debug_assert!(places.len() >= request.offer.objects.len(), "{SHORT}");
        end += places.zip(&request.offer.objects).map(|(load, object)| *load = object.load).count();
    }
    let loads = loads.get(..end).or_go_on(SHORT).unwrap_or_default();
    let Ok(objects) = Objects::new(loads, &[]).or_go_on(TOO_MUCH) else { return };
    let movable = list.get(..listed).or_go_on(SHORT).unwrap_or_default();
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
        request.given = request.offer.objects.get(place).copied().or_go_on(NO_OBJECT);
        request.got = got.and_then(|got| tokens.get(got.index()).copied().or_go_on(NO_OBJECT));
        room -= 1;
    }
}
