//! What the simulator itself costs for each update of a subdomain, without cells.
//!
//! `cargo bench -p tresse-tests --bench machine [-- RUNS]`
//!
//! Asynchronous workers with four subdomains each, on nodes of 25, with the split balancer. Each
//! figure is the least of several runs, which other programs on the machine disturb least.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use std::time::Instant;

use tresse::simulation::MachineMemory;
use tresse_core::machine::{Costs, Hardware, Machine, Needs, NoFields, Path, Paths};
use tresse_core::run::{Balance, GridSize, Nodes, RunConfig};
use tresse_core::time::Duration;
use tresse_tests::problems::{config, iterations};

/// Updates of each subdomain that are measured, and updates in all at the least.
const ITERATIONS: u64 = 6;
const UPDATES: u64 = 4_000_000;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let runs: u32 = numbers.next().unwrap_or(5);
    println!("{:>10} {:>15} {:>6} {:>8}", "subdomains", "updates", "moves", "ns each");
    for nodes in [1, 100, 10_000] {
        let (config, hardware) = (method(nodes), hardware(nodes));
        let all = (0..runs).filter_map(|_| measure(&config, &hardware));
        let Some((each, updates, moves)) = all.min_by(|one, other| one.0.total_cmp(&other.0))
        else {
            println!("{:>10} makes no sense", config.subdomains());
            continue;
        };
        println!("{:>10} {updates:>15} {moves:>6} {each:>8.1}", config.subdomains());
    }
}

/// Nanoseconds for each update, after an iteration that is not counted; updates, moves.
fn measure(config: &RunConfig, hardware: &Hardware) -> Option<(f64, u64, u64)> {
    let mut memory = MachineMemory::new(&Needs::of(config, hardware, &[]));
    let mut machine = Machine::new(config, hardware, &[], NoFields, memory.lend()).ok()?;
    let subdomains = config.subdomains();
    while machine.updates() < subdomains && machine.step(&mut ()) {}
    let (first, start) = (machine.updates(), Instant::now());
    let last = first + UPDATES.max(ITERATIONS * subdomains);
    while machine.updates() < last && machine.step(&mut ()) {}
    let nanoseconds = start.elapsed().as_secs_f64() * 1e9;
    let updates = machine.updates() - first;
    Some((nanoseconds / updates as f64, updates, machine.moves()))
}

fn method(nodes: u32) -> RunConfig {
    let balance = Balance::Split(Duration::from_millis(1));
    let method = (tresse_core::run::Mode::Async, balance);
    // Parts of 150 x 150 cells under blocks of 5 x 5 workers on each node.
    let grid = GridSize { rows: nodes as usize * 5 * 4 * 150, columns: 5 * 150 };
    let config = config(grid, (25 * nodes, 4), method, iterations(u64::MAX));
    RunConfig { nodes: Nodes { number: nodes, ..Nodes::ONE }, ..config }
}

fn hardware(nodes: u32) -> Hardware {
    let path = |latency, cell| Path { latency: Duration(latency), cell };
    let paths = Paths {
        core: path(10, 100),
        socket: path(100, 400),
        node: path(300, 800),
        network: path(2_000, 1_000),
    };
    Hardware {
        nodes,
        sockets: 2,
        cores: 13,
        costs: Costs {
            cell: 1_000,
            sweep: Duration(100),
            halo: paths,
            hand_over: paths,
            barrier: Duration(500),
            round: Duration(1_000),
            round_subdomain: 5_000,
            parasite_iteration: 4_600,
        },
        pace_range: 10_000,
        background: std::iter::empty().collect(),
    }
}
