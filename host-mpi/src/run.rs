//! An iteration of one's own across ranks.

mod gather;
mod job;
mod recorded;

use mpi::traits::Communicator;
use tresse::engine::checkpoints::{Checkpoints, PartsKeeper};
use tresse::engine::threads::{EngineError, Iteration, Observers, RunRecord};
use tresse::exit::Failure;
use tresse::files::checkpoint::{Checkpoint, Folder, ProblemHash};
use tresse::platform::{Placement, Platform, PlatformError};
use tresse::report::history::HistorySample;
use tresse::report::output::OutputError;
use tresse::{Run, Saved};
use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::table::At;
use tresse_core::base::unit::Unit;
use tresse_core::parts::owned::{check_connected, check_memory, check_part};
use tresse_core::parts::{self, Graph, GraphError, Part};
use tresse_core::run::noise::Noise;
use tresse_core::run::{Nodes, RunConfig, RunConfigError};

use crate::commands::report::RankReport;
use crate::mpi::agreement::{Disagreement, agree};
use crate::mpi::binding::Binding;
use crate::mpi::{Entry, LaunchError, Word};
use crate::rank::ranks::Entering;
use crate::rank::{PartPlaces, RankError, all_restored, noise, open, reason};

pub use gather::gather;
use job::{Job, Left};

/// How ranks reach each other's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Threads that let messages through.
    pub entering: Entering,
    /// Whether ranks of one node read each other by MPI as well, in place of through the memory
    /// that they share.
    pub only_gets: bool,
}

impl Default for Access {
    fn default() -> Self {
        Self { entering: Entering::Workers, only_gets: false }
    }
}

/// What a run across ranks has left on one of them.
#[derive(Debug)]
pub struct Iterated<T> {
    /// How the run ended, and its figures: on the first rank those of all ranks, elsewhere this
    /// rank's.
    pub record: RunRecord,
    /// The parts that started on this rank, wherever they were in the end, in the order of their
    /// numbers.
    pub parts: Vec<(SubdomainId, T)>,
    /// Figures of each rank; empty but on the first one.
    pub per_rank: Vec<RankReport>,
    /// Why there is no recording, where one was asked for and could not be written.
    pub unrecorded: Option<String>,
}

/// A run that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// MPI cannot be used as it was entered.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] RunConfigError),
    /// The graph does not match the run.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The ranks were given different runs.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// The cores of this machine are not known, or not as many as the run needs.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The folder of the checkpoints, or the recording, cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A single process could not make the run either.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The placement has not a seat for each worker of a rank.
    #[error("the placement has {seats} workers, and each rank has {workers}")]
    Placement {
        /// Workers placed.
        seats: usize,
        /// Workers of each rank.
        workers: u32,
    },
    /// The noise is at a place that no rank has.
    #[error("noise {0}: no rank has that place")]
    Noise(Noise),
    /// The run itself has failed.
    #[error(transparent)]
    Rank(#[from] RankError),
    /// Another rank has failed, for this reason.
    #[error("{0}")]
    OtherRank(String),
}

impl Failure for RunError {
    fn words(&self) -> String {
        match self {
            // The other one says why.
            Self::OtherRank(_) | Self::Rank(RankError::OtherRank(_)) => String::new(),
            error => error.to_string(),
        }
    }
}

/// Iterates parts across the ranks of a communicator, until the run has ended. Collective: each
/// rank calls it with the same run.
///
/// The run is on as many nodes as there are ranks, whatever its configuration says of their number;
/// its workers are those of all ranks together. MPI is to be entered by [`initialize`], or else
/// with a level of threading of at least `MPI_THREAD_SERIALIZED`; nobody else in the process calls
/// it meanwhile. An error comes before anything is updated; a rank that fails later ends all.
///
/// [`initialize`]: crate::initialize
pub fn run<C, T, G, M, const N: usize>(
    communicator: &C,
    run: &Run<'_, G, M>,
) -> Result<Iterated<T>, RunError>
where
    C: Communicator,
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    M: Fn(SubdomainId) -> T,
{
    run_with(communicator, run, Access::default())
}

/// Iterates as [`run()`] does, with ranks that reach each other in this way.
pub fn run_with<C, T, G, M, const N: usize>(
    communicator: &C,
    run: &Run<'_, G, M>,
    access: Access,
) -> Result<Iterated<T>, RunError>
where
    C: Communicator,
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    M: Fn(SubdomainId) -> T,
{
    run_over(&mut Entry::over(communicator)?, run, access, &mut |_| {})
}

