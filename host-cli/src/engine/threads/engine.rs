//! Setting a run up, watching it, and gathering what it leaves.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock};

use tresse_core::balance::{Balancer, measured};
use tresse_core::grid::Decomposition;
use tresse_core::id::{NodeId, SocketId, SubdomainId, WorkerId};
use tresse_core::noise::Noise;
use tresse_core::owned::OwnedMeasuredMemory;
use tresse_core::ownership::{Holding, Link, Ownership, OwnershipError};
use tresse_core::part::{Graph, GraphError, SharedPart};
use tresse_core::run::{GridSize, RunConfig, RunConfigError};
use tresse_core::shared::{Assignment, Barrier, DirtyMark, SharedReal};

use tresse_core::time::Instant;
use tresse_core::topology::{NotSorted, Topology};
use tresse_core::worker::{Control, Detection, Turn};

use super::Cells;
use super::clock::Clock;
use super::duty::Duty;
use super::iterate::Iteration;
use super::memory::SubdomainMemory;
use super::observer::{Observer, Observers};
use super::peers::{Alone, Peers};
use super::run::{Fill, Run};
use super::slots::{SlotTable, Slots};
use super::worker::Sweeps;
use super::workers;
use crate::engine::solution::{RunRecord, Solution};
use crate::files::problem::Problem;
use crate::platform::noise::{NoiseError, NoiseThreads};
use crate::platform::{Placement, PlatformError};
use crate::report::history::HistorySample;
use crate::report::recorder::Recorder;

/// What the engine is to do, and where.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The method; validated by the engine again.
    pub config: &'a RunConfig,
    /// The equations.
    pub problem: &'a Problem,
    /// The workers' cores and sockets.
    pub placement: &'a Placement,
    /// Set by somebody else to end the run early.
    pub interrupt: &'a AtomicBool,
}

/// A run that could not start.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The configuration makes no sense.
    #[error(transparent)]
    Config(#[from] RunConfigError),
    /// The parts are not those of the configuration.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Noise where there is no such core.
    #[error(transparent)]
    Machine(#[from] PlatformError),
    /// A parasite that did not start.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The placement does not fit the configuration.
    #[error("the placement has {seats} workers, the configuration {workers}")]
    Placement {
        /// Workers placed.
        seats: usize,
        /// Workers configured.
        workers: u32,
    },
    /// The problem is on another grid.
    #[error("the problem has {problem} cells, the configuration {config}")]
    Grid {
        /// The problem's.
        problem: GridSize,
        /// The configuration's.
        config: GridSize,
    },
    /// Never for a decomposition of ours.
    #[error(transparent)]
    Ownership(#[from] OwnershipError),
    /// Never for a placement of ours.
    #[error(transparent)]
    Topology(#[from] NotSorted),
    /// The system gives rayon no threads.
    #[error("cannot start rayon's threads: {0} (lower --workers)")]
    Pool(rayon::ThreadPoolBuildError),
    /// The system gives no more threads.
    #[error("cannot start a thread for worker {worker}: {source} (lower --workers)")]
    Spawn {
        /// The worker without a thread.
        worker: u32,
        /// Why.
        source: std::io::Error,
    },
}

/// Solves on pinned threads.
///
/// `watch` sees samples while the run goes; `observers` see what the workers do, and are handed
/// back.
pub fn solve<F: SharedReal, O: for<'m> Observer<Cells<'m, F>>>(
    job: Job<'_>,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Solution<F>, Vec<O>), EngineError> {
    job.config.validate()?;
    let decomposition = Decomposition::new(job.config)?;
    let mut memory = SubdomainMemory::<F>::allocate(&decomposition, !job.problem.source.is_zero());
    let (parts, publications) = memory.lend();
    let table = SlotTable::new((0..decomposition.subdomains()).map(Some));
    let slots = Slots { parts: &parts, publications: &publications, table: &table };
    let (record, observers) = solve_among(job, NodeId(0), slots, &Alone, observers, watch)?;
    let field = tresse_files::field::assembled(&decomposition, |id, show| {
        if let Some(mut taken) = slots.take(id, WorkerId(0)) {
            taken.held.with(|part| show(part));
        }
    });
    Ok((Solution { field, record }, observers))
}

/// Solves one node's part on pinned threads, together with other processes; the placement is that of
/// the node's workers. The cells are in the slots at the end, and nobody holds them.
pub fn solve_among<'r, F, P, O>(
    job: Job<'_>,
    node: NodeId,
    slots: Slots<'r, Cells<'r, F>>,
    peers: &P,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<O>), EngineError>
where
    F: SharedReal,
    P: Peers<'r, Cells<'r, F>>,
    O: Observer<Cells<'r, F>>,
{
    let Job { config, problem, placement, interrupt } = job;
    config.validate()?;
    job.check_grid()?;
    let graph = &Decomposition::new(config)?;
    let fill = |id, part: &mut Cells<'r, F>| {
        if !peers.restore(id, part) {
            problem.fill(graph, id, part);
        }
    };
    let iteration = Iteration { config, graph, placement, interrupt };
    drive(&iteration, node, (slots, &fill), peers, observers, watch)
}

/// Drives the parts of one node, or of all, which are in their slots, until the run has ended.
pub(super) fn drive<'r, T, G, P, O, const N: usize>(
    iteration: &Iteration<'_, G>,
    node: NodeId,
    (slots, fill): (Slots<'r, T, N>, &Fill<'_, T>),
    peers: &P,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<O>), EngineError>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
    O: Observer<T, N>,
{
    let Iteration { config, graph, placement, interrupt } = *iteration;
    let noise = noisy_cores(config, placement)?;
    let seats =
        seats(placement, if P::ALONE { config.workers } else { config.workers_per_node() })?;
    let workers = seats as usize;

    let mut owners = owners(seats, (graph, config), node);
    let assigned: Vec<_> = owners.iter().map(|owner| AtomicU32::new(owner.0)).collect();
    let dirty: Vec<_> = (0..workers).map(|_| DirtyMark::new()).collect();
    let sweeps: Vec<_> = (0..workers).map(|_| Sweeps::default()).collect();
    // With others, one more for what is remote.
    let holders = if P::ALONE { workers } else { workers + 1 };
    let (mut links, mut holdings) =
        (vec![Link::EMPTY; owners.len()], vec![Holding::EMPTY; holders]);
    let sockets = placement.sockets();
    let by_socket = by_socket(&sockets);
    let (mut last_updates, mut rates) = (vec![0; workers], vec![0; workers]);
    let (mut counts, mut worker_updates) = (vec![0; owners.len()], vec![0; workers]);
    let mut measured = measured::MeasuredNeeds::of(config).as_ref().map(OwnedMeasuredMemory::new);

    let streams = (config.seed, u64::from(node.0));
    let balancer = Balancer::new(config.balance, config.plb, streams, Instant::ZERO);
    let run = Run {
        config,
        graph,
        fill,
        slots,
        peers,
        assignment: Assignment::new(&assigned, &dirty),
        sweeps: &sweeps,
        control: Control::new(config),
        barrier: Barrier::new(seats),
        turn: Turn::new(seats),
        clock: Clock::default(),
        initial: OnceLock::new(),
        duty: Mutex::new(Duty {
            balancer,
            last_updates: &mut last_updates,
            rates: &mut rates,
            measured: measured.as_mut().map(OwnedMeasuredMemory::lend),
            ownership: Ownership::new(&mut owners, &mut links, &mut holdings)?,
            topology: Topology::new(&sockets, &by_socket)?,
            counts: &mut counts,
            worker_updates: &mut worker_updates,
            detection: Detection::new(config),
            moves: 0,
        }),
        moves: AtomicU64::new(0),
        rounds: AtomicU64::new(0),
        interrupt,
        oversubscribed: placement.oversubscribed,
        outcome: Mutex::new(None),
    };
    let noise = NoiseThreads::start_observed(&noise, config.seed, node, observers.noise)?;
    let mut recorder = Recorder::new(graph, config);
    let worked = workers::work(&run, placement, observers.workers, &mut recorder, watch)?;
    let noise = noise.stop()?;
    Ok((RunRecord::of(&run, &worked, recorder.finish(), noise), worked.observers))
}

