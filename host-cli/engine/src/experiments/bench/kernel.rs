//! Measures the cells per second that the bare sweep updates.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use serde::Serialize;
use thiserror::Error;
use tresse_core::field::stencil::{Layout, Real};
use tresse_core::run::{GridSize, Precision};

use super::BareGrid;
use crate::kernel::Kernel;

/// Bytes of a grid from which on threads share it instead of having one each.
pub(super) const SHARED_FROM: u64 = 64 << 20;

/// Number of cells that are swept between two looks at the clock.
const CELLS_PER_LOOK: u64 = 1 << 21;

/// The settings of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct KernelBench<'a> {
    /// Interior cells of every thread's own grid, where that fits a cache, that is 64 MiB at most;
    /// otherwise those of one grid that the threads share by bands of rows.
    pub size: GridSize,
    /// The type of a cell.
    pub precision: Precision,
    /// Number of threads, each pinned to a core.
    pub threads: usize,
    /// Time of the measurement.
    pub time: Duration,
    /// Whether the residual's sum of squares is fused in.
    pub residual: bool,
    /// Flag that is set to end the measurement early.
    pub interrupt: &'a AtomicBool,
}

/// The measured rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KernelRate {
    /// Interior cells that all threads together updated per second.
    pub cell_updates_per_second: f64,
    /// Interior cells of the grid, or of each thread's.
    pub grid: GridSize,
    /// The type of a cell.
    pub precision: Precision,
    /// Number of threads.
    pub threads: usize,
    /// Seconds of the slowest thread.
    pub seconds: f64,
    /// Whether the residual was fused in.
    pub with_residual: bool,
    /// Name of the vectors in use: `avx512`, `avx2` or `baseline`.
    pub kernel: &'static str,
}

/// An error of the measurement.
#[derive(Clone, Debug, Error)]
pub enum BenchError {
    /// There are no threads, or more than cores.
    #[error("--threads {threads}: give a number from 1 to {cores}, the cores this process may use")]
    Threads {
        /// Number of threads asked for.
        threads: usize,
        /// Number of allowed cores.
        cores: usize,
    },
    /// There is no time to measure in.
    #[error("--seconds must be above 0: give a number such as 1")]
    Time,
    /// There are no cells, more than can be addressed, or fewer rows than threads that share them.
    #[error(
        "--size {0} cannot be cut into bands: give each thread at least one row and one column"
    )]
    Size(GridSize),
    /// There is not enough memory.
    #[error("--size {0} does not fit into memory: give fewer rows or columns")]
    Memory(GridSize),
    /// The system refused to pin a thread.
    #[error("core {0} cannot be pinned to: lower --threads")]
    Pin(usize),
    /// A measuring thread ended before it had measured.
    #[error("a measuring thread failed: this is a bug in tresse, please report it")]
    Thread,
}

impl KernelBench<'_> {
    /// Returns the grid or band of thread `thread`, or `None` where it would have no cells.
    fn layout(&self, thread: usize) -> Option<Layout> {
        let GridSize { rows, columns } = self.size;
        let bytes = self.size.cells().saturating_mul(self.precision.bytes());
        if bytes <= SHARED_FROM {
            return Layout::new(rows, columns);
        }
        let threads = self.threads.max(1);
        Layout::new(rows / threads + usize::from(thread < rows % threads), columns)
    }

    /// Returns the greatest number of bytes that all threads' grids need.
    pub fn bytes(&self) -> u64 {
        let cells = self.layout(0).map_or(u64::MAX, |layout| layout.len() as u64);
        cells.saturating_mul(self.threads as u64).saturating_mul(self.precision.bytes())
    }
}

/// Sweeps for the given time on pinned threads, or until it is interrupted.
///
/// To be called on a thread that is not pinned itself: it may use this thread's cores only.
pub fn measure(bench: &KernelBench<'_>) -> Result<KernelRate, BenchError> {
    match bench.precision {
        Precision::F32 => measure_with(bench, Kernel::<f32>::best()),
        Precision::F64 => measure_with(bench, Kernel::<f64>::best()),
    }
}

