//! What the simulator itself costs for each update of a subdomain, without cells.
//!
//! `cargo bench -p tresse-experiments --bench machine [-- RUNS]`
//!
//! Asynchronous workers with four subdomains each, on nodes of 25, with the split balancer. Each
//! figure is the least of several runs, in the thread's own processor time.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use rustix::time::{ClockId, clock_gettime};
use tresse_core::machine::{Hardware, Machine, Needs, NoFields};
use tresse_core::run::{Balance, GridSize, Mode, RunConfig, Stop};
use tresse_core::time::Duration;
use tresse_experiments::experiment;
use tresse_experiments::memory::MachineMemory;

/// Updates of each subdomain that are measured, and updates in all at the least.
const ITERATIONS: u64 = 6;
const UPDATES: u64 = 4_000_000;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let runs: u32 = numbers.next().unwrap_or(5);
    println!("{:>10} {:>15} {:>6} {:>8}", "subdomains", "updates", "moves", "ns each");
    for nodes in [1, 100, 10_000] {
        let (config, hardware) = method(nodes);
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
    let (first, start) = (machine.updates(), nanoseconds());
    let last = first + UPDATES.max(ITERATIONS * subdomains);
    while machine.updates() < last && machine.step(&mut ()) {}
    let nanoseconds = nanoseconds() - start;
    let updates = machine.updates() - first;
    Some((nanoseconds / updates as f64, updates, machine.moves()))
}

/// This thread's own processor time: other programs on the machine do not count.
fn nanoseconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Blocks of 5 x 5 workers on each node, with parts of 150 x 150 cells.
fn method(nodes: u32) -> (RunConfig, Hardware) {
    let experiment = experiment("overhead", String::new(), nodes);
    let config = RunConfig {
        grid: GridSize { rows: nodes as usize * 5 * 4 * 150, columns: 5 * 150 },
        workers: 25 * nodes,
        mode: Mode::Async,
        balance: Balance::Split(Duration::from_millis(1)),
        stop: Stop { tolerance: None, iterations: Some(u64::MAX) },
        ..experiment.config
    };
    (config, Hardware { cores: 13, ..experiment.hardware })
}
