//! Ranks: workers first, then managers, each on the core of its number.

use alloc::collections::VecDeque;

use super::network::Envelope;
use crate::base::id::{ManagerId, WorkerId};
use crate::base::time::Instant;
use crate::tasks::sharing::{Managers, Peer};

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
    pub unread: VecDeque<Envelope<T>>,
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