/// Sweeps on all threads at once, each on its own grid, and adds up their rates.
fn measure_with<F: Real>(
    bench: &KernelBench<'_>,
    kernel: Kernel<F>,
) -> Result<KernelRate, BenchError> {
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    if !(1..=cores.len()).contains(&bench.threads) {
        return Err(BenchError::Threads { threads: bench.threads, cores: cores.len() });
    }
    if bench.time.is_zero() {
        return Err(BenchError::Time);
    }
    let layouts: Option<Vec<_>> = (0..bench.threads).map(|thread| bench.layout(thread)).collect();
    let layouts = layouts.ok_or(BenchError::Size(bench.size))?;
    let start = Barrier::new(bench.threads);
    let shares: Vec<Share> = thread::scope(|scope| {
        let sweep = |(layout, core)| {
            let start = &start;
            scope.spawn(move || sweep_pinned(bench, kernel, layout, core, start))
        };
        let threads: Vec<_> = layouts.into_iter().zip(cores).map(sweep).collect();
        let results = threads.into_iter().map(ScopedJoinHandle::join);
        results.map(|result| result.map_err(|_| BenchError::Thread)?).collect::<Result<_, _>>()
    })?;
    Ok(KernelRate {
        cell_updates_per_second: shares.iter().map(|share| share.cells / share.seconds).sum(),
        grid: bench.size,
        precision: bench.precision,
        threads: bench.threads,
        seconds: shares.iter().map(|share| share.seconds).fold(0.0, f64::max),
        with_residual: bench.residual,
        kernel: kernel.name(),
    })
}

/// The result of one thread.
struct Share {
    cells: f64,
    seconds: f64,
}

/// Sweeps on one core for the time of the benchmark, after all threads have come to `start`.
fn sweep_pinned<F: Real>(
    bench: &KernelBench<'_>,
    kernel: Kernel<F>,
    layout: Layout,
    core: CoreId,
    start: &Barrier,
) -> Result<Share, BenchError> {
    let pinned = core_affinity::set_for_current(core);
    let grid = BareGrid::new(kernel, layout);
    // Also a thread that failed comes to the barrier: the others wait for it there.
    start.wait();
    if !pinned {
        return Err(BenchError::Pin(core.id));
    }
    let mut grid = grid.map_err(|_| BenchError::Memory(bench.size))?;
    let cells = layout.rows() as u64 * layout.columns() as u64;
    let batch = (CELLS_PER_LOOK / cells).max(1);
    grid.sweeps(batch, bench.residual);
    let (begin, mut sweeps) = (Instant::now(), 0);
    while sweeps == 0 || begin.elapsed() < bench.time && !bench.interrupt.load(Ordering::Relaxed) {
        grid.sweeps(batch, bench.residual);
        sweeps += batch;
    }
    let seconds = begin.elapsed().as_secs_f64();
    Ok(Share { cells: sweeps as f64 * cells as f64, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    static NOBODY: AtomicBool = AtomicBool::new(false);

    fn bench(rows: usize, columns: usize, threads: usize) -> KernelBench<'static> {
        KernelBench {
            size: GridSize { rows, columns },
            precision: Precision::F32,
            threads,
            time: Duration::from_millis(2),
            residual: true,
            interrupt: &NOBODY,
        }
    }

    #[test]
    fn rates_are_measured_on_own_and_on_shared_grids() {
        for (rows, columns) in [(30, 40), (3, 3_000_000)] {
            let rate = measure(&bench(rows, columns, 1)).unwrap();
            assert!(rate.cell_updates_per_second > 1e6 && rate.seconds >= 0.002, "{rate:?}");
        }
    }

    #[test]
    fn threads_share_what_no_cache_holds() {
        let rows =
            |bench: KernelBench<'_>| [0, 1].map(|thread| bench.layout(thread).unwrap().rows());
        assert_eq!(rows(bench(300, 300, 2)), [300, 300]);
        assert_eq!(rows(bench(8193, 8192, 2)), [4097, 4096]);
        assert!(bench(8192, 8192, 2).bytes() < bench(8192, 8192, 1).bytes() * 11 / 10);
    }

    #[test]
    fn what_cannot_be_measured_is_named() {
        let message = |bench: KernelBench<'_>| measure(&bench).unwrap_err().to_string();
        assert!(message(bench(3, 3, 0)).contains("--threads 0"));
        assert!(message(bench(3, 3, usize::MAX)).contains("the cores this process may use"));
        assert!(message(bench(0, 3, 1)).contains("--size 0x3"));
        assert!(message(bench(usize::MAX, 3, 1)).contains("--size"));
        assert!(message(bench(1 << 20, 1 << 36, 1)).contains("does not fit into memory"));
        let now = KernelBench { time: Duration::ZERO, ..bench(3, 3, 1) };
        assert!(message(now).contains("--seconds"));
    }
}
