//! What the engine hands back.

use ndarray::Array2;
use tresse_core::id::WorkerId;
use tresse_core::run::NoiseReport;
use tresse_core::shared::SharedReal;
use tresse_core::time::Instant;

use super::run::{Outcome, Run};
use super::team::Worked;
use crate::report::history::History;
use crate::solution::{Record, Solution, residual_report};

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
            is_virtual: false,
            progress: totals.progress,
            spread_max: totals.spread_max,
            staleness: worked.staleness,
            moves: totals.moves,
            transfers: 0,
            rounds: totals.rounds,
            residual: residual_report(initial, detected, verified, run.config.stop.tolerance),
            history,
            noise,
            unpinned: worked.unpinned.clone(),
        };
        Self { field: field(run), record }
    }
}

/// The cells of all subdomains, of which the workers have let go.
fn field<F: SharedReal>(run: &Run<'_, F>) -> Array2<F> {
    crate::solution::field(&run.decomposition, |id, show| {
        if let Some(mut taken) = run.take(id, WorkerId(0)) {
            taken.held.with(|subdomain| show(subdomain));
        }
    })
}
