//! `--mode rayon` on ranks: the bulk-synchronous solver of messages and threads that asynchronous
//! runs are compared with.
//!
//! Each rank has the bands of rows of its own workers. After every sweep it waits for the rows of
//! the ranks above and below, which they send as messages, and the residual's sum is collective.
//! Windows, slots, headers and balancers take no part.

use mpi::traits::Equivalence;
use tresse::engine::threads::{BandExchange, Job, Rows, Share, Solution, solve_with_rayon_among};
use tresse::report::history::HistorySample;
use tresse_core::base::id::RankId;
use tresse_core::base::real::Real;

use crate::mpi::Entry;
use crate::mpi::collectives::Trade;
use crate::rank::Solved;
use crate::rank::bands::FieldRows;
use crate::rank::ranks::Counted;

/// Solves this rank's part. Collective; `watch` sees samples of the whole run on the first rank.
pub fn solve<F: Real + Equivalence>(
    entry: &mut Entry,
    job: Job<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Solved<F> {
    let own = entry.rank();
    let workers = job.config.workers_per_node() as usize;
    let mut around = Around::new(entry, workers, job.problem.grid.columns);
    let solved = solve_with_rayon_among(job, own, &mut around, watch);
    // The others are in the run already, and would wait for this rank for ever.
    let share = solved.unwrap_or_else(|error| entry.give_up(&error));
    let Share { first_row, solution: Solution { field, record } } = share;
    let (cells, _) = field.into_raw_vec_and_offset();
    Solved { record, counted: Counted::default(), band: FieldRows { first_row, cells } }
}

/// The neighbouring ranks of this one.
struct Around<'m, F> {
    entry: &'m mut Entry,
    /// Rows of the ranks above and below.
    above: Vec<F>,
    below: Vec<F>,
    /// Message of this rank at a sum: whether it was interrupted, the number of its bands, and
    /// their sums as bits, with room for one of each worker.
    own: Vec<u64>,
    /// Messages of all ranks at a sum, by rank.
    all: Vec<u64>,
    is_interrupted: bool,
}

impl<'m, F: Real> Around<'m, F> {
    /// Allocates the messages for `workers` workers a rank and rows of `columns` cells.
    fn new(entry: &'m mut Entry, workers: usize, columns: usize) -> Self {
        let said = 2 + workers;
        let all = vec![0; said * entry.ranks() as usize];
        let row = || vec![F::ZERO; columns];
        Self { entry, above: row(), below: row(), own: vec![0; said], all, is_interrupted: false }
    }
}

impl<F: Real + Equivalence> BandExchange<F> for Around<'_, F> {
    fn exchange(&mut self, own: Rows<'_, F>) -> Rows<'_, F> {
        let Self { entry, above, below, .. } = self;
        let RankId(rank) = entry.rank();
        // Ranks without bands are the last ones, so that the next band is on the next rank.
        let upper = own.above.zip(rank.checked_sub(1)).map(|(sent, with)| Trade {
            with: RankId(with),
            sent,
            received: above,
        });
        let lower = own.below.map(|sent| Trade { with: RankId(rank + 1), sent, received: below });
        entry.trade([upper, lower]);
        Rows { above: own.above.map(|_| &*self.above), below: own.below.map(|_| &*self.below) }
    }

    fn sum(&mut self, bands: &[f64], is_interrupted: bool) -> f64 {
        let said = [u64::from(is_interrupted), bands.len() as u64];
        let said = said.into_iter().chain(bands.iter().map(|sum| sum.to_bits()));
        self.own.iter_mut().zip(said).for_each(|(word, said)| *word = said);
        self.entry.all_gather_words(&self.own, &mut self.all);
        let ranks = || self.all.chunks_exact(self.own.len());
        self.is_interrupted = ranks().any(|said| said.first() != Some(&0));
        ranks().flat_map(sums).sum()
    }

    fn is_interrupted(&self, _: bool) -> bool {
        self.is_interrupted
    }
}

/// Returns the sums of one rank's bands in its message.
fn sums(said: &[u64]) -> impl Iterator<Item = f64> {
    let (number, sums) = match said {
        [_, number, sums @ ..] => (usize::try_from(*number).unwrap_or(usize::MAX), sums),
        _ => (0, [].as_slice()),
    };
    sums.iter().take(number).map(|bits| f64::from_bits(*bits))
}
