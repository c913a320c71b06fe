//! What a run hands back, on real threads or in virtual time.

use ndarray::Array2;
use tresse_core::convergence::norm;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::{
    End, MachineReport, NoiseReport, ResidualReport, RunConfig, SpreadReport, StalenessReport,
};
use tresse_core::time::Duration;

use crate::engine::solvers::Solver;
use crate::report::RunReport;
use crate::report::history::History;
use crate::wording::advice;

/// The field, and how it came to be.
#[derive(Clone, Debug)]
pub struct Solution<F> {
    /// The cells, rows × columns.
    pub field: Array2<F>,
    /// What was measured on the way.
    pub record: RunRecord,
}

/// What was measured of a run.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// Why the run ended.
    pub end: End,
    /// From the first sweep to the last, verifications included.
    pub elapsed: Duration,
    /// Whether that is virtual time.
    pub is_virtual: bool,
    /// The update counts at the end.
    pub progress: Progress,
    /// The largest spread that was seen.
    pub spread_max: u64,
    /// Sweeps of this run's workers: those that [`RunRecord::progress`] has more are of an earlier run,
    /// or of another process.
    pub sweeps: u64,
    /// The halos that were read.
    pub staleness: Staleness,
    /// Subdomains that changed hands.
    pub moves: u64,
    /// Subdomains that moved to another node.
    pub transfers: u64,
    /// Balancing rounds.
    pub rounds: u64,
    /// Norms of the residual.
    pub residual: ResidualReport,
    /// Samples over time.
    pub history: History,
    /// What the noise took.
    pub noise: Vec<NoiseReport>,
    /// Cores that a worker could not be pinned to.
    pub unpinned: Vec<u32>,
}

impl RunRecord {
    /// Whether the figures are those of a real approximation: the residual is a number, and is no
    /// larger than it was at the start.
    pub fn is_valid(&self) -> bool {
        self.end != End::NotFinite && self.residual.verified <= self.residual.initial
    }

    /// The report of this run of a problem; without rates where it is not valid.
    pub fn report<'a>(
        &'a self,
        config: RunConfig<Solver>,
        problem: &'a str,
        sockets: u32,
        machine: MachineReport<'a>,
    ) -> RunReport<'a> {
        let seconds = self.elapsed.seconds();
        let cells = config.grid.cells() as f64;
        let has_rate = self.is_valid() && seconds > 0.0;
        // Without those of an earlier run that this one went on from.
        let made = Progress { updates: self.sweeps, ..self.progress };
        RunReport {
            mode: config.mode,
            balance: config.balance,
            workers: config.workers,
            sockets,
            nodes: config.nodes.number,
            subdomains: config.subdomains(),
            grid: config.grid,
            problem,
            precision: config.precision,
            seed: config.seed,
            end: self.end,
            advice: advice(self.end, &config.stop, config.precision),
            iterations: self.progress.mean(),
            updates: self.progress.updates,
            seconds: (!self.is_virtual).then_some(seconds),
            virtual_seconds: self.is_virtual.then_some(seconds),
            is_virtual: self.is_virtual,
            iteration_rate: has_rate.then(|| made.iteration_rate(self.elapsed)),
            // Subdomains are nearly equal, so that a mean iteration sweeps the grid once.
            cell_updates_per_second: has_rate.then(|| made.mean() * cells / seconds),
            spread: SpreadReport { end: self.progress.spread(), max: self.spread_max },
            staleness: StalenessReport { mean: self.staleness.mean(), max: self.staleness.max },
            moves: self.moves,
            transfers: self.transfers,
            rounds: self.rounds,
            residual: self.residual,
            converged: config.stop.tolerance.map(|_| self.end == End::Converged),
            noise: &self.noise,
            machine,
            version: env!("CARGO_PKG_VERSION"),
            config,
        }
    }
}

/// The norms of three sums of squares.
pub(crate) fn residual_report(
    initial: f64,
    detected: Option<f64>,
    verified: f64,
    tolerance: Option<f64>,
) -> ResidualReport {
    let relative = if verified > 0.0 { norm(verified / initial) } else { 0.0 };
    ResidualReport {
        initial: norm(initial),
        detected: detected.map(norm),
        verified: norm(verified),
        relative,
        tolerance,
    }
}
