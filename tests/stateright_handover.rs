//! The hand-over under every order of balancer rounds, dirty marks, re-reads and sweeps.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::run::PlbParams;
use tresse_tests::step::{HandOver, Step, System};

/// Three workers and four subdomains, of which the first worker has two.
const ASSIGNED: [usize; 4] = [0, 0, 1, 2];
const WORKERS: usize = 3;
const PARAMS: PlbParams = PlbParams { pairs: 2, low: 1, high: 3, dead_band: 1 };
/// How far a subdomain may get ahead of the last one: what bounds the number of states.
const AHEAD: u64 = 1;

const ONE_WRITER: &str = "at most one worker sweeps a subdomain";
const CURRENT: &str = "a clean worker sweeps what it is assigned";
const SETTLES: &str = "no subdomain is stuck when the balancer rests";
const ONE_OWNER: &str = "the round keeps its rules";
const CHANGES: &str = "a subdomain changes hands";

struct Braid(HandOver);

impl Model for Braid {
    type State = System;
    type Action = Step;

    fn init_states(&self) -> Vec<System> {
        vec![System::new(WORKERS, &ASSIGNED)]
    }

    fn actions(&self, system: &System, steps: &mut Vec<Step>) {
        steps.extend(system.possible(AHEAD));
    }

    fn next_state(&self, system: &System, step: Step) -> Option<System> {
        let mut next = system.clone();
        next.apply(step, PARAMS, self.0).ok()?;
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONE_WRITER, |_, system: &System| system.has_one_writer()),
            Property::always(CURRENT, |_, system: &System| system.clean_means_current()),
            Property::always(SETTLES, |model: &Self, system: &System| {
                system.settles(PARAMS, model.0)
            }),
            Property::always(ONE_OWNER, |_, system: &System| {
                tresse_tests::world::verify(&system.world(PARAMS)).is_ok()
            }),
            Property::sometimes(CHANGES, |_, system: &System| {
                system.working.iter().skip(1).any(|working| working.contains(&0))
            }),
        ]
    }
}

#[test]
fn every_order_of_steps_keeps_one_writer() {
    let checker = Braid(HandOver::Sound).checker().threads(2).spawn_bfs().join();
    checker.assert_properties();
    assert_eq!(checker.unique_state_count(), 296_856, "the pinned number of states");
}

/// Which property a hand-over breaks.
fn broken(rule: HandOver, property: &'static str) {
    let caught = HasDiscoveries::AnyOf([property].into());
    let checker = Braid(rule).checker().finish_when(caught).spawn_bfs().join();
    assert!(checker.discovery(property).is_some(), "{rule:?} was not caught");
}

#[test]
fn taking_without_waiting_is_caught() {
    broken(HandOver::Grabs, ONE_WRITER);
}

#[test]
fn clearing_the_mark_too_late_is_caught() {
    broken(HandOver::ClearsLate, CURRENT);
}

#[test]
fn not_coming_back_for_what_was_not_free_is_caught() {
    broken(HandOver::GivesUp, CURRENT);
}
