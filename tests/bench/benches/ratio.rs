//! Our sweep against the same loop in C, pair by pair: a table of medians.
//!
//! `cargo bench -p tresse-bench --features c-kernel --bench ratio [-- PAIRS [SIZE]]`
//!
//! Both take turns on the same pinned threads, and each turn is measured in the threads' own
//! processor time, so that other programs on the machine disturb little.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

use rustix::time::{ClockId, clock_gettime};
use tresse_bench::{CGrid, CReal, Contender, ours};

/// Cells that one turn sweeps at least.
const CELLS_PER_TURN: usize = 20_000_000;

/// The grid's side from which on threads share one by bands.
const SHARED_FROM: usize = 8192;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let pairs = numbers.next().unwrap_or(15);
    let only: Option<usize> = numbers.next();
    println!("medians of {pairs} pairs; Gcells/s of all threads");
    println!(
        "{:>6} {:>4} {:>7} {:>8} {:>7} {:>7} {:>6}",
        "side", "type", "threads", "residual", "tresse", "C", "ratio"
    );
    for side in
        [150, 300, 1000, 8192].into_iter().filter(|side| only.is_none_or(|only| only == *side))
    {
        for threads in [1, 2] {
            for residual in [false, true] {
                compare::<f64>(Case { side, threads, residual, pairs }, "f64");
                compare::<f32>(Case { side, threads, residual, pairs }, "f32");
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Case {
    side: usize,
    threads: usize,
    residual: bool,
    pairs: usize,
}

fn compare<F: CReal>(case: Case, name: &str) {
    let Case { side, threads, residual, pairs } = case;
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    if cores.len() < threads {
        println!("{side:>6} {name:>4} {threads:>7}: only {} cores", cores.len());
        return;
    }
    let turn = Barrier::new(threads);
    let per_thread: Vec<Vec<[f64; 2]>> = thread::scope(|scope| {
        let threads: Vec<_> = cores[..threads]
            .iter()
            .map(|core| {
                scope.spawn(|| {
                    core_affinity::set_for_current(*core);
                    take_turns::<F>(case, &turn)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
    });
    let rates: Vec<[f64; 2]> = (0..pairs)
        .map(|pair| [0, 1].map(|side| per_thread.iter().map(|rates| rates[pair][side]).sum()))
        .collect();
    let ours = median(rates.iter().map(|[ours, _]| *ours));
    let c = median(rates.iter().map(|[_, c]| *c));
    let ratio = median(rates.iter().map(|[ours, c]| ours / c));
    let residual = if residual { "yes" } else { "no" };
    println!("{side:>6} {name:>4} {threads:>7} {residual:>8} {ours:>7.2} {c:>7.2} {ratio:>6.3}");
}

/// Gcells/s of ours and C in each pair, in this thread's processor time.
fn take_turns<F: CReal>(case: Case, turn: &Barrier) -> Vec<[f64; 2]> {
    let rows = if case.side < SHARED_FROM { case.side } else { case.side / case.threads };
    let (mut ours, mut c) = (ours::<F>(rows, case.side), CGrid::<F>::new(rows, case.side));
    let sweeps = CELLS_PER_TURN.div_ceil(rows * case.side);
    let rate = |contender: &mut dyn Contender, sweeps: usize| {
        turn.wait();
        let begin = processor_seconds();
        for _ in 0..sweeps {
            if case.residual {
                black_box(contender.sweep_with_residual());
            } else {
                contender.sweep();
            }
        }
        (sweeps * rows * case.side) as f64 / (processor_seconds() - begin) / 1e9
    };
    rate(&mut ours, 1);
    rate(&mut c, 1);
    (0..case.pairs).map(|_| [rate(&mut ours, sweeps), rate(&mut c, sweeps)]).collect()
}

fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
