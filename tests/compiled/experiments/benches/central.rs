//! Measures the time of the central references, and their imbalance.
//!
//! `cargo bench -p tresse-experiments --bench central [-- RUNS]`
//!
//! Loads between 10 µs and 100 ms in picoseconds, or all between 90 and 100 ms. Each figure is the
//! least of several runs, in the thread's own processor time; the distance is that of the highest
//! load from what no placement can be better than.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use rustix::time::{ClockId, clock_gettime};
use tresse_core::balance::central::{
    CentralError, CentralMemory, CentralNeeds, Partition, Subset, karmarkar_karp, lower_bound, lpt,
};
use tresse_core::balance::objects::{Average, Objects};
use tresse_core::base::heap::Entry;
use tresse_core::base::id::ProcessorId;
use tresse_core::base::rng::Rng;

type Method =
    fn(&Objects<'_>, u32, &mut [ProcessorId], CentralMemory<'_>) -> Result<(), CentralError>;

const METHODS: [(&str, Method); 2] = [("lpt", lpt), ("karmarkar-karp", karmarkar_karp)];

/// Objects, processors, the least load.
const CASES: [(usize, u32, u64); 6] = [
    (10_000, 1 << 12, MOST / 10_000),
    (1 << 15, 1 << 12, MOST / 10_000),
    (1 << 15, 1 << 12, MOST / 10 * 9),
    (1_000_000, 10, MOST / 10_000),
    (1_000_000, 1 << 17, MOST / 10_000),
    (10_000_000, 1 << 20, MOST / 10_000),
];

/// The highest load: 100 ms.
const MOST: u64 = 100_000_000_000;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let runs: u32 = numbers.next().unwrap_or(3);
    println!(
        "{:>14} {:>10} {:>10} {:>12} {:>11} {:>11} {:>11}",
        "method", "processors", "objects", "least, ms", "seconds", "imbalance", "distance"
    );
    for (number, processors, least) in CASES {
        let mut rng = Rng::new(1, 0);
        let loads: Vec<u64> = (0..number).map(|_| least + rng.up_to(MOST - least)).collect();
        for (name, method) in METHODS {
            let results = (0..runs).filter_map(|_| measure(method, &loads, processors));
            let Some((seconds, imbalance, distance)) =
                results.min_by(|one, other| one.0.total_cmp(&other.0))
            else {
                println!("{name:>14} {processors:>10} {number:>10} not placed");
                continue;
            };
            let least = least as f64 / 1e9;
            println!(
                "{name:>14} {processors:>10} {number:>10} {least:>12} {seconds:>11.4} \
                 {imbalance:>11.3e} {distance:>11.3e}"
            );
        }
    }
}

/// Seconds, the imbalance, and the highest load ÷ the lower bound − 1.
fn measure(method: Method, loads: &[u64], processors: u32) -> Option<(f64, f64, f64)> {
    let objects = Objects::new(loads, &[]).ok()?;
    let needs = CentralNeeds::of_karmarkar_karp(loads.len(), processors);
    let mut sums = vec![0; needs.loads];
    let mut owners = vec![ProcessorId(0); loads.len()];
    let memory = CentralMemory {
        objects: &mut vec![Entry::EMPTY; needs.objects],
        processors: &mut vec![Entry::EMPTY; needs.processors],
        loads: &mut sums,
        subsets: &mut vec![Subset::EMPTY; needs.sets],
        partitions: &mut vec![Partition::EMPTY; needs.sets],
    };
    let start = seconds();
    method(&objects, processors, &mut owners, memory).ok()?;
    let seconds = seconds() - start;
    let highest = sums.iter().copied().max()?;
    let imbalance = Average { total: objects.total(), processors }.imbalance(highest);
    let bound = lower_bound(&objects, processors, &[]);
    Some((seconds, imbalance, highest as f64 / bound as f64 - 1.0))
}

/// Returns this thread's own processor time, in which other programs on the machine do not count.
fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
