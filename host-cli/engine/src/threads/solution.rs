//! Puts the engine's result together.

use tresse_core::base::time::Instant;
use tresse_core::node::executor::{Node, Outcome, Peers};
use tresse_core::parts::{Graph, Part};
use tresse_core::run::{NoiseReport, RunConfig};

use super::workers::Worked;
use crate::recorder::Spreads;
use crate::solution::{RunRecord, residual_report};
use tresse_draw::history::History;

impl RunRecord {
    /// Returns the record of a run whose workers have ended.
    pub(super) fn of<'r, T, G, P, O, const N: usize>(
        node: &Node<'_, 'r, T, G, P, N>,
        worked: &Worked<O>,
        config: &RunConfig,
        (history, spreads): (History, Spreads),
        noise: Vec<NoiseReport>,
    ) -> Self
    where
        T: Part,
        G: Graph<N>,
        P: Peers<'r, T, N>,
    {
        let Outcome { end, at, initial, detected, verified } = worked.outcome;
        let totals = node.totals();
        Self {
            end,
            elapsed: at.since(Instant::ZERO),
            is_virtual: false,
            progress: totals.progress,
            spread_max: totals.spread_max.max(spreads.most()),
            spread_p99: spreads.percentile(99),
            staleness: worked.staleness,
            moves: totals.moves,
            visits: node.visits_parts().then_some(worked.visited),
            sweeps: totals.sweeps,
            transfers: 0,
            rounds: totals.rounds,
            auto: totals.auto,
            residual: residual_report(initial, detected, verified, &config.stop),
            error_estimate: None,
            history,
            noise,
            cpu_share: worked.cpu_share,
            unpinned: worked.unpinned.clone(),
        }
    }
}
