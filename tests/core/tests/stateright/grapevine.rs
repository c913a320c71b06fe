//! Grapevine with messages, answered at once, under every order in which three processors' messages
//! arrive.

use std::panic;
use std::sync::{Mutex, PoisonError};

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::balance::grapevine::protocol::{
    Answer, Counts, Lengths, Message, Mode, Peer, Phase, Setting,
};
use tresse_core::balance::grapevine::{Config, Threshold};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::id::{ObjectId, ProcessorId};
use tresse_core_tests::fingerprint;
use tresse_core_tests::grapevine::network::{Flying, Network};
use tresse_core_tests::grapevine::world::World;

use crate::explore;

const ONCE: &str = "every object is once";
const FALLS: &str = "no processor has more than the most loaded one had";
const QUIET: &str = "a step begins when nothing of the one before is on its way";
const ENDS: &str = "all come to the end";
const MOVES: &str = "an object changes hands";
const EXCHANGES: &str = "objects are exchanged";
const REFUSES: &str = "a receiver refuses";
const BOUND: &str = "a receiver refuses because it made an offer";

/// Faults of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    /// Accepts objects and forgets them.
    Forgets,
    /// Takes a refusal for an acceptance.
    Drops,
    /// Takes an acceptance for a refusal.
    Keeps,
    /// Does not count offers and answers.
    CountsNothing,
    /// Misses the beginning of a step.
    Sleeps,
}

struct Grapevine {
    world: World,
    fault: Fault,
}

impl Grapevine {
    /// Processor 1 has more than the others together; what it gives away overloads who gets it.
    fn new(fault: Fault, exchange: bool) -> Self {
        let config = Config {
            rounds: 2,
            fanout: 2,
            attempts: 2,
            iterations: 2,
            threshold: Threshold::Times(Millionths::ONE),
            exchange,
            ..Config::DISTRIBUTED
        };
        let owners = [1, 1, 1, 2, 0];
        Self {
            world: World {
                config,
                loads: vec![7, 5, 4, 1, 2],
                fixed: vec![false; owners.len()],
                owners: owners.map(ProcessorId).to_vec(),
                processors: 3,
                bounded_memory: None,
            },
            fault,
        }
    }

    fn setting(&self) -> Setting<'_> {
        self.world.setting(Mode::Messages)
    }

    fn most(&self) -> u64 {
        self.world.sums(&self.world.owners).into_iter().max().unwrap_or(0)
    }
}

/// Delivers a message to a processor, right or wrong.
fn deliver(fault: Fault, setting: &Setting<'_>, network: &Network, place: usize) -> Network {
    let mut next = network.clone();
    let incoming = next.flying[place].clone();
    let to = incoming.to as usize;
    if fault == Fault::Sleeps && begins_offers(&incoming) {
        next.flying.swap_remove(place);
        return next;
    }
    if let (Fault::Keeps, Message::Answer(answer)) = (fault, &mut next.flying[place].message) {
        *answer = Answer { given: None, got: None, ..*answer };
    }
    let others = next.flying.len() - 1;
    next.deliver(setting, place);
    let is_counted_out = matches!(next.peers[to].step().phase, Phase::Offers(_));
    let mut has_taken = false;
    for flying in &mut next.flying[others..] {
        match (&mut flying.message, &incoming.message) {
            (Message::Answer(answer), Message::Offer(offer)) => {
                has_taken = answer.given.is_some();
                if fault == Fault::Drops && !has_taken {
                    answer.given = offer.objects.first().map(|object| object.id);
                }
            }
            (Message::Counted(counts), _) if fault == Fault::CountsNothing && is_counted_out => {
                *counts = Counts { sent: 0, received: 0, ..*counts };
            }
            _ => {}
        }
    }
    if fault == Fault::Forgets && has_taken {
        next.peers[to] = network.peers[to].clone();
        next.memories[to] = network.memories[to].clone();
    }
    let held = next.peers[to].held();
    next.memories[to].tidy(held);
    next.flying.sort_by_key(fingerprint);
    next
}

fn begins_offers(flying: &Flying) -> bool {
    matches!(&flying.message, Message::Begin(begin) if begin.step.phase == Phase::Offers(0))
}

fn answers(network: &Network) -> impl Iterator<Item = (&Flying, &Answer)> {
    network.flying.iter().filter_map(|flying| match &flying.message {
        Message::Answer(answer) => Some((flying, answer)),
        _ => None,
    })
}

