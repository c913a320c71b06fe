//! Setting a run up, watching it, and gathering what it leaves.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock};

use tresse_core::balance::{Balancer, measured};
use tresse_core::grid::Decomposition;
use tresse_core::id::{NodeId, SocketId, WorkerId};
use tresse_core::noise::Noise;
use tresse_core::owned::OwnedMeasuredMemory;
use tresse_core::ownership::{Holding, Link, Ownership, OwnershipError};
use tresse_core::run::{GridSize, RunConfig, RunConfigError};
use tresse_core::shared::{Assignment, Barrier, DirtyMark, SharedReal};

use tresse_core::time::Instant;
use tresse_core::topology::{NotSorted, Topology};
use tresse_core::worker::{Control, Detection, Turn};

use super::clock::Clock;
use super::duty::Duty;
use super::memory::SubdomainMemory;
use super::observer::{Observer, Observers};
use super::peers::{Alone, Peers};
use super::run::Run;
use super::slots::{SlotTable, Slots};
use super::worker::Sweeps;
use super::workers;
use crate::kernel::Kernel;
use crate::noise::{NoiseError, NoiseThreads};
use crate::platform::{Placement, PlatformError};
use crate::problem::Problem;
use crate::report::history::HistorySample;
use crate::report::recorder::Recorder;
use crate::solution::{RunRecord, Solution};

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
pub fn solve<F: SharedReal, O: Observer<F>>(
    job: Job<'_>,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(Solution<F>, Vec<O>), EngineError> {
    job.config.validate()?;
    let decomposition = Decomposition::new(job.config)?;
    let mut memory = SubdomainMemory::<F>::allocate(&decomposition, !job.problem.source.is_zero());
    let (subdomains, publications) = memory.lend();
    let table = SlotTable::new((0..decomposition.subdomains()).map(Some));
    let slots = Slots { subdomains: &subdomains, publications: &publications, table: &table };
    let (record, observers) = solve_among(job, NodeId(0), slots, &Alone, observers, watch)?;
    let field = tresse_files::field::assembled(&decomposition, |id, show| {
        if let Some(mut taken) = slots.take(id, WorkerId(0)) {
            taken.held.with(|subdomain| show(subdomain));
        }
    });
    Ok((Solution { field, record }, observers))
}

/// Solves one node's part on pinned threads, together with other processes; the placement is that of
/// the node's workers. The cells are in the slots at the end, and nobody holds them.
pub fn solve_among<'r, F: SharedReal, P: Peers<'r, F>, O: Observer<F>>(
    job: Job<'_>,
    node: NodeId,
    slots: Slots<'r, F>,
    peers: &P,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&HistorySample),
) -> Result<(RunRecord, Vec<O>), EngineError> {
    let Job { config, problem, placement, interrupt } = job;
    config.validate()?;
    let decomposition = Decomposition::new(config)?;
    let noise = job.noisy_cores()?;
    let seats =
        job.check_seats(if P::ALONE { config.workers } else { config.workers_per_node() })?;
    let workers = seats as usize;

    let mut owners = owners(seats, &decomposition, node);
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
        problem,
        decomposition,
        kernel: Kernel::best(),
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
    let mut recorder = Recorder::new(&run.decomposition);
    let worked = workers::work(&run, placement, observers.workers, &mut recorder, watch)?;
    let noise = noise.stop()?;
    Ok((RunRecord::of(&run, &worked, recorder.finish(), noise), worked.observers))
}

/// The worker, by its number within its node, that each subdomain starts with; those of other nodes
/// belong to the one after the last.
fn owners(workers: u32, decomposition: &Decomposition, node: NodeId) -> Vec<WorkerId> {
    let first = node.0.saturating_mul(workers);
    let owner = |id| {
        let owner = decomposition.first_owner(id).0.checked_sub(first);
        WorkerId(owner.filter(|&owner| owner < workers).unwrap_or(workers))
    };
    decomposition.ids().map(owner).collect()
}

impl Job<'_> {
    /// That the problem is on the configuration's grid, and that there is a seat for each of the
    /// workers.
    pub(super) fn check_seats(&self, workers: u32) -> Result<u32, EngineError> {
        let (problem, config) = (self.problem.grid, self.config.grid);
        if problem != config {
            return Err(EngineError::Grid { problem, config });
        }
        let seats = self.placement.seats.len();
        if seats != workers as usize {
            return Err(EngineError::Placement { seats, workers });
        }
        Ok(workers)
    }

    /// Where each source of noise is to run, once the placement fits the configuration.
    pub fn noisy_cores(&self) -> Result<Vec<(Noise, u32)>, EngineError> {
        let mut sources = Vec::new();
        for &noise in &self.config.noise {
            let cores = self.placement.noisy_cores(&noise)?;
            sources.extend(cores.into_iter().map(|core| (noise, core)));
        }
        Ok(sources)
    }
}

/// All workers in ascending order of (socket, worker).
fn by_socket(sockets: &[SocketId]) -> Vec<WorkerId> {
    let mut workers: Vec<_> = (0..).map(WorkerId).take(sockets.len()).collect();
    workers.sort_by_key(|worker| sockets[worker.index()]);
    workers
}
