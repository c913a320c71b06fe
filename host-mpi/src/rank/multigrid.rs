//! `--method multigrid` on ranks: each rank has the bands of its own workers.
//!
//! Before each visit a rank trades the rows beside its own with the ranks above and below; after it all hear the
//! right-hand side of the next coarser level from each other, whose correction each one calculates for itself. With
//! a coefficient, or cells that are not square, ranks share the coarser levels as well, down to those that are small.
//! Windows, slots, headers and balancers take no part.

use std::ops::Range;

use mpi::traits::Equivalence;
use tresse::engine::solvers::MultigridChoices;
use tresse::engine::threads::{
    Among, Job, Share, Solution, solve_with_gradients_among, solve_with_multigrid_among,
};
use tresse::report::history::HistorySample;
use tresse_core::halo::SharedReal;
use tresse_core::id::{NodeId, RankId};
use tresse_core::owned::multigrid::Processes;

use crate::mpi::Entry;
use crate::mpi::collectives::Trade;
use crate::rank::Solved;
use crate::rank::bands::FieldRows;
use crate::rank::ranks::Counted;

/// Solves this rank's part. Collective; `watch` sees samples of the whole run on the first rank.
pub fn solve<F: SharedReal + Equivalence>(
    entry: &mut Entry,
    job: Job<'_>,
    choices: MultigridChoices,
    watch: &mut dyn FnMut(&HistorySample),
) -> Solved<F> {
    let RankId(own) = entry.rank();
    let among = Among { choices, node: NodeId(own), processes: Ranks { entry: &mut *entry } };
    let solved = if job.problem.terms().faces.is_some() {
        solve_with_gradients_among(job, among, watch)
    } else {
        solve_with_multigrid_among(job, among, watch)
    };
    // The others are in the run already, and would wait for this rank for ever.
    let share = solved.unwrap_or_else(|error| entry.give_up(&error));
    let Share { first_row, solution: Solution { field, record } } = share;
    let (cells, _) = field.into_raw_vec_and_offset();
    Solved { record, counted: Counted::default(), band: FieldRows { first_row, cells } }
}

/// All ranks, of which this is one.
struct Ranks<'m> {
    entry: &'m mut Entry,
}

impl<F: SharedReal + Equivalence> Processes<F> for Ranks<'_> {
    /// Ranks without bands are the last ones, so that the next band is on the next rank.
    fn own(&self, bands: usize) -> Range<usize> {
        let each = bands.div_ceil(self.entry.ranks().max(1) as usize);
        let first = |rank: usize| rank.saturating_mul(each).min(bands);
        let rank = self.entry.rank().index();
        first(rank)..first(rank + 1)
    }

    fn trade(&mut self, all: &mut [F], own: Range<usize>, reach: usize) {
        let RankId(rank) = self.entry.rank();
        let reach = if own.is_empty() { 0 } else { reach };
        let (above, rest) = all.split_at_mut(own.start);
        let (own, below) = rest.split_at_mut(own.len());
        let (above_from, below_to) = (above.len().saturating_sub(reach), below.len().min(reach));
        let (above, below) = (&mut above[above_from..], &mut below[..below_to]);
        let upper = rank.checked_sub(1).filter(|_| !above.is_empty()).map(|with| Trade {
            with: RankId(with),
            sent: &own[..above.len()],
            received: above,
        });
        let lower = (!below.is_empty()).then(|| Trade {
            with: RankId(rank + 1),
            sent: &own[own.len() - below.len()..],
            received: below,
        });
        self.entry.trade([upper, lower]);
    }

    fn gather(&mut self, all: &mut [F], own: Range<usize>) {
        self.entry.all_gather_ranges(all, own);
    }

    fn gather_sums(&mut self, all: &mut [f64], own: Range<usize>) {
        self.entry.all_gather_ranges(all, own);
    }

    fn any(&mut self, is: bool) -> bool {
        self.entry.max_u64(u64::from(is)) > 0
    }
}
