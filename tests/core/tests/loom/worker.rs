//! The executor on threads, under every interleaving and every allowed reordering: whole lives with
//! turns, moves, halts and the end, of the node and the workers that the engine runs, on loom's
//! atomics.

use loom::sync::atomic::AtomicU64;
use loom::thread;
use tresse_core::base::id::WorkerId;
use tresse_core::base::time::Instant;
use tresse_core::node::executor::{Outcome, Slots};
use tresse_core::node::shared::{Claims, Grip};
use tresse_core::node::worker::Turn;
use tresse_core::parts::Part as _;
use tresse_core::run::{Balance, End, Mode};
use tresse_core_tests::node_life::{self, Count, Memory, Node, Setting, Views, WorkerMemory};

use crate::explore;

const ONE: Setting = Setting { moves: &[(0, 0, 1), (0, 1, 0)], halts: 2, ..Setting::ONE };
const TWO: Setting =
    Setting { parts: 2, has_one_owner: true, moves: &[(1, 0, 1)], halts: 1, ..ONE };

/// Loom makes many nodes; the little that is leaked is no harm.
fn leak<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

/// Returns a node and the claims of its parts, with the grips of its workers.
fn node(
    setting: Setting,
) -> (&'static Node<'static>, Claims<'static, Count>, Vec<Grip<'static, Count>>) {
    // What is claimed from the first halt on is swept once more.
    let iterations = if setting.balance == Balance::Auto { 2 } else { 1 };
    let memory = leak(Memory::new(Setting { iterations, ..setting }));
    let (node, claims, grips) = node_life::node(memory, leak(Views::default()));
    (leak(node), claims, grips)
}

fn work(node: &'static Node<'static>, grip: Grip<'static, Count>) -> Option<Outcome> {
    let memory = leak(WorkerMemory::new(node.slots().parts.parts()));
    node_life::worker(node, grip, memory).work().host.outcome()
}

/// Whole lives.
fn lives(setting: Setting) {
    let (node, mut claims, grips) = node(setting);
    let mut grips = grips.into_iter();
    let first = grips.next();
    let others: Vec<_> = grips.map(|grip| thread::spawn(move || work(node, grip))).collect();
    let outcomes = first.map(|first| work(node, first)).into_iter();
    let outcomes = outcomes.chain(others.into_iter().map(|other| other.join().unwrap()));
    assert!(outcomes.flatten().map(|outcome| outcome.end).eq([End::Iterations]));
    // All sweeps are in the subdomains, which nobody holds.
    let (mut counts, mut grip) = (0, claims.grip());
    for place in 0..setting.parts as usize {
        assert!(grip.take(place), "nobody holds it");
        counts += grip.with(place, |count| count.made());
    }
    assert_eq!(counts, node.made(), "no sweep is lost");
}

/// One worker's life, beside somebody who takes what is frozen, and sweeps it: a fault.
fn lives_with_a_thief() {
    let (node, mut claims, grips) = node(Setting { workers: 1, moves: &[], halts: 0, ..TWO });
    let mut thief = claims.grip();
    let other = thread::spawn(move || {
        while node.initial().is_none() {
            thread::yield_now();
        }
        let Slots { parts, publications, .. } = node.slots();
        if let Some(claim) = parts.take(&mut thief, 0) {
            thief.with(claim, |count| count.update(false));
            publications[0].publish([false; 2], |_, _| ());
            thief.leave(claim);
        }
    });
    grips.into_iter().for_each(|grip| _ = work(node, grip));
    other.join().unwrap();
}

#[test]
fn lives_of_two_workers_with_one_subdomain() {
    explore(2, || lives(ONE));
}

#[test]
fn lives_of_two_workers_with_two_subdomains() {
    explore(2, || lives(Setting { moves: &[(1, 0, 1), (1, 1, 0)], halts: 2, ..TWO }));
}

#[test]
fn lives_of_two_workers_with_a_barrier() {
    explore(2, || lives(Setting { mode: Mode::Sync, ..TWO }));
}

#[test]
fn lives_that_turn_to_claims_of_one_sweep() {
    explore(0, || lives(Setting { balance: Balance::Auto, moves: &[], halts: 1, ..ONE }));
}

#[test]
fn lives_with_claims_of_one_sweep() {
    let balance = Balance::Pull(Balance::LAG);
    explore(1, move || {
        lives(Setting { balance, has_one_owner: false, moves: &[], halts: 0, ..TWO })
    });
}

#[test]
fn a_subdomain_there_and_back() {
    explore(2, || lives(Setting { halts: 0, ..ONE }));
}

#[test]
fn a_subdomain_on_and_on() {
    let moves = &[(0, 0, 1), (0, 1, 0), (0, 0, 1)];
    explore(1, || lives(Setting { moves, halts: 0, ..ONE }));
}

/// Checks that the worker with the turn uses the time that was set for this turn, and not that of
/// the turn before.
#[test]
fn a_turn_is_handed_on_with_its_time() {
    explore(3, || {
        let turn = loom::sync::Arc::new(Turn::<AtomicU64>::new(2));
        let next = turn.clone();
        let other = thread::spawn(move || {
            let is_due = next.is_due(WorkerId(1), || Instant(5));
            assert!(!is_due, "a turn is taken before it is due");
        });
        assert!(turn.is_due(WorkerId(0), || Instant(5)));
        turn.pass_on(Instant(10));
        other.join().unwrap();
        assert!(turn.is_due(WorkerId(1), || Instant(10)));
    });
}

#[test]
#[should_panic(expected = "residuals that are old")]
fn taking_what_is_frozen_is_caught() {
    explore(2, lives_with_a_thief);
}