/// Iterates as [`run_with`] does; `watch` sees samples of the whole run on the first rank.
pub(crate) fn run_over<T, G, M, const N: usize>(
    entry: &mut Entry,
    run: &Run<'_, G, M>,
    access: Access,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<Iterated<T>, RunError>
where
    T: Part<Unit: Unit<Shared: Word>>,
    G: Graph<N> + Sync,
    M: Fn(SubdomainId) -> T,
{
    let (graph, make) = (run.graph(), run.make());
    let nodes = Nodes { number: entry.ranks(), ..run.config().nodes };
    let whole = RunConfig { nodes, ..run.config().clone() };
    check(entry, &whole, graph)?;
    let seated = run.placement().cloned().map_or_else(|| place(entry, &whole), Ok);
    let placement = together(entry, seated.and_then(|seated| checked(seated, &whole)))?;
    let config = noise::own_config(entry, &whole, &placement).map_err(RunError::Noise)?;

    let problem = ProblemHash::of_graph(graph);
    let (resumed, folder) = open_all(entry, run.saved(), &problem)?;
    let resumed = resumed.as_ref();
    let recording = recorded::prepare(entry, run.recorded(), resumed.is_some())?;
    let plan = run.saved().plan(folder, &whole, problem, resumed);
    let places = PartPlaces::new(entry.rank(), &config, graph);
    together(entry, check_edges::<T::Unit, _, N>(graph, &places))?;
    let here = places.here().map(|(id, _)| id);
    let checkpoints = Checkpoints { plan, resumed };
    let keeper = PartsKeeper::new(checkpoints, here, entry.rank(), config.mode);
    let keeper = all_restored(entry, keeper)?;
    let parts = keeper.restore(make, |make| places.made(make));
    let mut parts = all_restored(entry, parts)?;
    together(entry, check_parts(graph, &places, &mut parts))?;
    let iteration =
        Iteration { config: &config, graph, placement: &placement, interrupt: run.interrupt() };
    let job = Job { iteration, keeper: &keeper, places: &places, access, make };
    let (left, unrecorded) = match recording {
        None => {
            let nobody = Observers::of_workers(vec![(); placement.seats.len()]);
            (job.iterate(entry, parts, nobody, watch)?, None)
        }
        Some(files) => recorded::iterate(entry, &job, (&whole, parts), files, watch)?,
    };
    let Left { mut record, parts, counted } = left;
    let figures =
        RankReport::new(entry.rank(), "", placement.cores(), &record, counted, &whole.noise);
    let per_rank = figures.gather(entry).unwrap_or_default();
    if !per_rank.is_empty() {
        RankReport::complete(&per_rank, &mut record, &whole.noise);
    }
    Ok(Iterated { record, parts, per_rank, unrecorded })
}

/// Checks that all ranks have the same run, and that it can be made. Collective.
fn check<G: Graph<N>, const N: usize>(
    entry: &mut Entry,
    config: &RunConfig,
    graph: &G,
) -> Result<(), RunError> {
    agree(entry, "the configuration", config)?;
    let parts = (0..graph.parts()).map(SubdomainId);
    let sizes: Vec<_> = parts.map(|id| graph.size(id)).collect();
    agree(entry, "the graph", &(ProblemHash::of_graph(graph), &sizes))?;
    config.validate()?;
    parts::check(graph, sizes.len(), config)?;
    Ok(check_connected(graph)?)
}

/// Checks that the edges of the parts that start here fit into the free memory.
fn check_edges<F: Unit, G: Graph<N>, const N: usize>(
    graph: &G,
    places: &PartPlaces,
) -> Result<(), RunError> {
    let here = places.here().map(|(id, _)| id);
    Ok(check_memory::<F, _, N>(graph, here, Platform::detect()?.available_memory)?)
}

/// Checks that the parts that start here publish and unpack as they should.
fn check_parts<T: Part, G: Graph<N>, const N: usize>(
    graph: &G,
    places: &PartPlaces,
    parts: &mut [T],
) -> Result<(), RunError> {
    for (id, copy) in places.here() {
        check_part(graph, id, parts.at_mut(copy))?;
    }
    Ok(())
}

/// Opens the checkpoint that a run goes on from, and on the first rank the folder that it is saved
/// in. Collective.
fn open_all(
    entry: &mut Entry,
    saved: Saved<'_>,
    problem: &ProblemHash,
) -> Result<(Option<Checkpoint>, Option<Folder>), RunError> {
    agree(entry, "the folders of checkpoints", &saved)?;
    let resumed = saved.from.map(|path| open(entry, path)).transpose()?;
    let fits = resumed.as_ref().map_or(Ok(()), |resumed| resumed.check_graph(problem));
    all_restored(entry, fits)?;
    let into = saved.into.filter(|_| entry.rank() == RankId(0));
    let prepared = into.map(|(path, _)| Folder::prepare(path, resumed.as_ref())).transpose();
    let folder = together(entry, prepared.map_err(RunError::from))?;
    Ok((resumed, folder))
}

/// Places this rank's workers on its share of the cores. Collective.
fn place(entry: &mut Entry, config: &RunConfig) -> Result<Placement, RunError> {
    let machine = together(entry, Platform::detect().map_err(RunError::from))?;
    let binding = Binding::find(entry, &machine);
    Ok(binding.place(entry, &machine, config.workers_per_node(), None)?)
}

/// Returns the placement if it has a seat for each worker of a rank.
fn checked(placement: Placement, config: &RunConfig) -> Result<Placement, RunError> {
    let (seats, workers) = (placement.seats.len(), config.workers_per_node());
    if seats == workers as usize {
        Ok(placement)
    } else {
        Err(RunError::Placement { seats, workers })
    }
}

/// Returns the result if every rank has one. Collective.
fn together<T>(entry: &mut Entry, own: Result<T, RunError>) -> Result<T, RunError> {
    let said = reason(entry, own.as_ref().err().map(ToString::to_string));
    own.and_then(|own| said.map_or(Ok(own), |said| Err(RunError::OtherRank(said))))
}
