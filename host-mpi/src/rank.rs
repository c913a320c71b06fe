//! One rank's part of a run: its memory, its workers, and its links to the other ranks.
//!
//! [`ranks`] are those others, and moves between them; [`baseline`] is the solver that sends
//! messages instead.

pub mod bands;
pub mod baseline;
pub mod layout;
pub mod multigrid;
pub mod noise;
pub mod pool;
pub mod ranks;
mod termination_notice;
mod windows;

pub use windows::Windows;

use std::sync::atomic::{AtomicBool, AtomicU32};

use tresse::engine::checkpoints::{Plan, Restored};
use tresse::engine::kernel::Kernel;
use tresse::engine::threads::{
    Cells, CopyWords, Job, Observers, RunRecord, SlotTable, Slots, solve_among,
};
use tresse::files::checkpoint::{Checkpoint, CheckpointError};
use tresse::files::problem::Problem;
use tresse::files::recording::WorkerTrack;
use tresse::files::stored_cell::StoredCell;
use tresse::platform::Placement;
use tresse::report::history::HistorySample;
use tresse_core::base::real::Real;
use tresse_core::base::table::At;
use tresse_core::field::grid::{Decomposition, Side};
use tresse_core::field::owned::{CellMemory, refit};
use tresse_core::node::shared::{Claim, Claims, Copies};
use tresse_core::parts::halo::{EDGE_BUFFERS, Head, Mirror};
use tresse_core::run::{GridSize, RunConfig, RunConfigError};

use crate::mpi::Entry;
use crate::mpi::{WindowError, Word};
use crate::rank::bands::{FieldRows, gather};
use crate::rank::layout::Layout;
use crate::rank::ranks::{Counted, Entering, GhostViews, Ranks, Setup, fetches, homes};

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

/// A run that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RankError {
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] RunConfigError),
    /// MPI lends no memory.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The checkpoint has changed since it was opened.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Another rank has failed, and reports the reason.
    #[error("")]
    OtherRank,
}

