//! Workers of several nodes, and workers that help each other, which claim parts for one sweep at a
//! time, in every order of their steps: core's own workers, halts and choices.

use stateright::{Checker, HasDiscoveries, Model, Property};
use tresse_core::base::rng::Rng;
use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode, Nodes, RunConfig, Stop};
use tresse_core_tests::visits::{Driver, Step, System};

use crate::explore;

const SOUND: &str = "nothing is swept twice, out of order, beyond a halt or within one";
const SETTLES: &str = "all lives end with what was asked for, whatever came before";

#[derive(Clone, Debug)]
struct Visits {
    mode: Mode,
    balance: Balance,
    workers: u32,
    nodes: u32,
    split: u32,
    iterations: u64,
    sweep: Duration,
    wishes: u32,
    lates: u32,
    driver: Driver,
}

impl Model for Visits {
    type State = System;
    type Action = Step;

    fn init_states(&self) -> Vec<System> {
        let stop = Stop { iterations: Some(self.iterations), ..Stop::NEVER };
        let Self { mode, balance, workers, split, lates, .. } = *self;
        let nodes = Nodes { number: self.nodes, ..Nodes::ONE };
        let config = RunConfig {
            mode,
            balance,
            help: lates > 0,
            always_help: false,
            workers,
            split,
            nodes,
            stop,
            ..RunConfig::default()
        };
        vec![System::new(&config, self.sweep, (self.wishes, lates), self.driver)]
    }

    fn actions(&self, system: &System, steps: &mut Vec<Step>) {
        steps.extend(system.possible());
    }

    fn next_state(&self, system: &System, step: Step) -> Option<System> {
        let mut next = system.clone();
        next.apply(step);
        Some(next)
    }

    /// A fault may go on for ever.
    fn within_boundary(&self, system: &System) -> bool {
        system.versions.iter().all(|&version| version <= 4 * self.iterations + 2)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SOUND, |_, system: &System| system.broken.is_none()),
            Property::always(SETTLES, |_, system: &System| system.settles()),
        ]
    }
}

const EXACT: Visits = Visits {
    mode: Mode::Exact,
    balance: Balance::Pull(0),
    workers: 2,
    nodes: 1,
    split: 1,
    iterations: 3,
    sweep: Duration::from_micros(2),
    wishes: 1,
    lates: 0,
    driver: Driver::Sound,
};

/// Makes random steps to the end, of those that `narrow` leaves of the possible ones.
fn walk(visits: &Visits, rng: &mut Rng, narrow: impl Fn(usize, &mut Vec<Step>)) -> System {
    /// Many times as many as a walk takes.
    const STEPS: usize = 1_000_000;
    let mut system = visits.init_states().remove(0);
    for step in 0.. {
        if system.has_ended() || system.broken.is_some() {
            break;
        }
        assert!(step < STEPS, "a walk that comes to no end: {system:?}");
        let mut possible = system.possible();
        narrow(step, &mut possible);
        let choice = rng.below(u32::try_from(possible.len()).unwrap_or(1)) as usize;
        system.apply(possible[choice]);
    }
    assert_eq!(system.broken, None);
    assert!(system.settles(), "{system:?}");
    system
}

/// Reports whether a property breaks.
fn is_caught(faulty: Visits) -> bool {
    let caught = HasDiscoveries::AnyOf([SOUND, SETTLES].into());
    let checker = faulty.checker().finish_when(caught).spawn_bfs().join();
    checker.discovery(SOUND).or_else(|| checker.discovery(SETTLES)).is_some()
}

/// Any worker may be stopped in any sweep, and another makes the same sweep meanwhile.
#[test]
fn what_is_helped_with_is_published_once_whatever_the_order() {
    let exact = Visits { lates: 2, iterations: 1, wishes: 0, ..EXACT };
    let pull = Visits { mode: Mode::Async, lates: 4, ..exact.clone() };
    let states = [exact, pull].map(explore);
    assert_eq!(states, [312_204, 71_209], "the pinned number of states");
}

/// All workers of two nodes keep their parts up to the first halt, and claim them from then on, in
/// random orders.
#[test]
fn nodes_turn_to_visits_together() {
    let auto = Visits { mode: Mode::Async, balance: Balance::Auto, nodes: 2, workers: 4, ..EXACT };
    let visits = Visits { split: 2, iterations: 20, wishes: 3, ..auto };
    let mut rng = Rng::new(7, 0);
    for _ in 0..100 {
        assert!(walk(&visits, &mut rng, |_, _| {}).have_switched());
    }
}

/// Workers of which one after the other is stopped, in random orders.
#[test]
fn workers_that_are_stopped_are_helped_and_end_level() {
    let visits =
        Visits { lates: 100_000, workers: 3, split: 2, iterations: 100, wishes: 2, ..EXACT };
    let mut rng = Rng::new(5, 0);
    let stop_one = |step: usize, possible: &mut Vec<Step>| {
        let stopped = Step::Go(step / 100 % 3);
        if possible.iter().any(|next| *next != stopped) {
            possible.retain(|next| *next != stopped);
        }
    };
    let helped: u64 = (0..100).map(|_| walk(&visits, &mut rng, stop_one).helped).sum();
    assert!(helped > 100, "nobody helps: {helped}");
}

/// Halts are asked for by any node, and heard of by each at a time of its own.
#[test]
fn exact_nodes_agree_on_the_count_of_a_halt_whatever_the_order() {
    let two = Visits { nodes: 2, balance: Balance::None, ..EXACT };
    let three = Visits { workers: 3, nodes: 3, iterations: 1, ..two.clone() };
    let states = [two, three].map(explore);
    assert_eq!(states, [196_375, 137_002], "the pinned number of states");
}

/// Nodes of several workers that borrow from each other, in random orders.
#[test]
fn nodes_whose_workers_borrow_agree_on_the_count_of_a_halt() {
    let visits = Visits { workers: 4, nodes: 2, split: 2, iterations: 4, wishes: 3, ..EXACT };
    let mut rng = Rng::new(3, 0);
    let away: u64 = (0..2_000).map(|_| walk(&visits, &mut rng, |_, _| {}).away).sum();
    assert!(away > 0, "nobody borrows");
}

#[test]
fn nodes_that_choose_a_count_each_are_caught() {
    let two = Visits { nodes: 2, balance: Balance::None, driver: Driver::Disagrees, ..EXACT };
    assert!(is_caught(two), "nobody notices");
}

#[test]
fn faults_of_a_driver_are_caught() {
    use Driver::{FreezesHeld, Grabs, PublishesTwice, ReadsLate, TrustsHints};
    let helped = Visits { lates: 3, iterations: 2, wishes: 0, driver: PublishesTwice, ..EXACT };
    let drivers = [ReadsLate, TrustsHints, Grabs, FreezesHeld];
    for faulty in drivers.map(|driver| Visits { driver, ..EXACT }).into_iter().chain([helped]) {
        let driver = faulty.driver;
        assert!(is_caught(faulty), "{driver:?}: nobody notices");
    }
}