/// The worker, by its number within its node, that each part starts with; those of other nodes belong
/// to the one after the last.
fn owners<G: Graph<N>, const N: usize>(
    workers: u32,
    (graph, config): (&G, &RunConfig),
    node: NodeId,
) -> Vec<WorkerId> {
    let first = node.0.saturating_mul(workers);
    let owner = |id| {
        let owner = graph.first_owner(id, config).0.checked_sub(first);
        WorkerId(owner.filter(|&owner| owner < workers).unwrap_or(workers))
    };
    (0..graph.parts()).map(SubdomainId).map(owner).collect()
}

impl Job<'_> {
    /// That the problem is on the configuration's grid.
    pub(super) fn check_grid(&self) -> Result<(), EngineError> {
        let (problem, config) = (self.problem.grid, self.config.grid);
        if problem == config { Ok(()) } else { Err(EngineError::Grid { problem, config }) }
    }

    /// Where each source of noise is to run, once the placement fits the configuration.
    pub fn noisy_cores(&self) -> Result<Vec<(Noise, u32)>, EngineError> {
        noisy_cores(self.config, self.placement)
    }
}

/// That there is a seat for each of the workers.
pub(super) fn seats(placement: &Placement, workers: u32) -> Result<u32, EngineError> {
    let seats = placement.seats.len();
    if seats == workers as usize {
        Ok(workers)
    } else {
        Err(EngineError::Placement { seats, workers })
    }
}

fn noisy_cores(
    config: &RunConfig,
    placement: &Placement,
) -> Result<Vec<(Noise, u32)>, EngineError> {
    let mut sources = Vec::new();
    for &noise in &config.noise {
        let cores = placement.noisy_cores(&noise)?;
        sources.extend(cores.into_iter().map(|core| (noise, core)));
    }
    Ok(sources)
}

/// All workers in ascending order of (socket, worker).
fn by_socket(sockets: &[SocketId]) -> Vec<WorkerId> {
    let mut workers: Vec<_> = (0..).map(WorkerId).take(sockets.len()).collect();
    workers.sort_by_key(|worker| sockets[worker.index()]);
    workers
}