/// Reports whether every object is on one processor, or comes back with an answer. An object that
/// was taken is still with its sender, as long as that does not know. While some processors have
/// gone back to the best placement, and others not yet, nothing is checked.
fn is_once(network: &Network, objects: usize) -> bool {
    let done = network.peers.iter().filter(|peer| peer.is_done()).count();
    if done > 0 && done < network.peers.len() {
        return true;
    }
    let held = (0..network.peers.len()).flat_map(|name| network.objects(name));
    let coming = answers(network).filter_map(|(_, answer)| answer.got.as_ref());
    let mut ids: Vec<ObjectId> = held.chain(coming).map(|object| object.id).collect();
    for given in answers(network).filter_map(|(_, answer)| answer.given) {
        let Some(place) = ids.iter().position(|&id| id == given) else { return false };
        ids.swap_remove(place);
    }
    ids.sort_unstable();
    ids.len() == objects && (0..).zip(&ids).all(|(id, object)| object.0 == id)
}

fn max(network: &Network) -> u64 {
    let load = |name| network.objects(name).iter().map(|object| object.load).sum();
    (0..network.peers.len()).map(load).max().unwrap_or(0)
}

/// Processor 0 is the first to begin a step.
fn is_quiet(network: &Network) -> bool {
    let step = network.peers[0].step();
    network.flying.iter().all(|flying| match &flying.message {
        Message::Rumour(rumour) => rumour.step == step,
        Message::Offer(offer) => offer.step == step,
        Message::Answer(answer) => answer.step == step,
        Message::Begin(_) | Message::Count | Message::Counted(_) => true,
    })
}

fn refuses_when_bound(network: &Network) -> bool {
    let refused = answers(network).filter(|(_, answer)| answer.given.is_none());
    let mut from = refused.map(|(flying, _)| flying.from);
    let has_offered = |name| {
        network.flying.iter().any(|flying| match &flying.message {
            Message::Offer(_) => flying.from == name,
            Message::Answer(_) => flying.to == name,
            _ => false,
        })
    };
    from.any(has_offered)
}

impl Model for Grapevine {
    type State = Network;
    type Action = usize;

    fn init_states(&self) -> Vec<Network> {
        vec![Network::new(&self.world, Mode::Messages, Lengths::of(self.world.loads.len(), 1))]
    }

    fn actions(&self, network: &Network, places: &mut Vec<usize>) {
        let is_first = |&place: &usize| network.flying[..place].last() != network.flying.get(place);
        places.extend((0..network.flying.len()).filter(is_first));
    }

    fn next_state(&self, network: &Network, place: usize) -> Option<Network> {
        Some(deliver(self.fault, &self.setting(), network, place))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |model: &Self, network| {
                is_once(network, model.world.loads.len())
            }),
            Property::always(FALLS, |model: &Self, network| max(network) <= model.most()),
            Property::always(QUIET, |_, network| is_quiet(network)),
            Property::eventually(ENDS, |_, network: &Network| {
                network.peers.iter().all(Peer::is_done)
            }),
            Property::sometimes(MOVES, |model: &Self, network: &Network| {
                network.owners().is_ok_and(|owners| owners != model.world.owners)
            }),
            Property::sometimes(EXCHANGES, |model: &Self, network| {
                !model.world.config.exchange
                    || answers(network).any(|(_, answer)| answer.got.is_some())
            }),
            Property::sometimes(REFUSES, |_, network| {
                answers(network).any(|(_, answer)| answer.given.is_none())
            }),
            Property::sometimes(BOUND, |_, network| refuses_when_bound(network)),
        ]
    }
}

fn every_order(exchange: bool) -> usize {
    explore(Grapevine::new(Fault::None, exchange))
}

#[test]
fn every_order_of_messages_keeps_every_object() {
    assert_eq!(every_order(false), 26_774, "the pinned number of states");
}

#[test]
fn every_order_of_messages_keeps_what_is_exchanged() {
    assert_eq!(every_order(true), 85_733, "the pinned number of states");
}

/// Checks that a fault breaks a property.
fn broken(fault: Fault, property: &'static str) {
    for exchange in [false, true] {
        let caught = HasDiscoveries::AnyOf([property].into());
        let model = Grapevine::new(fault, exchange);
        let checker = model.checker().finish_when(caught).spawn_bfs().join();
        assert!(checker.discovery(property).is_some(), "{fault:?} was not caught");
    }
}

#[test]
fn forgetting_what_was_accepted_is_caught() {
    broken(Fault::Forgets, ONCE);
}

#[test]
fn dropping_what_was_refused_is_caught() {
    broken(Fault::Drops, ONCE);
}

#[test]
fn keeping_what_was_accepted_is_caught() {
    broken(Fault::Keeps, ONCE);
}

/// Core's own check hears it before the property does, in a thread of the checker.
#[test]
fn going_on_too_early_is_caught() {
    static SAID: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        SAID.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
        before(info);
    }));
    let outcome = panic::catch_unwind(|| broken(Fault::CountsNothing, QUIET));
    assert!(outcome.is_err(), "nobody notices");
    let said = SAID.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let own = said.iter().any(|said| said.contains("an offer is answered that was not made"));
    assert!(own, "something else fails: {said:?}");
}

#[test]
fn missing_the_beginning_of_a_step_is_caught() {
    broken(Fault::Sleeps, ENDS);
}
