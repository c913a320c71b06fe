//! Checks the costs of each sweep in the virtual machine against the same sum made here: cells by
//! how many are in hand, residuals, halos by who swept the neighbour last, hand-overs.

use std::path::Path;

use tresse::files::machine_files::{self, VirtualMachine};
use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::parts::NoCells;
use tresse_core::run::convergence::takes_residual;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_core::sim::machine::{Event, Hardware, LentParts, Simulation, SimulationNeeds, Watch};
use tresse_core::sim::owned::OwnedSimulationMemory;
use tresse_tests::problems::Failure;

/// Two cores, on which nothing but what a sweep costs takes any time.
const MACHINE: &str = r#"
name = "exact"
nodes = 1
sockets = 1
cores = 2
pace-range = 0
background = []
[costs]
cell = [[30, 1], [90, 3], [150, 9]]
residual = 0.5
sweep = "100ns"
barrier = "0ns"
round = "10ns"
round-subdomain = 0
parasite-iteration = 1
[costs.halo]
core = { latency = "10ns", cell = 1 }
socket = { latency = "200ns", cell = 7 }
node = { latency = "0ns", cell = 0 }
[costs.hand-over]
core = { latency = "0ns", cell = 0 }
socket = { latency = "5000ns", cell = 11 }
node = { latency = "0ns", cell = 0 }
"#;

/// Two workers with four strips each, which keep moving.
fn config() -> RunConfig {
    RunConfig {
        grid: GridSize { rows: 16, columns: 10 },
        workers: 2,
        split: 4,
        mode: Mode::Async,
        balance: Balance::Joint(Duration::from_micros(20)),
        help: true,
        always_help: false,
        plb: PlbParams::default(),
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop: Stop { iterations: Some(2_000), ..Stop::NEVER },
        precision: Precision::F64,
        seed: 1,
        noise: std::iter::empty().collect(),
    }
}

/// The sweep that began, with its worker and its time.
#[derive(Default)]
struct Started(Vec<(WorkerId, SubdomainId, Duration)>);

impl Watch for Started {
    fn see(&mut self, now: Instant, event: Event) {
        if let Event::Started { worker, subdomain, until } = event {
            self.0.push((worker, subdomain, until.since(now)));
        }
    }
}

/// The known state of each subdomain: the worker that swept it last, and its updates.
struct Known {
    last: WorkerId,
    updates: u64,
}

/// Sweeps that had something about them that costs more.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    across: u64,
    handed_over: u64,
    with_residual: u64,
    without: u64,
    with_more_in_hand: u64,
}

/// Returns the cost of a sweep that begins, by the names and numbers of the machine file.
fn expected(
    (worker, id): (WorkerId, SubdomainId),
    decomposition: &Decomposition,
    known: &[Known],
    in_hand: u64,
    seen: &mut Seen,
) -> u64 {
    let size = decomposition.rectangle(id).size;
    let own = &known[id.index()];
    let is_new = own.last != worker;
    // In picoseconds, on the lines between the points of the file.
    let cell = match in_hand {
        ..30 => 1_000,
        30..90 => 1_000 + (in_hand - 30) * 2_000 / 60,
        90..150 => 3_000 + (in_hand - 90) * 6_000 / 60,
        _ => 9_000,
    };
    let residual = if takes_residual(own.updates) { 500 } else { 0 };
    let mut time = 100 + size.cells() * (cell + residual) / 1_000;
    for side in Side::ALL {
        let Some(neighbour) = decomposition.neighbour(id, side) else { continue };
        let is_across = known[neighbour.index()].last != worker;
        let along = if matches!(side, Side::Top | Side::Bottom) { size.columns } else { size.rows };
        time += if is_across { 200 + 7 * along as u64 } else { 10 + along as u64 };
        seen.across += u64::from(is_across);
    }
    if is_new {
        time += 5_000 + 11 * size.cells();
    }
    seen.handed_over += u64::from(is_new);
    seen.with_residual += u64::from(residual > 0);
    seen.without += u64::from(residual == 0);
    seen.with_more_in_hand += u64::from(in_hand > 80);
    time
}

#[test]
fn every_sweep_costs_what_the_machine_file_says() -> Result<(), Failure> {
    let (config, machine) = (config(), machine_files::parse(MACHINE, Path::new(""))?);
    let decomposition = Decomposition::new(&config)?;
    let known = |id| Known { last: decomposition.first_owner(id), updates: 0 };
    let mut known: Vec<_> = decomposition.ids().map(known).collect();
    let mut memory =
        OwnedSimulationMemory::new(&SimulationNeeds::of(&config, &machine.hardware, &[]));
    let mut parts = vec![NoCells; decomposition.subdomains() as usize];
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut run = Simulation::new(&config, &machine.hardware, &[], parts, memory.lend())?;
    let (mut seen, mut started) = (Seen::default(), Started::default());
    while run.step(&mut started) {
        // Between two steps the working set is the one that the sweep was begun with.
        for (worker, id, time) in started.0.drain(..) {
            let in_hand =
                run.working_set(worker).map(|id| decomposition.rectangle(id).size.cells());
            let expected = expected((worker, id), &decomposition, &known, in_hand.sum(), &mut seen);
            assert_eq!(time, Duration(expected), "worker {worker:?}, {id:?} at {:?}", run.now());
            let own = &mut known[id.index()];
            (own.last, own.updates) = (worker, own.updates + 1);
        }
    }
    println!("{seen:?}");
    let all = [seen.handed_over, seen.with_residual, seen.without, seen.with_more_in_hand];
    assert!(all.iter().all(|&number| number > 20), "{seen:?}");
    // Without moves, one of each worker's four is beside the other's.
    assert!(4 * seen.across > 2 * (seen.with_residual + seen.without), "{seen:?}");
    Ok(())
}

#[test]
fn a_machine_that_says_nothing_of_new_costs_has_none() -> Result<(), Failure> {
    for name in machine_files::NAMES {
        let Hardware { costs, .. } = VirtualMachine::shipped(name)?.hardware;
        assert!(costs.cells.is_empty() && costs.residual == 0, "{name}");
        assert_eq!((costs.wake_up, costs.switch), (Duration::ZERO, Duration::ZERO), "{name}");
    }
    Ok(())
}
