//! Our sweep against the same loop in C, pair by pair: a table of medians.
//!
//! `cargo bench -p tresse-bench --features c-kernel --bench ratio [-- PAIRS [SIZE [avx2]]]`
//!
//! Both take turns on the same pinned threads, and each turn is measured in the threads' own
//! processor time, so that other programs on the machine disturb little. A size is `ROWSxCOLUMNS`,
//! or the side of a square. With `avx2` both sides do without AVX-512.
#![expect(clippy::print_stdout, reason = "the table is for a person")]

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

use rustix::time::{ClockId, clock_gettime};
use tresse::engine::kernel::Kernel;
use tresse_bench::{CGrid, CReal, Contender, Vectors, ours};

/// Cells that one turn sweeps at least.
const CELLS_PER_TURN: usize = 20_000_000;

/// Cells from which on threads share a grid by bands.
const SHARED_FROM: usize = 8192 * 8192;

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut numbers = arguments.iter().filter(|argument| *argument != "avx2");
    let pairs = numbers.next().and_then(|pairs| pairs.parse().ok()).unwrap_or(15);
    let sizes = match numbers.next().and_then(|size| size_of(size)) {
        Some(size) => vec![size],
        None => [150, 300, 1000, 8192].map(|side| [side, side]).to_vec(),
    };
    let narrow = arguments.iter().any(|argument| argument == "avx2");
    let vectors = if narrow { Vectors::Avx2 } else { Vectors::Native };
    println!("medians of {pairs} pairs; Gcells/s of all threads");
    println!(
        "{:>9} {:>4} {:>7} {:>8} {:>7} {:>7} {:>6}",
        "size", "type", "threads", "residual", "tresse", "C", "ratio"
    );
    for size in sizes {
        for threads in [1, 2] {
            for residual in [false, true] {
                let case = Case { size, vectors, threads, residual, pairs };
                compare::<f64>(case, "f64");
                compare::<f32>(case, "f32");
            }
        }
    }
}

/// Returns rows and columns of a size.
fn size_of(size: &str) -> Option<[usize; 2]> {
    let (rows, columns) = size.split_once('x').unwrap_or((size, size));
    Some([rows.parse().ok()?, columns.parse().ok()?])
}

#[derive(Clone, Copy)]
struct Case {
    size: [usize; 2],
    vectors: Vectors,
    threads: usize,
    residual: bool,
    pairs: usize,
}

fn compare<F: CReal>(case: Case, name: &str) {
    let Case { size: [rows, columns], vectors, threads, residual, pairs } = case;
    let size = format!("{rows}x{columns}");
    let Some(kernel) = vectors.kernel::<F>() else {
        println!("{size:>9} {name:>4}: the processor has no such vectors");
        return;
    };
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    if cores.len() < threads {
        println!("{size:>9} {name:>4} {threads:>7}: only {} cores", cores.len());
        return;
    }
    let turn = Barrier::new(threads);
    let per_thread: Vec<Vec<[f64; 2]>> = thread::scope(|scope| {
        let threads: Vec<_> = cores[..threads]
            .iter()
            .map(|core| {
                scope.spawn(|| {
                    core_affinity::set_for_current(*core);
                    take_turns::<F>(case, kernel, &turn)
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
    println!("{size:>9} {name:>4} {threads:>7} {residual:>8} {ours:>7.2} {c:>7.2} {ratio:>6.3}");
}

/// Gcells/s of ours and C in each pair, in this thread's processor time.
fn take_turns<F: CReal>(case: Case, kernel: Kernel<F>, turn: &Barrier) -> Vec<[f64; 2]> {
    let [rows, columns] = case.size;
    let rows = if rows * columns < SHARED_FROM { rows } else { rows / case.threads };
    let mut ours = ours::<F>(kernel, rows, columns);
    let mut c = CGrid::<F>::new(case.vectors, rows, columns);
    let sweeps = CELLS_PER_TURN.div_ceil(rows * columns);
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
        (sweeps * rows * columns) as f64 / (processor_seconds() - begin) / 1e9
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
