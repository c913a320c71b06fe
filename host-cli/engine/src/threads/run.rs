//! The state that all workers of a run share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tresse_core::balance::Balancer;
use tresse_core::balance::measured::Measured;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
use tresse_core::base::topology::Topology;
use tresse_core::node::shared::{Assignment, Barrier, Grip};
use tresse_core::node::worker::{Control, Detection, Turn};
use tresse_core::parts::halo::Edges;
use tresse_core::parts::ownership::Ownership;
use tresse_core::parts::{Graph, SharedPart};
use tresse_core::run::progress::Progress;
use tresse_core::run::{Chosen, End, RunConfig};

use super::peers::Peers;
use super::residuals::Residuals;
use super::samples::Samples;
use super::slots::Slots;
use super::visits::Visits;
use tresse_platform::clock::Clock;

/// A function that sets a part to its state at the start of the run.
pub(super) type Fill<'w, T> = dyn Fn(SubdomainId, &mut T) + Sync + 'w;

/// The state that the workers of one run share.
pub(super) struct Run<'w, 'r, T: SharedPart, G, P, const N: usize> {
    pub(super) config: &'w RunConfig,
    pub(super) graph: &'w G,
    pub(super) fill: &'w Fill<'w, T>,
    pub(super) slots: Slots<'r, T, N>,
    pub(super) peers: &'w P,
    pub(super) assignment: Assignment<'w>,
    /// Visits of parts, where these stay at home, or may do so from some halt on.
    pub(super) visits: Option<Visits<'w, 'r, T, N>>,
    pub(super) residuals: Residuals,
    pub(super) sweeps: &'w [Sweeps],
    pub(super) control: Control<AtomicU64>,
    pub(super) barrier: Barrier,
    pub(super) turn: Turn<AtomicU64>,
    pub(super) clock: Clock,
    /// Sum of squares of the initial residual; there once the clock has started.
    pub(super) initial: OnceLock<f64>,
    pub(super) turn_state: Mutex<TurnState<'w, 'r, T>>,
    /// Moves and rounds so far, for the thread that watches.
    pub(super) moves: AtomicU64,
    pub(super) rounds: AtomicU64,
    pub(super) samples: Samples,
    pub(super) interrupt: &'w AtomicBool,
    pub(super) oversubscribed: bool,
    pub(super) outcome: Mutex<Option<RunOutcome>>,
}

/// The state that goes from turn to turn.
pub(super) struct TurnState<'m, 'r, T> {
    pub(super) balancer: Balancer,
    /// Memory of the balancer: from round to round, and within one.
    pub(super) kept: &'m mut [u64],
    pub(super) room: &'m mut [u64],
    /// Measured times of sweeps, where the balancer uses them.
    pub(super) measured: Option<Measured<'m>>,
    pub(super) ownership: Ownership<'m>,
    pub(super) topology: Topology<'m>,
    /// Memory for a snapshot of the counts.
    pub(super) counts: &'m mut [u64],
    /// Memory for a snapshot of each worker's sweeps.
    pub(super) worker_updates: &'m mut [u64],
    pub(super) detection: Detection,
    /// What takes parts that go to other processes.
    pub(super) grip: Grip<'r, T>,
}

/// The sweeps that a worker has made, on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(super) struct Sweeps(AtomicU64);

impl Sweeps {
    #[inline]
    pub(super) fn made(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// The worker's own call: nobody else adds to it.
    #[inline]
    pub(super) fn add(&self, swept: u64) {
        self.0.store(self.made() + swept, Ordering::Relaxed);
    }
}

/// The end of a run, as whoever decided found it.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunOutcome {
    pub(super) end: End,
    pub(super) at: Instant,
    /// Sums of squares of the residual.
    pub(super) initial: f64,
    pub(super) detected: Option<f64>,
    pub(super) verified: f64,
}

/// The final figures of a run.
pub(super) struct Totals {
    pub(super) progress: Progress,
    pub(super) spread_max: u64,
    pub(super) moves: u64,
    pub(super) rounds: u64,
    pub(super) auto: Option<Chosen>,
    pub(super) sweeps: u64,
}

impl<'w, 'r, T, G, P, const N: usize> Run<'w, 'r, T, G, P, N>
where
    T: SharedPart,
    G: Graph<N> + Sync,
    P: Peers<'r, T, N>,
{
    /// Returns the visits, where parts are claimed for one sweep at a time.
    #[inline]
    pub(super) fn visits(&self) -> Option<&Visits<'w, 'r, T, N>> {
        self.visits.as_ref().filter(|_| self.control.visits())
    }

    /// Returns the edges that a part reads of a neighbour in other hands, which is on its `link`.
    pub(super) fn edges(
        &self,
        reader: SubdomainId,
        neighbour: SubdomainId,
        link: usize,
    ) -> Option<Edges<'r, 'r, T::Real, N>> {
        match self.slots.publication(neighbour) {
            Some(publication) => Some(Edges::Published(publication)),
            None => self.peers.edges(reader, link),
        }
    }

    /// Returns the number of parts here that are not on their way to another process.
    pub(super) fn parts(&self) -> u64 {
        let is_ours =
            |id| self.slots.holder(id).is_none_or(|holder| holder.index() < self.sweeps.len());
        self.slots.here().filter(|(id, _)| is_ours(*id)).count() as u64
    }

    /// Returns the number of sweeps that all workers here have made.
    pub(super) fn made(&self) -> u64 {
        self.sweeps.iter().map(Sweeps::made).sum()
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Returns the final figures; after the workers have ended.
    pub(super) fn totals(&self) -> Totals {
        let mut turn_state = self.lock_turn_state();
        self.slots.read_counts(turn_state.counts);
        let progress = self.slots.progress(turn_state.counts);
        Totals {
            progress,
            spread_max: turn_state.detection.spread_max().max(progress.spread()),
            moves: turn_state.balancer.moves(),
            rounds: turn_state.balancer.rounds(),
            auto: turn_state.balancer.chosen(),
            sweeps: self.made(),
        }
    }

    /// Never contended: the turn belongs to one worker, and a halt to whoever ends a pass of it.
    pub(super) fn lock_turn_state(&self) -> MutexGuard<'_, TurnState<'w, 'r, T>> {
        self.turn_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
