//! Measures the time of Grapevine, the imbalance that it reaches, and its memory.
//!
//! `cargo bench -p tresse-bench --bench grapevine [-- small|large]`
//!
//! The set-up of the slides, 10⁴ and 2¹⁵ objects on 16 of 2¹² processors with loads between 10 µs
//! and 100 ms, with live loads and with ours; and 10⁷ objects on 2¹² of 2²⁰ processors with bounded
//! knowledge, on one thread and on all. Seconds are those of the clock and those of all threads'
//! processors; the memory is the most that the program had during the run, objects included.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use std::fs;
use std::ops::ControlFlow;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};
use tresse::experiments::balancing::Rayon;
use tresse_core::balance::grapevine::parallel::{Parallel, Serial};
use tresse_core::balance::grapevine::{Config, Criterion, Problem, run};
use tresse_core::balance::objects::{Average, Objects};
use tresse_core::balance::owned::OwnedGrapevineMemory;
use tresse_core::base::id::ProcessorId;
use tresse_core::base::rng::Rng;

/// The highest load: 100 ms in picoseconds.
const MOST: u64 = 100_000_000_000;

const RELAXED: Config = Config { criterion: Criterion::Relaxed, ..Config::SLIDES };
const LARGE: Config = Config { iterations: 10, ..Config::DISTRIBUTED };

/// Name, parameters, processors, those that have objects, objects.
type Case = (&'static str, Config, u32, u32, u32);

const SMALL_CASES: [Case; 5] = [
    ("slides, 6", Config::SLIDES, 1 << 12, 16, 10_000),
    ("slides, 6'", RELAXED, 1 << 12, 16, 10_000),
    ("ours", Config::DISTRIBUTED, 1 << 12, 16, 10_000),
    ("slides, 6'", RELAXED, 1 << 12, 16, 1 << 15),
    ("ours", Config::DISTRIBUTED, 1 << 12, 16, 1 << 15),
];
const LARGE_CASE: Case = ("ours", LARGE, 1 << 20, 1 << 12, 10_000_000);

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |size: &str| {
        let sizes = ["small", "large"];
        asked.iter().any(|word| word == size)
            || !asked.iter().any(|word| sizes.contains(&word.as_str()))
    };
    println!(
        "{:>12} {:>10} {:>10} {:>8} {:>4} {:>9} {:>9} {:>11} {:>8}",
        "method", "processors", "objects", "threads", "it", "seconds", "cpu", "imbalance", "MiB"
    );
    if is_asked("small") {
        for case in &SMALL_CASES {
            measure(case, &Serial, 1);
        }
    }
    if is_asked("large") {
        measure(&LARGE_CASE, &Serial, 1);
        measure(&LARGE_CASE, &Rayon, rayon::current_num_threads());
    }
}

fn measure(
    (name, config, processors, on, number): &Case,
    parallel: &impl Parallel,
    threads: usize,
) {
    let (processors, number) = (*processors, *number);
    forget_peak();
    let mut rng = Rng::new(1, 0);
    let loads: Vec<u64> =
        (0..number).map(|_| MOST / 10_000 + rng.up_to(MOST - MOST / 10_000)).collect();
    let apart = processors / on;
    let mut owners: Vec<ProcessorId> =
        loads.iter().map(|_| ProcessorId(rng.below(*on) * apart)).collect();
    let Ok(objects) = Objects::new(&loads, &[]) else { return };
    let mut memory = OwnedGrapevineMemory::new(config, loads.len(), processors as usize);
    let problem = Problem { config, objects: &objects, processors, bounds: None };
    let mut iterations = 0;
    let mut count = |_: &_| {
        iterations += 1;
        ControlFlow::Continue(())
    };
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let outcome = run(&problem, &mut owners, &mut memory.lend(), parallel, &mut count);
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    match outcome {
        Ok(outcome) => {
            let average = Average { total: objects.total(), processors };
            let imbalance = average.imbalance(outcome.final_max);
            println!(
                "{name:>12} {processors:>10} {number:>10} {threads:>8} {iterations:>4} \
                 {seconds:>9.3} {cpu:>9.3} {imbalance:>11.3e} {:>8}",
                peak_mebibytes().map_or("-".into(), |peak| peak.to_string())
            );
        }
        Err(error) => println!("{name:>12} {processors:>10} {number:>10} {error}"),
    }
}

/// Processor time of all threads: other programs on the machine do not count.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Lets the system count the most memory anew; where it does not, earlier runs count as well.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").ok();
}

/// Returns the most memory since then.
fn peak_mebibytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes / 1024)
}