/// Solves this rank's part. Collective; `watch` sees samples of the whole run on the first rank.
pub fn solve<F>(
    entry: &mut Entry,
    job: RankJob<'_>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solved<F>, RankError>
where
    F: Real<Shared: Word> + StoredCell,
{
    let cut = Decomposition::new(job.config)?;
    let layout = Layout::new(job.config, &cut);
    let windows = Windows::<F>::allocate(entry, &layout)?;
    let solved = solve_within(entry, job, (cut, layout), &windows, watch);
    // Whatever became of this rank, the others free theirs as well.
    windows.free(entry)?;
    solved
}

/// Solves this rank's part in windows that are there already: sets up cells, claims and links, runs
/// the workers, and gathers the band of rows that started here. Collective.
fn solve_within<F>(
    entry: &mut Entry,
    job: RankJob<'_>,
    (cut, layout): (Decomposition, Layout),
    windows: &Windows<F>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Solved<F>, RankError>
where
    F: Real<Shared: Word> + StoredCell,
{
    let RankJob { config, problem, placement, interrupt, .. } = job;
    let own = entry.rank();
    let fetches = fetches(entry, job.only_gets);
    let publications: Vec<_> = windows.publications(own, &layout, fetches).collect();
    let together: Vec<_> = entry.nodes().with(own).collect();
    let views: Vec<_> =
        together.iter().flat_map(|rank| windows.publications(*rank, &layout, fetches)).collect();
    let mirrored = Mirrored::<F>::allocate(&layout, fetches);
    let mirrors = mirrored.lend();
    let ghost_views = GhostViews::new(&mirrors, &views, &together);

    let homes = homes(config, &cut);
    let here = cut.ids().zip(&homes).filter(|(_, home)| home.rank == own).map(|(id, _)| id);
    let restored =
        job.resumed.map(|checkpoint| Restored::<F>::read(checkpoint, &cut, here, config.mode));
    let restored = all_restored(entry, restored.transpose())?;
    let here =
        |home: &tresse_core::parts::halo::Location| (home.rank == own).then_some(home.slot.0);
    let words: Vec<_> = homes.iter().map(|_| AtomicU32::new(0)).collect();
    let table = SlotTable::new(&words, homes.iter().map(here));
    let number = layout.bounds().slots as usize;
    let workers = config.workers_per_node() as usize;
    let copy_words = config.helps().then(|| CopyWords::new(number, workers));
    let copies = copy_words.as_ref().map_or(number, CopyWords::copies);
    let mut memory = CellMemory::<F>::of_size(layout.size(), copies, problem.terms());
    let mut cells: Vec<_> = memory.parts(Kernel::best()).collect();
    resize_first_copies(&cut, table, &mut cells, copies / number.max(1));
    let mut parts: Vec<_> = cells.into_iter().map(Claim::new).collect();
    let mut claims = Claims::new(&mut parts);
    let all = claims.all();
    let parts = copy_words.as_ref().map_or(Copies::single(all), |words| words.of(all));
    let slots = Slots { parts, publications: &publications, table };

    let ranks = Ranks::new(Setup {
        entry,
        config,
        problem,
        cut,
        layout,
        windows,
        publications: &publications,
        ghost_views: &ghost_views,
        table,
        only_gets: job.only_gets,
        entering: job.entering,
        interrupt,
        plan: job.plan,
        restored: restored.as_ref(),
    });
    let engine = Job { config, problem, placement, interrupt };
    let solved = if let Some(observers) = job.observers {
        solve_among(engine, own, (slots, &mut claims), &ranks, observers, watch)
            .map(|(record, _)| record)
    } else {
        let nobody = Observers::of_workers(vec![(); placement.seats.len()]);
        solve_among(engine, own, (slots, &mut claims), &ranks, nobody, watch)
            .map(|(record, _)| record)
    };
    let counted = ranks.end();
    drop(ranks);
    // The others are in the run already.
    let record = solved.unwrap_or_else(|error| entry.give_up(&error));
    let band = gather(entry, (&cut, &homes), &slots, &mut claims.grip());
    Ok(Solved { record, counted, band })
}

/// Returns what this rank has read of a checkpoint if all have: one that cannot read its part does
/// not let the others wait. Collective.
fn all_restored<T>(
    entry: &mut Entry,
    restored: Result<T, CheckpointError>,
) -> Result<T, RankError> {
    let is_lost = entry.max_u64(u64::from(restored.is_err())) > 0;
    let restored = restored.map_err(RankError::Checkpoint)?;
    if is_lost { Err(RankError::OtherRank) } else { Ok(restored) }
}

/// Sets the size of the first copy in every slot in use to that of the subdomain in it; `copies` is
/// the number of copies of a slot.
fn resize_first_copies<F: Real>(
    cut: &Decomposition,
    table: SlotTable<'_>,
    cells: &mut [Cells<'_, F>],
    copies: usize,
) {
    for (id, slot) in table.here() {
        refit(cut, id, cells.at_mut(copies * slot));
    }
}

/// Memory for the edges of neighbours on other nodes.
struct Mirrored<F: Real> {
    heads: Vec<Head>,
    edges: Vec<Vec<F::Shared>>,
}

impl<F: Real> Mirrored<F> {
    /// Allocates the memory, without edges where none are fetched.
    fn allocate(layout: &Layout, fetches: bool) -> Self {
        let GridSize { rows, columns } = layout.size();
        let number = layout.bounds().slots as usize * Side::ALL.len();
        let length = if fetches { EDGE_BUFFERS * rows.max(columns) } else { 0 };
        let edge = || (0..length).map(|_| F::shared_zero()).collect();
        Self {
            heads: (0..number).map(|_| Head::new()).collect(),
            edges: (0..number).map(|_| edge()).collect(),
        }
    }

    /// Returns a mirror for each side of each slot, in which fetched edges are kept.
    fn lend(&self) -> Vec<Mirror<'_, F>> {
        let mirrors = self.heads.iter().zip(&self.edges);
        mirrors.map(|(head, edge)| Mirror::new(head.words(), edge)).collect()
    }
}
