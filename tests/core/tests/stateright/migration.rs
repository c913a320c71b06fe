//! Migration under every order in which three ranks act and their words are seen.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::parts::halo::Bounds;
use tresse_core::run::{Balance, GridSize, Mode};
use tresse_core_tests::configurations::{config, iterations};
use tresse_core_tests::migration::graph::Parts;
use tresse_core_tests::migration::system::{Fault, Setting, Step, System};

use crate::explore;

const ONE_OWNER: &str = "every subdomain counts exactly once";
const CHAINS: &str = "every chain of forwards ends where the subdomain is";
const AT_HOME: &str = "the edges are those of the halo tag's subdomain";
const HALOS: &str = "no reader takes another one's edges";
const SHOWN: &str = "nobody takes for out what is not";
const FOUND: &str = "every neighbour finds its halo again";
const LINKED: &str = "every neighbour is followed, or on the same rank";
const ENDS: &str = "nothing waits for ever";
const MOVES: &str = "every offer is accepted";
const REFUSES: &str = "an offer is refused";
const FOLLOWS: &str = "two forwards are followed";

/// Four subdomains below each other, of which the first rank has two.
struct Ranks(Setting);

impl Ranks {
    fn new(readers: &[(usize, usize)], moves: &[usize], offers: u32, fault: Fault) -> Self {
        let grid = GridSize { rows: 4, columns: 1 };
        let config = config(grid, (1, 4), (Mode::Async, Balance::None), iterations(1));
        Self(Setting {
            bounds: Bounds { subdomains: 4, ranks: 3, slots: 2 },
            graph: Parts::Grid(
                Decomposition::new(&config).unwrap_or_else(|error| panic!("{error}")),
            ),
            first: vec![0, 0, 1, 2],
            offers,
            moves: moves.to_vec(),
            readers: readers.to_vec(),
            is_swift: !readers.is_empty(),
            tears: false,
            mangles: false,
            fault,
        })
    }

    /// Returns the ranks' own steps, one by one; all words are seen at once.
    fn alone(offers: u32, fault: Fault) -> Self {
        Self::new(&[], &[0, 1, 2, 3], offers, fault)
    }

    /// Words are seen in any order, by the second subdomain, which reads the first.
    fn read(fault: Fault) -> Self {
        Self::new(&[(1, Side::Top.index())], &[0, 1, 2, 3], 2, fault)
    }

    /// Returns the model with a reader on another rank.
    fn read_from_another_rank(fault: Fault) -> Self {
        Self::new(&[(2, Side::Top.index())], &[0, 1, 2, 3], 2, fault)
    }
}

impl Model for Ranks {
    type State = System;
    type Action = Step;

    fn init_states(&self) -> Vec<System> {
        vec![System::new(&self.0)]
    }

    fn actions(&self, system: &System, steps: &mut Vec<Step>) {
        steps.extend(system.possible(&self.0));
    }

    fn next_state(&self, system: &System, step: Step) -> Option<System> {
        let mut next = system.clone();
        next.apply(&self.0, step);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONE_OWNER, |_, system: &System| system.has_one_owner()),
            Property::always(CHAINS, |model: &Self, system: &System| system.chains_end(&model.0)),
            Property::always(AT_HOME, |model: &Self, system: &System| {
                system.halo_tags_are_at_home(&model.0)
            }),
            Property::always(HALOS, |_, system: &System| system.halos_are_right()),
            Property::always(SHOWN, |_, system: &System| system.shows_nothing_false()),
            Property::always(FOUND, |model: &Self, system: &System| system.all_are_found(&model.0)),
            Property::always(LINKED, |model: &Self, system: &System| {
                system.all_are_linked(&model.0)
            }),
            Property::always(ENDS, |model: &Self, system: &System| system.is_not_stuck(&model.0)),
            Property::sometimes(MOVES, |model: &Self, system: &System| {
                system.is_quiet() && system.moves() == u64::from(model.0.offers)
            }),
            Property::sometimes(REFUSES, |model: &Self, system: &System| {
                let has_room = model.0.moves.len() == 1;
                has_room || system.is_quiet() && system.moves() < u64::from(system.sends)
            }),
            Property::sometimes(FOLLOWS, |model: &Self, system: &System| {
                model.0.readers.is_empty() || system.hops() >= 2
            }),
        ]
    }
}

#[test]
fn every_order_of_steps_keeps_every_subdomain() {
    let states = explore(Ranks::alone(4, Fault::None));
    assert_eq!(states, 94_788, "the pinned number of states");
}

#[test]
fn readers_find_their_neighbours_whatever_they_see_first() {
    let states = explore(Ranks::read(Fault::None));
    assert_eq!(states, 64_183, "the pinned number of states");
    let states = explore(Ranks::read_from_another_rank(Fault::None));
    assert_eq!(states, 68_744, "the pinned number of states");
}

/// There and back again, which takes old words for new ones if anything does.
#[test]
fn readers_find_what_comes_back() {
    let states = explore(Ranks::new(&[(2, Side::Top.index())], &[1], 3, Fault::None));
    assert_eq!(states, 238_975, "the pinned number of states");
}

/// The two words of a head come one by one, in either order.
#[test]
fn readers_take_no_head_of_two_moments_for_one() {
    let mut model = Ranks::read_from_another_rank(Fault::None);
    model.0.tears = true;
    assert_eq!(explore(model), 163_727, "the pinned number of states");
}

/// Packets come as the one before, without a word, or with another bit.
#[test]
fn what_did_not_come_as_it_was_sent_stays_where_it_was() {
    let mut model = Ranks::alone(3, Fault::None);
    model.0.mangles = true;
    assert_eq!(explore(model), 28_226, "the pinned number of states");
}

/// Checks that a fault breaks a property.
fn broken(model: Ranks, property: &'static str) {
    let fault = model.0.fault;
    let caught = HasDiscoveries::AnyOf([property].into());
    let checker = model.checker().finish_when(caught).spawn_bfs().join();
    assert!(checker.discovery(property).is_some(), "{fault:?} was not caught");
}

#[test]
fn answering_before_the_packet_is_there_is_caught() {
    broken(Ranks::alone(2, Fault::AnswersEarly), ONE_OWNER);
}

#[test]
fn leaving_a_forward_before_the_answer_is_caught() {
    broken(Ranks::alone(2, Fault::ForwardsEarly), CHAINS);
}

#[test]
fn taking_what_is_not_known_to_have_left_is_caught() {
    broken(Ranks::alone(2, Fault::Overwrites), FOUND);
}

#[test]
fn tagging_edges_before_they_are_there_is_caught() {
    broken(Ranks::read(Fault::TagFirst), AT_HOME);
}

#[test]
fn taking_an_edge_without_a_look_at_its_label_is_caught() {
    broken(Ranks::read_from_another_rank(Fault::IgnoresLabel), HALOS);
}
