//! The solver's rate over that of the bare kernel on the same cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;
use tresse_core::run::{GridSize, RunConfig};

use super::kernel::{self, BenchError, KernelBench, SHARED_FROM};
use crate::files::problem::Problem;
use crate::solver;
use crate::threads::{EngineError, Job};
use tresse_draw::statistics::Quartiles;
use tresse_platform::Placement;

/// Number of alternations of the four measurements.
const ROUNDS: u32 = 7;

/// The settings of a measurement; both configurations are of one grid, precision and number of
/// workers.
#[derive(Clone, Copy, Debug)]
pub struct EngineBench<'a> {
    /// Configuration without a balancer.
    pub plain: &'a RunConfig,
    /// Configuration with a balancer.
    pub balanced: &'a RunConfig,
    /// Problem to solve.
    pub problem: &'a Problem,
    /// Placement of the workers.
    pub placement: &'a Placement,
    /// Size of each worker's part of the grid, and of the bare kernel's grid.
    pub cells_per_worker: GridSize,
    /// Time of all measurements together.
    pub time: Duration,
    /// Flag that another thread sets to end the measurement early.
    pub interrupt: &'a AtomicBool,
}

/// The measured rates; medians over the alternations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EngineRates {
    /// Cells per second of one bare kernel on each core, all together: the sweep with its residual,
    /// as `bench kernel` measures it.
    pub kernel_rate: f64,
    /// Cells per second of the bare kernels with the sweep alone.
    pub sweep_rate: f64,
    /// Cells per second of the solver, detection of the end included.
    pub engine_rate: f64,
    /// Cells per second of the solver with the balancer.
    pub balanced_rate: f64,
    /// Ratio of engine to kernel, within each alternation.
    pub engine_ratio: f64,
    /// Ratio of engine to the sweep alone, within each alternation.
    pub engine_over_sweep: f64,
    /// Ratio of balanced to kernel, within each alternation.
    pub balanced_ratio: f64,
    /// Ratio of balanced to engine, within each alternation.
    pub balancer_ratio: f64,
    /// Number of alternations that were finished.
    pub alternations: usize,
    /// Share of their cores' time that the engine's workers had, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_share: Option<f64>,
}

/// An error of the measurement.
#[derive(Debug, Error)]
pub enum EngineBenchError {
    /// The solver did not start.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The bare kernel did not start.
    #[error(transparent)]
    Kernel(#[from] BenchError),
    /// No alternation gave all rates.
    #[error("nothing was measured: give more --seconds, or more --cells-per-worker")]
    Unmeasured,
}

/// The rates of one alternation.
#[derive(Clone, Copy)]
struct Round {
    kernel: f64,
    sweep: f64,
    engine: f64,
    balanced: f64,
    /// Share of their cores' time that workers had, in the run where it was less.
    cpu_share: Option<f64>,
}

/// Measures kernel, solver and solver with balancer in turn, several times.
pub fn measure(bench: &EngineBench<'_>) -> Result<EngineRates, EngineBenchError> {
    let window = bench.time / (4 * ROUNDS);
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let kernel = kernel::measure(&bare(bench, window, true))?.cell_updates_per_second;
        let sweep = kernel::measure(&bare(bench, window, false))?.cell_updates_per_second;
        let engine = engine_rate(bench, bench.plain, window)?;
        let balanced = engine_rate(bench, bench.balanced, window)?;
        if bench.interrupt.load(Ordering::Relaxed) {
            break;
        }
        if let (Some(engine), Some(balanced)) = (engine, balanced) {
            let cpu_share = engine.1.zip(balanced.1).map(|(plain, balanced)| plain.min(balanced));
            rounds.push(Round { kernel, sweep, engine: engine.0, balanced: balanced.0, cpu_share });
        }
    }
    rates(&rounds).ok_or(EngineBenchError::Unmeasured)
}

/// Returns the measurement of one bare kernel for each worker, with the worker's cells.
fn bare<'a>(bench: &EngineBench<'a>, time: Duration, residual: bool) -> KernelBench<'a> {
    let GridSize { rows, columns } = bench.cells_per_worker;
    let precision = bench.plain.precision;
    let threads = bench.placement.seats.len();
    // Large grids are shared by all threads, in bands of rows.
    let each = bench.cells_per_worker.cells().saturating_mul(precision.bytes());
    let rows = if each > SHARED_FROM { rows.saturating_mul(threads) } else { rows };
    let (size, interrupt) = (GridSize { rows, columns }, bench.interrupt);
    KernelBench { size, precision, threads, time, residual, interrupt }
}

/// Returns the cells per second of a run that is ended after `window`, and the share of their
/// cores' time that its workers had; or `None` where it made no sweep.
fn engine_rate(
    bench: &EngineBench<'_>,
    config: &RunConfig,
    window: Duration,
) -> Result<Option<(f64, Option<f64>)>, EngineError> {
    let stop = AtomicBool::new(false);
    let EngineBench { problem, placement, .. } = *bench;
    let job = Job { config, problem, placement, interrupt: &stop };
    let record = solver::run(job, &mut |sample| {
        if sample.seconds >= window.as_secs_f64() || bench.interrupt.load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
        }
    })?
    .record;
    let seconds = record.elapsed.seconds();
    let cells = record.progress.mean() * config.grid.cells() as f64;
    Ok((cells > 0.0 && seconds > 0.0).then(|| (cells / seconds, record.cpu_share)))
}

/// Returns the medians of all rounds, and of their ratios; `None` without rounds.
fn rates(rounds: &[Round]) -> Option<EngineRates> {
    let median = |figure: fn(&Round) -> f64| {
        Some(Quartiles::of(&rounds.iter().map(figure).collect::<Vec<_>>())?.median)
    };
    Some(EngineRates {
        kernel_rate: median(|round| round.kernel)?,
        sweep_rate: median(|round| round.sweep)?,
        engine_rate: median(|round| round.engine)?,
        balanced_rate: median(|round| round.balanced)?,
        engine_ratio: median(|round| round.engine / round.kernel)?,
        engine_over_sweep: median(|round| round.engine / round.sweep)?,
        balanced_ratio: median(|round| round.balanced / round.kernel)?,
        balancer_ratio: median(|round| round.balanced / round.engine)?,
        alternations: rounds.len(),
        cpu_share: median(|round| round.cpu_share.unwrap_or(f64::NAN))
            .filter(|share| share.is_finite()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_within_an_alternation() {
        let round = |kernel, engine, balanced| Round {
            kernel,
            sweep: 2.0 * kernel,
            engine,
            balanced,
            cpu_share: Some(engine / 4.0),
        };
        // The machine was half as fast in the second one.
        let rates =
            rates(&[round(4.0, 3.0, 2.0), round(2.0, 1.5, 1.0), round(4.0, 4.0, 4.0)]).unwrap();
        let medians = (rates.kernel_rate, rates.engine_rate, rates.balanced_rate);
        assert_eq!(medians, (4.0, 3.0, 2.0));
        assert_eq!((rates.engine_ratio, rates.balanced_ratio), (0.75, 0.5));
        assert_eq!((rates.sweep_rate, rates.engine_over_sweep), (8.0, 0.375));
        assert_eq!((rates.alternations, rates.cpu_share), (3, Some(0.75)));
        assert!(super::rates(&[]).is_none());
    }
}
