//! Setting a run up, watching it, and gathering what it leaves.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock};

use tresse_core::balance::{Balancer, measured};
use tresse_core::convergence::Convergence;
use tresse_core::grid::Decomposition;
use tresse_core::id::{SocketId, WorkerId};
use tresse_core::noise::Noise;
use tresse_core::ownership::{Holding, Link, Ownership, OwnershipError};
use tresse_core::run::{ConfigError, RunConfig};
use tresse_core::shared::{Assignment, DirtyMark, SharedReal};
use tresse_core::time::Instant;
use tresse_core::topology::{NotSorted, Topology};

use super::clock::Clock;
use super::control::Control;
use super::duty::{Duty, Turn};
use super::memory::Memory;
use super::observer::{Observer, Observers};
use super::run::Run;
use super::team;
use super::worker::Sweeps;
use crate::balancing::MeasuredMemory;
use crate::kernel::Kernel;
use crate::machine::{MachineError, Placement};
use crate::noise::{NoiseError, NoiseThreads};
use crate::problem::Problem;
use crate::report::history::Sample;
use crate::report::recorder::Recorder;
use crate::solution::Solution;

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
    Config(#[from] ConfigError),
    /// Noise where there is no such core.
    #[error(transparent)]
    Machine(#[from] MachineError),
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

/// Solves on pinned threads; every mode but rayon's.
///
/// `watch` sees samples while the run goes; `observers` see what the workers do, and are handed
/// back.
pub fn solve<F: SharedReal, O: Observer<F>>(
    job: Job<'_>,
    observers: Observers<O>,
    watch: &mut dyn FnMut(&Sample),
) -> Result<(Solution<F>, Vec<O>), EngineError> {
    let Job { config, problem, placement, interrupt } = job;
    config.validate()?;
    let decomposition = Decomposition::new(config)?;
    let noise = job.noisy_cores()?;
    let workers = config.workers as usize;

    let mut memory = Memory::<F>::allocate(&decomposition, !problem.source.is_zero());
    let (subdomains, publications) = memory.lend();
    let mut owners: Vec<_> = decomposition.ids().map(|id| decomposition.first_owner(id)).collect();
    let assigned: Vec<_> = owners.iter().map(|owner| AtomicU32::new(owner.0)).collect();
    let dirty: Vec<_> = (0..workers).map(|_| DirtyMark::new()).collect();
    let sweeps: Vec<_> = (0..workers).map(|_| Sweeps::default()).collect();
    let (mut links, mut holdings) =
        (vec![Link::EMPTY; owners.len()], vec![Holding::EMPTY; workers]);
    let sockets = placement.sockets();
    let by_socket = by_socket(&sockets);
    let (mut last_updates, mut rates) = (vec![0; workers], vec![0; workers]);
    let (mut counts, mut worker_updates) = (vec![0; owners.len()], vec![0; workers]);
    let mut measured = measured::Needs::of(config).as_ref().map(MeasuredMemory::new);

    let balancer = Balancer::new(config.balance, config.plb, (config.seed, 0), Instant::ZERO);
    let run = Run {
        config,
        problem,
        decomposition,
        kernel: Kernel::best(),
        subdomains: &subdomains,
        publications: &publications,
        assignment: Assignment::new(&assigned, &dirty),
        sweeps: &sweeps,
        control: Control::new(config, placement.oversubscribed),
        turn: Turn::new(config.workers),
        clock: Clock::default(),
        initial: OnceLock::new(),
        duty: Mutex::new(Duty {
            balancer,
            last_updates: &mut last_updates,
            rates: &mut rates,
            measured: measured.as_mut().map(MeasuredMemory::lend),
            ownership: Ownership::new(&mut owners, &mut links, &mut holdings)?,
            topology: Topology::new(&sockets, &by_socket)?,
            counts: &mut counts,
            worker_updates: &mut worker_updates,
            convergence: Convergence::new(0.0, None),
            next_check: Instant::ZERO,
            spread_max: 0,
            moves: 0,
        }),
        moves: AtomicU64::new(0),
        rounds: AtomicU64::new(0),
        interrupt,
        oversubscribed: placement.oversubscribed,
        outcome: Mutex::new(None),
    };
    let noise = NoiseThreads::start_observed(&noise, config.seed, observers.noise)?;
    let mut recorder = Recorder::new(subdomains.len());
    let worked = team::work(&run, placement, observers.workers, &mut recorder, watch)?;
    let noise = noise.stop()?;
    Ok((Solution::gather(&run, &worked, recorder.finish(), noise), worked.observers))
}

impl Job<'_> {
    /// Where each source of noise is to run, once the placement fits the configuration.
    pub fn noisy_cores(&self) -> Result<Vec<(Noise, u32)>, EngineError> {
        let seats = self.placement.seats.len();
        if seats != self.config.workers as usize {
            return Err(EngineError::Placement { seats, workers: self.config.workers });
        }
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
