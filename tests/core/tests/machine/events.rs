//! The virtual machine: what must hold after each event of any run on any machine.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::NoCells;
use tresse_core::run::{End, NodeBalance};
use tresse_core::sim::machine::{Event, LentParts, Path, Simulation, SimulationNeeds, Wait};
use tresse_core::sim::owned::OwnedSimulationMemory;
use tresse_core_tests::simulated::world::VirtualWorld;
use tresse_core_tests::simulated::{Tally, cases, run};
use tresse_experiments::Experiment;

/// Checks that nodes know of each other by the network: none sends before it can have heard of
/// another, and the slow node does soon after.
#[test]
fn means_are_as_old_as_the_network_makes_them() {
    for latency in [2, 300, 1_000].map(Duration::from_micros) {
        let experiments = tresse_experiments::experiments().into_iter();
        let mut balanced = experiments
            .filter(|one| one.table == "nodes" && one.config.nodes.balance != NodeBalance::None);
        let Experiment { config, mut hardware, .. } = balanced.next().unwrap();
        hardware.costs.halo.network.latency = latency;
        let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(&config, &hardware, &[]));
        let decomposition = Decomposition::new(&config).unwrap();
        let mut parts = vec![NoCells; decomposition.subdomains() as usize];
        let parts = LentParts::new(&decomposition, &mut parts);
        let mut machine = Simulation::new(&config, &hardware, &[], parts, memory.lend()).unwrap();
        let mut first = None;
        let mut watch = |now, event| {
            if matches!(event, Event::Sent(_)) {
                first.get_or_insert(now);
            }
        };
        while machine.step(&mut watch) {}
        let first = first.map_or(Duration::ZERO, |first: Instant| first.since(Instant::ZERO));
        assert!(first > latency, "sent after {first}, with a latency of {latency}");
    }
}

/// An interrupt is not put off to the next look at the residuals, which is many iterations away:
/// who has the turn ends its iteration, and then everybody the one that is under way.
#[test]
fn an_interrupt_counts_after_an_iteration() {
    let mut experiment = tresse_experiments::experiment("interrupt", String::new(), 1);
    experiment.config.stop.iterations = Some(1_000_000);
    let Experiment { config, hardware, .. } = experiment;
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(&config, &hardware, &[]));
    let decomposition = Decomposition::new(&config).unwrap();
    let mut parts = vec![NoCells; decomposition.subdomains() as usize];
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut machine = Simulation::new(&config, &hardware, &[], parts, memory.lend()).unwrap();
    while machine.updates() < 10 * u64::from(decomposition.subdomains()) {
        assert!(machine.step(&mut ()));
    }
    machine.interrupt();
    let before = machine.updates();
    while machine.step(&mut ()) {}
    assert_eq!(machine.outcome().map(|outcome| outcome.end), Some(End::Interrupted));
    let iterations = (machine.updates() - before) as f64 / f64::from(decomposition.subdomains());
    assert!(iterations <= 2.0, "{iterations} iterations later");
}

/// Times of the halt with which a run ends: that of the last sweep asked for, that at which the
/// first and the last worker wait for it, and that of the verdict.
#[derive(Debug, Default)]
struct Ending {
    asked: Option<Instant>,
    waits: Option<(Instant, Instant)>,
    verified: Option<Instant>,
}

/// Returns the end of a run on several nodes that do not balance, and their number.
fn ending(latency: Duration) -> Option<(Ending, u32)> {
    let experiments = tresse_experiments::experiments().into_iter();
    let mut others = experiments
        .filter(|one| one.table == "nodes" && one.config.nodes.balance == NodeBalance::None);
    let Experiment { config, mut hardware, .. } = others.next()?;
    hardware.costs.halo.network = Path { latency, cell: 0 };
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(&config, &hardware, &[]));
    let decomposition = Decomposition::new(&config).ok()?;
    let mut parts = vec![NoCells; decomposition.subdomains() as usize];
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut machine = Simulation::new(&config, &hardware, &[], parts, memory.lend()).ok()?;
    let asked = config.stop.iterations? * u64::from(decomposition.subdomains());
    let (mut ending, mut waiting, mut updates) = (Ending::default(), vec![], 0);
    let mut watch = |now, event| match event {
        Event::Swept { .. } => {
            updates += 1;
            if updates == asked {
                ending.asked = Some(now);
            }
        }
        Event::Waits { worker, wait: Wait::Halt } if !waiting.contains(&worker) => {
            waiting.push(worker);
            let first = ending.waits.map_or(now, |(first, _)| first);
            ending.waits = Some((first, now));
        }
        Event::Verified { .. } => ending.verified = Some(now),
        _ => {}
    };
    while machine.step(&mut watch) {}
    Some((ending, config.nodes.number))
}

/// Checks what a halt costs between nodes: a command that goes to all, and three meetings before
/// the verdict, by as many messages one after the other as the nodes' number doubles.
#[test]
fn a_halt_between_nodes_takes_the_time_of_its_messages() {
    let verdict = |latency| {
        let (Ending { asked, waits, verified }, nodes) = ending(latency).unwrap();
        let (first, last) = waits.unwrap();
        assert!(first.since(asked.unwrap()) >= latency, "{latency}: before the command has come");
        (verified.unwrap().since(last).0, u64::from(nodes.next_power_of_two().ilog2()))
    };
    let [short, long] = [2, 300].map(Duration::from_micros);
    let ((in_short, doublings), (in_long, _)) = (verdict(short), verdict(long));
    assert!(doublings > 0, "there is one node only");
    assert_eq!(in_long - in_short, 3 * doublings * (long.0 - short.0));
}

/// Checks worlds, as many as usual or as `PROPTEST_CASES` says, and returns their number and what
/// happened in all.
fn check_worlds(usually: u32, world: impl Fn(&[u8]) -> VirtualWorld) -> (u64, Tally) {
    let cases = cases(usually);
    let all = Cell::new(Tally::default());
    let worlds = proptest::collection::vec(any::<u8>(), 0..160);
    let outcome = TestRunner::new(Config { cases, ..Config::with_source_file(file!()) }).run(
        &worlds,
        |bytes| {
            let world = world(&bytes);
            let tally = run(&world)
                .map_err(|fault| TestCaseError::fail(format!("{fault}\n  in {world:?}")))?;
            all.set(all.get() + tally);
            Ok(())
        },
    );
    if let Err(error) = outcome {
        panic!("{error}");
    }
    (cases.into(), all.get())
}

#[test]
fn every_rule_holds_after_every_event_of_any_world() {
    let (cases, all) = check_worlds(400, VirtualWorld::from_bytes);
    // What the worlds are worth: many have moves, and transfers, in flight for many events.
    assert!(
        all.moves > cases
            && 10 * all.away > cases
            && 16 * all.transfers > cases
            && all.events_in_flight > cases,
        "{all:?}"
    );
}

/// Checks that the sweep of a worker whose core stands still is made by another once, and the
/// worker's own dropped.
#[test]
fn every_rule_holds_where_workers_help() {
    let (cases, all) = check_worlds(400, VirtualWorld::with_stops);
    assert!(2 * all.helped > cases && all.discarded >= all.helped, "{all:?}");
}

/// Checks that a run goes on by pulling, from a halt at which everything is at home, where
/// borrowing is not enough.
#[test]
fn every_rule_holds_where_a_run_turns_to_pulling() {
    let (cases, all) = check_worlds(100, VirtualWorld::that_turns);
    assert!(5 * all.turned > cases && all.away > cases && all.helped > 0, "{all:?}");
}
