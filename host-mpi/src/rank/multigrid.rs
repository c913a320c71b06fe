//! `--method multigrid` on ranks: each rank has the bands of its own workers. With `--node-balance
//! rows`, rows move from slow ranks to others between two cycles, unless there is a coefficient or
//! cells are not square.
//!
//! Before each cycle a rank trades the rows beside its own with the ranks above and below; after it
//! all hear the right-hand side of the next coarser level from each other, whose correction each
//! one calculates for itself. With a coefficient, or cells that are not square, ranks share the
//! coarser levels as well, down to those that are small. Windows, slots, headers and the balancers
//! of subdomains take no part; checkpoints do.

mod attended;

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tresse_core::base::real::Real;

use mpi::traits::Equivalence;
use tresse::engine::checkpoints::{Checkpoints, MultigridKeeper, restore, stage};
use tresse::engine::error_estimate;
use tresse::engine::multigrid::Cycles;
use tresse::engine::solvers::MultigridChoices;
use tresse::engine::threads::{Among, EngineError, Job, Prepared, Share, Solution, TaskTracks};
use tresse::files::problem::Problem;
use tresse::files::stored_cell::StoredCell;
use tresse::report::history::HistorySample;
use tresse_core::base::id::{NodeId, RankId};
use tresse_core::multigrid::owned::{Processes, SolverState, bands_of};
use tresse_core::run::{ErrorEstimate, RunConfig};
use tresse_core::tasks::sharing::Activity;

use crate::mpi::Entry;
use crate::mpi::collectives::Trade;
use crate::rank::bands::FieldRows;
use crate::rank::ranks::Counted;
use crate::rank::termination_notice::TerminationNotice;
use crate::rank::{RankError, Solved, all_restored};
use attended::attended;

