//! Work sharing under every order of steps and messages: the worker and the manager that ship.

use stateright::{Checker as _, HasDiscoveries, Model, Property};
use tresse_core::tasks::sharing::{Arbitration, Managers, Method, SharingConfig};
use tresse_core_tests::sharing::world::{Fault, Happening, Setting, World};

use crate::explore;

const ONCE: &str = "no task is committed twice";
const NONE_LOST: &str = "at the end every task is committed";
const ENDS: &str = "something can happen until all have heard of the end";
const REACHED: &str = "the end is reached";

struct Pool(Setting);

impl Model for Pool {
    type State = World;
    type Action = Happening;

    fn init_states(&self) -> Vec<World> {
        vec![World::new(&self.0)]
    }

    fn actions(&self, world: &World, happenings: &mut Vec<Happening>) {
        happenings.extend(world.possible());
    }

    fn next_state(&self, world: &World, happening: Happening) -> Option<World> {
        let mut next = world.clone();
        next.apply(happening, self.0.fault);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(ONCE, |model: &Self, world: &World| {
                (0..model.0.tasks).all(|task| world.committed(task) <= 1)
            }),
            Property::always(NONE_LOST, |model: &Self, world: &World| {
                !world.has_ended() || (0..model.0.tasks).all(|task| world.committed(task) == 1)
            }),
            Property::always(ENDS, |_, world: &World| {
                world.all_have_ended() || world.possible().next().is_some()
            }),
            Property::sometimes(REACHED, |_, world: &World| world.all_have_ended()),
        ]
    }
}

const fn config(method: Method) -> SharingConfig {
    SharingConfig { chunk: 1, interval: 1, copies: 1, window: 2, ..SharingConfig::new(method) }
}

fn pool(config: SharingConfig, managers: Managers, tasks: u8, fault: Fault) -> Pool {
    Pool(Setting { config, managers, tasks, fault })
}

#[test]
fn two_workers() {
    for (method, tasks, states) in [
        (Method::Sharing, 6, 511),
        (Method::Prefetch, 6, 1_153),
        (Method::Speculative, 5, 130_201),
        (Method::Stealing, 9, 42_726),
        (Method::SpeculativeStealing, 5, 110_170),
        (Method::PrefetchStealing, 9, 92_484),
        (Method::Adaptive, 5, 30_268),
    ] {
        assert_eq!(
            explore(pool(config(method), Managers::one(2), tasks, Fault::None)),
            states,
            "{method}"
        );
    }
}

#[test]
fn three_workers() {
    for (method, tasks, states) in [
        (Method::Sharing, 6, 4_330),
        (Method::Prefetch, 6, 9_684),
        (Method::Speculative, 3, 140_896),
        (Method::Adaptive, 3, 150_700),
    ] {
        assert_eq!(
            explore(pool(config(method), Managers::one(3), tasks, Fault::None)),
            states,
            "{method}"
        );
    }
}

#[test]
fn claims_for_each_task() {
    for (method, chunk, tasks, states) in
        [(Method::Speculative, 2, 6, 525_680), (Method::SpeculativeStealing, 2, 3, 38_258)]
    {
        let arbitration = Arbitration::Task;
        let config = SharingConfig { chunk, arbitration, ..config(method) };
        assert_eq!(explore(pool(config, Managers::one(2), tasks, Fault::None)), states, "{method}");
    }
}

#[test]
fn managers_above_managers() {
    for (method, states) in [(Method::Sharing, 595), (Method::Adaptive, 302_649)] {
        assert_eq!(
            explore(pool(config(method), Managers::with(2, 2), 3, Fault::None)),
            states,
            "{method}"
        );
    }
}

/// Checks that the property that a fault breaks is found.
#[test]
fn planted_faults_are_caught() {
    for (method, fault, broken) in [
        (Method::Speculative, Fault::CommitsRefused, ONCE),
        (Method::Speculative, Fault::RollsBackGranted, ENDS),
        (Method::Prefetch, Fault::IdleEarly, NONE_LOST),
    ] {
        let checker = pool(config(method), Managers::one(2), 6, fault).checker();
        let checker =
            checker.threads(2).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
        let found: Vec<_> = checker.discoveries().into_keys().collect();
        assert!(found.contains(&broken), "{method}, {fault:?}: {found:?}");
    }
}
