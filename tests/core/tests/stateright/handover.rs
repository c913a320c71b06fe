//! Core's workers under every order of what they do: balancing, hand-over, sweeps, halts and the
//! end.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::run::{Mode, PlbParams, RunConfig, Stop};
use tresse_core_tests::step::{Driver, Step, System};

use crate::explore;

const PARAMS: PlbParams = PlbParams { pairs: 2, low: 1, high: 3, dead_band: 1 };
/// The most iterations of a worker that are looked at; one that has nothing to sweep makes many.
const ITERATIONS: u64 = 4;

/// The most states of a faulty driver's system that are looked at; each fault shows in a third of
/// them.
const FAULTY: usize = 50_000;

const ONE_WRITER: &str = "at most one worker sweeps a subdomain";
const CURRENT: &str = "a clean worker sweeps what it is assigned";
const SOUND: &str = "a decision is made on a consistent state";
const GOES_ON: &str = "somebody can go on until all have ended";
const CHANGES: &str = "a subdomain changes hands";
const ENDS: &str = "all lives end, whatever came before, where everybody goes on in turn";

/// A small node.
struct Node {
    mode: Mode,
    assigned: &'static [usize],
    iterations: u64,
    /// Halts on the way.
    looks: u32,
    driver: Driver,
}

impl Node {
    fn config(&self) -> RunConfig {
        let workers = self.assigned.iter().max().map_or(0, |worker| worker + 1);
        RunConfig {
            workers: u32::try_from(workers).unwrap_or(0),
            mode: self.mode,
            stop: Stop { iterations: Some(self.iterations), ..Stop::NEVER },
            ..RunConfig::default()
        }
    }

    /// Whether it has too many states to follow each to the end.
    const fn is_large(&self) -> bool {
        self.assigned.len() > 3
    }
}

impl Model for Node {
    type State = System;
    type Action = Step;

    fn init_states(&self) -> Vec<System> {
        vec![System::new(&self.config(), self.assigned, self.looks)]
    }

    fn actions(&self, system: &System, steps: &mut Vec<Step>) {
        steps.extend(system.possible());
    }

    fn next_state(&self, system: &System, step: Step) -> Option<System> {
        let mut next = system.clone();
        next.apply(step, PARAMS, self.driver).ok()?;
        Some(next)
    }

    fn within_boundary(&self, system: &System) -> bool {
        system.workers.iter().all(|worker| worker.iteration() <= ITERATIONS)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![
            Property::always(ONE_WRITER, |_, system: &System| system.has_one_writer()),
            Property::always(CURRENT, |_, system: &System| system.clean_means_current()),
            Property::always(SOUND, |_, system: &System| system.broken.is_none()),
            Property::always(GOES_ON, |_, system: &System| {
                !system.possible().is_empty() || system.has_ended()
            }),
            Property::always(ENDS, |node: &Self, system: &System| {
                node.is_large() || system.settles(PARAMS, node.driver)
            }),
        ];
        if self.mode == Mode::Async {
            properties.push(Property::sometimes(CHANGES, |_, system: &System| system.moves > 0));
        }
        properties
    }
}

const fn braid(driver: Driver) -> Node {
    Node { mode: Mode::Async, assigned: &[0, 0, 1], iterations: 3, looks: 2, driver }
}

const fn synchronous(driver: Driver) -> Node {
    Node { mode: Mode::Sync, assigned: &[0, 1, 2], iterations: 2, looks: 1, driver }
}

#[test]
fn two_workers_keep_one_writer_and_one_state() {
    assert_eq!(explore(braid(Driver::Sound)), 96_658, "the pinned number of states");
}

#[test]
fn three_workers_keep_one_writer_and_one_state() {
    let three = Node { assigned: &[0, 0, 1, 2], iterations: 1, looks: 1, ..braid(Driver::Sound) };
    assert_eq!(explore(three), 549_472, "the pinned number of states");
}

#[test]
fn workers_that_wait_for_their_neighbours_all_come_to_the_end() {
    let semi = Node { mode: Mode::SemiSync(1), ..braid(Driver::Sound) };
    assert_eq!(explore(semi), 130_904, "the pinned number of states");
}

#[test]
fn nobody_gets_ahead_of_a_barrier() {
    assert_eq!(explore(synchronous(Driver::Sound)), 23_368, "the pinned number of states");
}

/// Checks that a driver breaks a property.
fn broken(node: Node, property: &'static str) {
    let driver = node.driver;
    let caught = HasDiscoveries::AnyOf([property].into());
    let builder = node.checker().target_state_count(FAULTY).finish_when(caught);
    let checker = builder.spawn_bfs().join();
    assert!(checker.discovery(property).is_some(), "{driver:?} was not caught");
}

#[test]
fn taking_without_waiting_is_caught() {
    broken(braid(Driver::Grabs), ONE_WRITER);
}

#[test]
fn clearing_the_mark_too_late_is_caught() {
    broken(braid(Driver::ClearsLate), CURRENT);
}

#[test]
fn not_coming_back_for_what_was_not_free_is_caught() {
    broken(braid(Driver::GivesUp), CURRENT);
}

#[test]
fn halts_of_parts_that_are_not_frozen_are_caught() {
    broken(braid(Driver::FreezesHeld), SOUND);
    broken(braid(Driver::Thaws), ENDS);
    broken(braid(Driver::HaltsOutOfTurn), ENDS);
}

#[test]
fn not_waiting_between_iterations_is_caught() {
    broken(synchronous(Driver::RunsAhead), SOUND);
}
