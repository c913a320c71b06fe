//! Measures the simulator's own time for each update of a subdomain, without cells.
//!
//! `cargo bench -p tresse-experiments --bench machine [-- RUNS]`
//!
//! Asynchronous workers on nodes of 25, with the split balancer: from a hundred to a million
//! subdomains, on as many cores as make four each, and on the cores of the papers' largest machine
//! or fewer; and without the balancer, whose rounds look at all subdomains of a node. Each figure
//! is the least of several runs, in the thread's own processor time.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use rustix::time::{ClockId, clock_gettime};
use tresse_core::base::time::Duration;
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::NoCells;
use tresse_core::run::{Balance, GridSize, Mode, PlbParams, RunConfig, Stop};
use tresse_core::sim::machine::{Hardware, LentParts, Simulation, SimulationNeeds};
use tresse_core::sim::owned::OwnedSimulationMemory;
use tresse_experiments::experiment;

/// Updates of each subdomain that are measured, and updates in all at the least.
const ITERATIONS: u64 = 6;
const UPDATES: u64 = 4_000_000;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let runs: u32 = numbers.next().unwrap_or(5);
    println!(
        "{:>8} {:>10} {:>8} {:>10} {:>10}",
        "cores", "subdomains", "moves", "ns, split", "ns, alone"
    );
    let sizes = [(1, 4), (100, 4), (10_000, 4), (144, 4), (144, 40), (144, 280), (1, 40_000)];
    for (nodes, split) in sizes {
        let (config, hardware) = method(nodes, split);
        let alone = RunConfig { balance: Balance::None, ..config.clone() };
        let [balanced, alone] = [&config, &alone].map(|config| {
            let all = (0..runs).filter_map(|_| measure(config, &hardware));
            all.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default()
        });
        let (cores, subdomains) = (config.workers, config.subdomains());
        let (each, moves) = balanced;
        println!("{cores:>8} {subdomains:>10} {moves:>8} {each:>10.1} {:>10.1}", alone.0);
    }
}

/// Nanoseconds for each update, after an iteration that is not counted; moves.
fn measure(config: &RunConfig, hardware: &Hardware) -> Option<(f64, u64)> {
    let mut memory = OwnedSimulationMemory::new(&SimulationNeeds::of(config, hardware, &[]));
    let decomposition = Decomposition::new(config).ok()?;
    let mut parts = vec![NoCells; decomposition.subdomains() as usize];
    let parts = LentParts::new(&decomposition, &mut parts);
    let mut machine = Simulation::new(config, hardware, &[], parts, memory.lend()).ok()?;
    let subdomains = config.subdomains();
    while machine.updates() < subdomains && machine.step(&mut ()) {}
    let (first, start) = (machine.updates(), nanoseconds());
    let last = first + UPDATES.max(ITERATIONS * subdomains);
    while machine.updates() < last && machine.step(&mut ()) {}
    let nanoseconds = nanoseconds() - start;
    let updates = machine.updates() - first;
    Some((nanoseconds / updates as f64, machine.moves()))
}

/// Returns this thread's own processor time, in which other programs on the machine do not count.
fn nanoseconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Blocks of 5 x 5 workers on each node, with strips of 150 x 750 cells.
fn method(nodes: u32, split: u32) -> (RunConfig, Hardware) {
    let experiment = experiment("overhead", String::new(), nodes);
    let config = RunConfig {
        grid: GridSize { rows: nodes as usize * 5 * split as usize * 150, columns: 5 * 150 },
        workers: 25 * nodes,
        split,
        plb: PlbParams {
            low: split.div_ceil(2),
            high: split + split.div_ceil(2),
            ..PlbParams::default()
        },
        mode: Mode::Async,
        balance: Balance::Split(Duration::from_millis(1)),
        stop: Stop { iterations: Some(u64::MAX), ..Stop::NEVER },
        ..experiment.config
    };
    (config, Hardware { cores: 13, ..experiment.hardware })
}
