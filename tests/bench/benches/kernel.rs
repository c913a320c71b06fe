//! Our sweep beside the same loop in C, in criterion's terms: cells per second, with confidence
//! intervals. `ratio` compares the two pair by pair.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use tresse::engine::kernel::Kernel;
use tresse_bench::{CGrid, CReal, Contender, Vectors, ours};

/// The grid's side from which on threads share one by bands.
const SHARED_FROM: usize = 8192;

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    for side in [150, 300, 1000, 8192] {
        compare::<f64>(&mut criterion, "f64", side);
        compare::<f32>(&mut criterion, "f32", side);
    }
    criterion.final_summary();
}

fn compare<F: CReal>(criterion: &mut Criterion, name: &str, side: usize) {
    for residual in [false, true] {
        let kind = if residual { "sweep_with_residual" } else { "sweep" };
        for threads in [1, 2] {
            let shared = side >= SHARED_FROM;
            let rows = if shared { side / threads } else { side };
            let mut group = criterion.benchmark_group(format!("{kind}/{name}/{side}"));
            group.throughput(Throughput::Elements((rows * side * threads) as u64));
            bench(&mut group, "tresse", threads, residual, || {
                ours::<F>(Kernel::best(), rows, side)
            });
            bench(&mut group, "c", threads, residual, || {
                CGrid::<F>::new(Vectors::Native, rows, side)
            });
            group.finish();
        }
    }
}

fn bench<C: Contender>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    threads: usize,
    residual: bool,
    grid: impl Fn() -> C + Sync,
) {
    let id = BenchmarkId::new(name, format!("{threads} threads"));
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|sweeps| timed(threads, residual, sweeps, &grid));
    });
}

/// Returns the slowest pinned thread's time for a number of sweeps, its own grid's allocation not
/// counted.
fn timed<C: Contender>(
    threads: usize,
    residual: bool,
    sweeps: u64,
    grid: &(impl Fn() -> C + Sync),
) -> Duration {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let start = Barrier::new(threads);
    let run = |thread: usize| {
        if let Some(core) = cores.get(thread) {
            core_affinity::set_for_current(*core);
        }
        let mut grid = grid();
        grid.sweep();
        start.wait();
        let begin = Instant::now();
        for _ in 0..sweeps {
            if residual {
                black_box(grid.sweep_with_residual());
            } else {
                grid.sweep();
            }
        }
        begin.elapsed()
    };
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).max().unwrap_or_default()
    })
}
