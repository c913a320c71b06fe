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
    let node = NodeId(own);
    let solved = if job.problem.terms().faces.is_some() {
        let processes = Ranks { entry: &mut *entry, beside: Default::default() };
        solve_with_gradients_among(job, Among { choices, node, processes }, watch)
    } else {
        let processes = Ranks { entry: &mut *entry, beside: Default::default() };
        solve_with_multigrid_among(job, Among { choices, node, processes }, watch)
    };
    // The others are in the run already, and would wait for this rank for ever.
    let share = solved.unwrap_or_else(|error| entry.give_up(&error));
    let Share { first_row, solution: Solution { field, record } } = share;
    let (cells, _) = field.into_raw_vec_and_offset();
    Solved { record, counted: Counted::default(), band: FieldRows { first_row, cells } }
}

/// All ranks, of which this is one.
struct Ranks<'m, F> {
    entry: &'m mut Entry,
    /// What the ranks above and below send.
    beside: [Vec<F>; 2],
}

impl<F: SharedReal + Equivalence> Processes<F> for Ranks<'_, F> {
    /// Ranks without bands are the last ones, so that the next band is on the next rank.
    fn own(&self, bands: usize) -> Range<usize> {
        let each = bands.div_ceil(self.entry.ranks().max(1) as usize);
        let first = |rank: usize| rank.saturating_mul(each).min(bands);
        let rank = self.entry.rank().index();
        first(rank)..first(rank + 1)
    }

    fn trade(&mut self, all: &mut [F], own: Range<usize>, reach: usize) {
        let Self { entry, beside } = self;
        let RankId(rank) = entry.rank();
        let above = own.start.saturating_sub(reach)..own.start;
        let below = own.end..all.len().min(own.end.saturating_add(reach));
        let ranges = if own.is_empty() { [0..0, 0..0] } else { [above, below] };
        for (received, range) in beside.iter_mut().zip(&ranges) {
            received.resize(range.len(), F::ZERO);
        }
        let [above, below] = beside.each_mut();
        let upper = rank.checked_sub(1).filter(|_| !above.is_empty()).map(|with| Trade {
            with: RankId(with),
            sent: &all[own.start..own.start + above.len()],
            received: above,
        });
        let lower = (!below.is_empty()).then(|| Trade {
            with: RankId(rank + 1),
            sent: &all[own.end - below.len()..own.end],
            received: below,
        });
        entry.trade([upper, lower]);
        for (range, received) in ranges.into_iter().zip(beside) {
            all[range].copy_from_slice(received);
        }
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
