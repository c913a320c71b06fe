//! Ranks: workers first, then managers, each on the core of its number.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::config::PoolSimulation;
use super::error::PoolSimulationError;
use super::network::Letter;
use crate::bug::OrBug;
use crate::id::{ManagerId, WorkerId};
use crate::sharing::{Managers, Peer};
use crate::sim::hardware::WorkerPlaces;
use crate::sim::speed::{self, Slowdown};
use crate::time::{Duration, Instant};

/// Description of the bug that a number names no rank.
pub(super) const NO_RANK: &str = "there is no such rank";

/// Action of a rank at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// A worker executes tasks of its own.
    Executing,
    /// A worker executes a task of a copy.
    Speculating,
    /// A worker reads and sends messages.
    Messaging,
    /// A manager does the work that a message asks for.
    Managing,
    /// The rank has nothing to do until a message arrives.
    Waiting,
    /// A worker has heard of the end.
    Ended,
}

/// One rank, besides the worker or manager that decides for it.
#[derive(Debug)]
pub(super) struct Rank<T> {
    /// Messages that have arrived and are not read.
    pub unread: VecDeque<Letter<T>>,
    /// Present or last action, and the times between which it lasts.
    pub does: (Doing, Instant, Instant),
    /// Time until which the rank is busy, with messages as well.
    pub busy_until: Instant,
    /// Whether it has an event.
    pub acts: bool,
}

impl<T> Rank<T> {
    /// Returns a rank that has done nothing yet.
    pub fn new(acts: bool) -> Self {
        let never = (Doing::Waiting, Instant::ZERO, Instant::ZERO);
        Self { unread: VecDeque::new(), does: never, busy_until: Instant::ZERO, acts }
    }
}

/// Returns the rank of a worker or a manager.
pub(super) const fn number(managers: Managers, peer: Peer) -> u32 {
    match peer {
        Peer::Worker(worker) => worker.0,
        Peer::Manager(manager) => managers.workers() + manager.0,
    }
}

/// Returns the worker or manager of a rank.
pub(super) const fn peer(managers: Managers, rank: u32) -> Peer {
    match rank.checked_sub(managers.workers()) {
        None => Peer::Worker(WorkerId(rank)),
        Some(manager) => Peer::Manager(ManagerId(manager)),
    }
}

/// One core: its part of all sources of noise, and its pace in 2^20th of the nominal time.
#[derive(Clone, Copy, Debug, Default)]
struct Core {
    slowdowns: (u32, u32),
    pace: u32,
}

/// Speeds of the ranks' cores.
#[derive(Debug)]
pub(super) struct Cores<'m> {
    slowdowns: Vec<Slowdown<'m>>,
    cores: Vec<Core>,
}

impl<'m> Cores<'m> {
    /// Takes the first ranks of a machine.
    pub fn new(
        simulation: &PoolSimulation<'_, 'm>,
        ranks: u32,
    ) -> Result<Self, PoolSimulationError> {
        let PoolSimulation { hardware, noise, .. } = simulation;
        let places = WorkerPlaces::all(hardware);
        let sources = (0..ranks).map(|rank| noise.sources(WorkerId(rank), &places, hardware));
        let mut slowdowns = vec![Slowdown::NONE; sources.sum()];
        let mut cores = vec![Core::default(); ranks as usize];
        let tell = |worker: WorkerId, slowdowns, pace| {
            if let Some(core) = cores.get_mut(worker.index()).or_bug(NO_RANK) {
                *core = Core { slowdowns, pace };
            }
        };
        noise
            .fill((&places, hardware), &mut slowdowns, ranks, tell)
            .map_err(PoolSimulationError::Noise)?;
        Ok(Self { slowdowns, cores })
    }

    /// Returns the time at which a rank has done this much nominal work that it begins at a time.
    #[inline]
    pub fn finish(&mut self, rank: u32, start: Instant, work: Duration) -> Instant {
        let core = self.cores.get(rank as usize).or_bug(NO_RANK);
        let Core { slowdowns, pace } = core.copied().unwrap_or_default();
        let work = speed::paced(work.0, pace);
        // Work that takes no time does not wait for the end of a burst either.
        if work == 0 {
            return start;
        }
        speed::finish(speed::part(&mut self.slowdowns, slowdowns), start, work)
    }
}