/// Solves this rank's part. Collective; `watch` sees samples of the whole run on the first rank.
pub fn solve<F: Real + StoredCell + Equivalence>(
    entry: &mut Entry,
    job: Job<'_>,
    choices: MultigridChoices,
    saved: Checkpoints<'_>,
    tracks: &TaskTracks,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solved<F>, RankError> {
    let node = NodeId(entry.rank().0);
    let entry = Mutex::new(entry);
    let all = Ranks { entry: &entry, tracks };
    let among = Among { choices, node, processes: all };
    if job.problem.terms().faces.is_some() {
        solve_prepared(
            all,
            Prepared::with_conjugate_gradients(job, among),
            (job, choices),
            saved,
            watch,
        )
    } else {
        solve_prepared(all, Prepared::geometric(job, among), (job, choices), saved, watch)
    }
}

/// Restores the state, runs the V-cycles, with checkpoints where there is a plan, and returns this
/// rank's rows. Any error ends all ranks, since the others wait for this one.
fn solve_prepared<S>(
    Ranks { entry, tracks }: Ranks<'_, '_>,
    prepared: Result<Prepared<'_, S>, EngineError>,
    (job, choices): (Job<'_>, MultigridChoices),
    Checkpoints { plan, resumed }: Checkpoints<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solved<S::Cell>, RankError>
where
    S: Cycles<State: SolverState<Number: StoredCell>> + Send,
{
    // The others are in the run already, and would wait for this rank for ever.
    let give_up = |error: &EngineError| -> ! { lock(entry).give_up(error) };
    let mut prepared = prepared.unwrap_or_else(|error| give_up(&error));
    let restored = resumed.map(|from| restore(from, prepared.state_mut(), job.config.grid));
    all_restored(&mut lock(entry), restored.transpose())?;
    let first = resumed.and_then(stage);
    let solved = match plan {
        None => prepared.solve(tracks, first, &(), watch),
        Some(plan) => {
            let own = lock(entry).rank();
            let notice = TerminationNotice::new(&mut lock(entry));
            let keeper = MultigridKeeper::new(plan, own, entry, choices);
            attended(&notice, job.interrupt, &|| keeper.left(), || {
                prepared.solve(tracks, first, &keeper, watch)
            })
        }
    };
    let Share { first_row, solution: Solution { field, record } } =
        solved.unwrap_or_else(|error| give_up(&error));
    let (cells, _) = field.into_raw_vec_and_offset();
    let counted = Counted { sent: record.transfers, ..Counted::default() };
    Ok(Solved { record, counted, band: FieldRows { first_row, cells } })
}

/// Locks the right to call MPI, for one thread at a time; only a panic, which ends all ranks, could
/// spoil it.
fn lock<'l, 'm>(entry: &'l Mutex<&'m mut Entry>) -> MutexGuard<'l, &'m mut Entry> {
    entry.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Estimates how far the field is from the solution, of which each rank has a band; none where some
/// rank has not as much as `available` bytes for it. Collective.
pub fn estimate_error<F: StoredCell + Into<f64>>(
    entry: &mut Entry,
    config: &RunConfig,
    problem: &Problem,
    band: &FieldRows<F>,
    available: u64,
) -> Option<ErrorEstimate> {
    let columns = config.grid.columns;
    let lacks = error_estimate::bytes_needed(config, problem) > available;
    // Bands that are whole rows once each, in the order of the ranks.
    let begin = band.first_row * columns;
    let length = band.cells.len();
    let before: u64 = {
        let own = entry.rank().index();
        entry.all_gather_u64(length as u64).into_iter().take(own).sum()
    };
    let is_elsewhere = length > 0 && before != begin as u64;
    let all = entry.sum_u64(length as u64);
    let is_impossible = lacks || is_elsewhere || all != config.grid.cells();
    if entry.max_u64(u64::from(is_impossible)) > 0 {
        return None;
    }
    let mut field = vec![0.0; usize::try_from(all).unwrap_or(usize::MAX)];
    let own = begin..begin + length;
    if length > 0 {
        for (place, cell) in field[own.clone()].iter_mut().zip(&band.cells) {
            *place = (*cell).into();
        }
    }
    entry.all_gather_ranges(&mut field, own);
    let entry = Mutex::new(entry);
    let processes = Ranks { entry: &entry, tracks: &TaskTracks::default() };
    let at = |row, column| field[row * columns + column];
    error_estimate::estimate_among(config, problem, at, processes)
}

/// All ranks, of which this is one, and what its threads are at.
#[derive(Clone, Copy)]
struct Ranks<'l, 'm> {
    entry: &'l Mutex<&'m mut Entry>,
    tracks: &'l TaskTracks,
}

impl Ranks<'_, '_> {
    /// Sends and waits.
    fn message<R>(&self, exchange: impl FnOnce(&mut Entry) -> R) -> R {
        self.tracks.during(Activity::Messages, || exchange(&mut lock(self.entry)))
    }
}

impl<F: Real + Equivalence> Processes<F> for Ranks<'_, '_> {
    fn own(&self, bands: usize) -> Range<usize> {
        let entry = lock(self.entry);
        bands_of(entry.rank().index(), entry.ranks() as usize, bands)
    }

    fn trade(&mut self, all: &mut [F], own: Range<usize>, reach: usize) {
        let RankId(rank) = lock(self.entry).rank();
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
        self.message(|entry| entry.trade([upper, lower]));
    }

    fn gather(&mut self, all: &mut [F], own: Range<usize>) {
        self.message(|entry| entry.all_gather_ranges(all, own));
    }

    fn gather_sums(&mut self, all: &mut [f64], own: Range<usize>) {
        self.message(|entry| entry.all_gather_ranges(all, own));
    }

    fn bring(&mut self, all: &mut [F], own: Range<usize>, needed: Range<usize>) {
        self.message(|entry| entry.bring(all, own, needed));
    }

    fn gather_each(&mut self, said: u64) -> Vec<u64> {
        self.message(|entry| entry.all_gather_u64(said))
    }

    fn any(&mut self, is: bool) -> bool {
        self.message(|entry| entry.max_u64(u64::from(is))) > 0
    }
}
