//! Solving: the stencil's subdomains of one rank.

use std::sync::atomic::AtomicBool;

use tresse::engine::checkpoints::{Checkpoints, Plan, StencilKeeper};
use tresse::engine::kernel::Kernel;
use tresse::engine::threads::{Iteration, Observers, RunRecord};
use tresse::files::checkpoint::Checkpoint;
use tresse::files::problem::Problem;
use tresse::files::recording::WorkerTrack;
use tresse::files::stored_cell::StoredCell;
use tresse::platform::Placement;
use tresse::report::history::HistorySample;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::table::At;
use tresse_core::field::grid::Decomposition;
use tresse_core::field::owned::{CellMemory, refit};
use tresse_core::run::{GridSize, RunConfig};

use super::bands::FieldRows;
use super::error::{RankError, all_restored};
use super::iterate::{RankIteration, iterate};
use super::memory::PartPlaces;
use super::ranks::{Counted, Entering};
use crate::mpi::{Entry, Word};

/// The job of one rank.
pub struct RankJob<'a> {
    /// Configuration of the run, with as many nodes as there are ranks.
    pub config: &'a RunConfig,
    /// Problem to solve.
    pub problem: &'a Problem,
    /// Placement of this rank's workers.
    pub placement: &'a Placement,
    /// Flag that another thread sets to end the run early.
    pub interrupt: &'a AtomicBool,
    /// Threads that let messages through.
    pub entering: Entering,
    /// Whether shared memory is not used even where the node has some.
    pub only_gets: bool,
    /// Plan of the checkpoints.
    pub plan: Option<Plan<'a>>,
    /// Checkpoint that the run resumes from.
    pub resumed: Option<&'a Checkpoint>,
    /// Observers that record this rank's part of the run.
    pub observers: Option<Observers<WorkerTrack>>,
}

/// The part of a solution that one rank has.
#[derive(Debug)]
pub struct Solved<F> {
    /// Record of the run, as this rank measured it.
    pub record: RunRecord,
    /// Counts of the traffic between ranks.
    pub counted: Counted,
    /// Cells of the rank's band of rows, whatever ranks they were on at the end.
    pub band: FieldRows<F>,
}

/// Solves this rank's part. Collective; `watch` sees samples of the whole run on the first rank.
pub fn solve<F>(
    entry: &mut Entry,
    job: RankJob<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solved<F>, RankError>
where
    F: StoredCell<Shared: Word>,
{
    let RankJob { config, problem, placement, interrupt, entering, only_gets, .. } = job;
    let cut = Decomposition::new(config)?;
    let own = entry.rank();
    let places = PartPlaces::new(own, config, &cut);
    let here = places.here().map(|(id, _)| id);
    let checkpoints = Checkpoints { plan: job.plan, resumed: job.resumed };
    let keeper = StencilKeeper::<F>::new(problem, cut, checkpoints, here, own, config.mode);
    let keeper = all_restored(entry, keeper)?;
    let mut memory = CellMemory::<F>::of_size(largest(&cut), places.number(), problem.terms());
    let mut parts: Vec<_> = memory.parts(Kernel::best()).collect();
    for (id, copy) in places.here() {
        refit(&cut, id, parts.at_mut(copy));
    }
    let iteration = Iteration { config, graph: &cut, placement, interrupt };
    let mut band = FieldRows::empty(own, &cut, places.homes());
    let take = |id: SubdomainId, units: &mut dyn Iterator<Item = F>| {
        band.paste(cut.rectangle(id), units, cut.grid().columns);
    };
    let (keeper, places) = (&keeper, &places);
    let (record, counted) = if let Some(observers) = job.observers {
        let job = RankIteration { iteration, keeper, places, entering, only_gets, observers };
        iterate(entry, job, parts, take, watch)?
    } else {
        let observers = Observers::of_workers(vec![(); placement.seats.len()]);
        let job = RankIteration { iteration, keeper, places, entering, only_gets, observers };
        iterate(entry, job, parts, take, watch)?
    };
    Ok(Solved { record, counted, band })
}

/// Returns the greatest numbers of rows and of columns of a subdomain.
fn largest(cut: &Decomposition) -> GridSize {
    let sizes = cut.ids().map(|id| cut.rectangle(id).size);
    sizes.fold(GridSize { rows: 0, columns: 0 }, |most, size| GridSize {
        rows: most.rows.max(size.rows),
        columns: most.columns.max(size.columns),
    })
}
