//! What the engine hands back.

use ndarray::Array2;
use tresse_core::convergence::norm;
use tresse_core::grid::Decomposition;
use tresse_core::id::WorkerId;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::{
    MachineReport, NoiseReport, Report, ResidualReport, RunConfig, SpreadReport, StalenessReport,
};
use tresse_core::shared::{Handover, SharedReal};
use tresse_core::subdomain::Subdomain;
use tresse_core::time::{Duration, Instant};

use super::run::{Outcome, Run};
use super::team::Worked;
use crate::report::history::History;

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The verified residual is within the tolerance.
    Converged,
    /// The iterations that were asked for are made.
    Iterations,
    /// The residual stopped falling above the tolerance.
    Stagnated,
    /// The residual is infinite or not a number.
    NotFinite,
    /// Somebody asked it to.
    Interrupted,
}

/// The field, and how it came to be.
#[derive(Clone, Debug)]
pub struct Solution<F> {
    /// The cells, rows × columns.
    pub field: Array2<F>,
    /// What was measured on the way.
    pub record: Record,
}

/// What was measured of a run.
#[derive(Clone, Debug)]
pub struct Record {
    /// Why the run ended.
    pub end: End,
    /// From the first sweep to the last, verifications included.
    pub elapsed: Duration,
    /// The update counts at the end.
    pub progress: Progress,
    /// The largest spread that was seen.
    pub spread_max: u64,
    /// The halos that were read.
    pub staleness: Staleness,
    /// Subdomains that changed hands.
    pub moves: u64,
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

impl Record {
    /// Whether the figures are those of a real approximation: the residual is a number, and is no
    /// larger than it was at the start.
    pub fn is_valid(&self) -> bool {
        self.end != End::NotFinite && self.residual.verified <= self.residual.initial
    }

    /// The report of this run; without rates where it is not valid.
    pub fn report<'a>(
        &'a self,
        config: &'a RunConfig,
        sockets: u32,
        machine: MachineReport<'a>,
    ) -> Report<'a> {
        let seconds = self.elapsed.seconds();
        let cells = config.grid.cells() as f64;
        let has_rate = self.is_valid() && seconds > 0.0;
        Report {
            mode: config.mode,
            balance: config.balance,
            workers: config.workers,
            sockets,
            subdomains: config.subdomains(),
            grid: config.grid,
            precision: config.precision,
            seed: config.seed,
            iterations: self.progress.mean(),
            updates: self.progress.updates,
            seconds,
            iteration_rate: has_rate.then(|| self.progress.iteration_rate(self.elapsed)),
            // Subdomains are nearly equal, so that a mean iteration sweeps the grid once.
            cell_updates_per_second: has_rate.then(|| self.progress.mean() * cells / seconds),
            spread: SpreadReport { end: self.progress.spread(), max: self.spread_max },
            staleness: StalenessReport { mean: self.staleness.mean(), max: self.staleness.max },
            moves: self.moves,
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
pub(super) fn residual_report(
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

impl<F: SharedReal> Solution<F> {
    /// Gathers what the workers have left behind.
    pub(super) fn gather<O>(
        run: &Run<'_, F>,
        worked: &Worked<O>,
        history: History,
        noise: Vec<NoiseReport>,
    ) -> Self {
        let Outcome { end, at, initial, detected, verified } = worked.outcome;
        let totals = run.totals();
        let record = Record {
            end,
            elapsed: at.since(Instant::ZERO),
            progress: totals.progress,
            spread_max: totals.spread_max,
            staleness: worked.staleness,
            moves: totals.moves,
            rounds: totals.rounds,
            residual: residual_report(initial, detected, verified, run.config.stop.tolerance),
            history,
            noise,
            unpinned: worked.unpinned.clone(),
        };
        // The workers have let go of everything.
        Self { field: put_together(&run.decomposition, run.subdomains), record }
    }
}

/// The cells of all subdomains, which nobody holds, as one field.
pub(crate) fn put_together<F: SharedReal>(
    decomposition: &Decomposition,
    subdomains: &[Handover<Subdomain<'_, F>>],
) -> Array2<F> {
    let grid = decomposition.grid();
    let mut field = Array2::from_elem((grid.rows, grid.columns), F::ZERO);
    for (id, subdomain) in decomposition.ids().zip(subdomains) {
        let part = decomposition.part(id);
        let Some(mut held) = subdomain.take(WorkerId(0)) else { continue };
        held.with(|subdomain| {
            for row in 0..part.size.rows {
                let cells = subdomain.layout().row(subdomain.cells(), row).unwrap_or_default();
                let columns = part.first_column..part.first_column + part.size.columns;
                field
                    .slice_mut(ndarray::s![part.first_row + row, columns])
                    .iter_mut()
                    .zip(cells)
                    .for_each(|(place, cell)| *place = *cell);
            }
        });
    }
    field
}
