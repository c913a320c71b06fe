//! What the engine hands back.

use ndarray::Array2;
use tresse_core::convergence::norm;
use tresse_core::id::WorkerId;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::NoiseReport;
use tresse_core::shared::SharedReal;
use tresse_core::time::{Duration, Instant};

use super::run::Run;
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

/// The field, and what was measured on the way.
#[derive(Clone, Debug)]
pub struct Solution<F> {
    /// Why the run ended.
    pub end: End,
    /// The cells, rows × columns.
    pub field: Array2<F>,
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
    /// l2 norm of the residual before the first sweep.
    pub residual_initial: f64,
    /// As published when a check was last asked for.
    pub residual_detected: Option<f64>,
    /// On the consistent state at the end.
    pub residual_verified: f64,
    /// Samples over time.
    pub history: History,
    /// What the noise took.
    pub noise: Vec<NoiseReport>,
    /// Workers that could not be pinned, with their cores.
    pub unpinned: Vec<u32>,
}

impl<F: SharedReal> Solution<F> {
    /// Gathers what the workers have left behind.
    pub(super) fn gather<O>(
        run: &Run<'_, F>,
        worked: &Worked<O>,
        history: History,
        noise: Vec<NoiseReport>,
    ) -> Self {
        let outcome = worked.outcome;
        let totals = run.totals();
        Self {
            end: outcome.end,
            field: field(run),
            elapsed: outcome.at.since(Instant::ZERO),
            progress: totals.progress,
            spread_max: totals.spread_max,
            staleness: worked.staleness,
            moves: totals.moves,
            rounds: totals.rounds,
            residual_initial: norm(outcome.initial),
            residual_detected: outcome.detected.map(norm),
            residual_verified: norm(outcome.verified),
            history,
            noise,
            unpinned: worked.unpinned.clone(),
        }
    }
}

/// The cells of all subdomains as one field.
fn field<F: SharedReal>(run: &Run<'_, F>) -> Array2<F> {
    let grid = run.config.grid;
    let mut field = Array2::from_elem((grid.rows, grid.columns), F::ZERO);
    for id in run.decomposition.ids() {
        let part = run.decomposition.part(id);
        // The workers have let go of everything.
        let Some((mut held, ..)) = run.take(id, WorkerId(0)) else { continue };
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
