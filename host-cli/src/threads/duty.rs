//! What one worker at a time does for all: balancing, and detecting the end (section 4.2: workers
//! take turns).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tresse_core::balance::measured::Measured;
use tresse_core::balance::{Balancer, Lent, Observed};
use tresse_core::convergence::{Convergence, Detected};
use tresse_core::id::WorkerId;
use tresse_core::ownership::{Move, Ownership};
use tresse_core::progress::Progress;
use tresse_core::shared::{Publication, SharedReal};
use tresse_core::time::{Duration, Instant};
use tresse_core::topology::Topology;

/// Whose turn it is, and when there is something to do.
#[derive(Debug)]
pub(super) struct Turn {
    worker: AtomicU32,
    due: AtomicU64,
    workers: u32,
}

impl Turn {
    pub(super) fn new(workers: u32) -> Self {
        Self { worker: AtomicU32::new(0), due: AtomicU64::new(0), workers }
    }

    /// Whether it is this worker's turn and time to act; the clock is read only in its turn.
    #[inline]
    pub(super) fn is_due(&self, worker: WorkerId, now: impl FnOnce() -> Instant) -> bool {
        self.worker.load(Ordering::Acquire) == worker.0
            && now() >= Instant(self.due.load(Ordering::Relaxed))
    }

    /// Hands the turn to the next worker.
    pub(super) fn pass_on(&self, worker: WorkerId, due: Instant) {
        self.due.store(due.0, Ordering::Relaxed);
        self.worker.store((worker.0 + 1) % self.workers, Ordering::Release);
    }
}

/// The state that goes from turn to turn.
pub(super) struct Duty<'m> {
    pub(super) balancer: Balancer,
    /// Memory of the gradient method.
    pub(super) last_updates: &'m mut [u64],
    pub(super) rates: &'m mut [u64],
    /// What sweeps take, where the balancer goes by that.
    pub(super) measured: Option<Measured<'m>>,
    pub(super) ownership: Ownership<'m>,
    pub(super) topology: Topology<'m>,
    /// Memory for a snapshot of the counts.
    pub(super) counts: &'m mut [u64],
    /// Memory for a snapshot of each worker's sweeps.
    pub(super) worker_updates: &'m mut [u64],
    pub(super) convergence: Convergence,
    pub(super) next_check: Instant,
    pub(super) spread_max: u64,
    pub(super) moves: u64,
}

/// What came of a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Performed {
    /// The moves of a balancing round, where there was one.
    pub(super) round: Option<u32>,
    pub(super) detected: Detected,
    /// When to come back.
    pub(super) due: Instant,
}

/// Time between two looks at the published residuals.
const CHECK: Duration = Duration::from_millis(1);
/// A look costs less than this for each subdomain, in nanoseconds; it may take 1 % of the time.
const CHECK_COST: u64 = 4;

impl Duty<'_> {
    /// Balances and detects whatever is due; `moved` is called for each move.
    pub(super) fn perform<F: SharedReal>(
        &mut self,
        now: Instant,
        publications: &[Publication<'_, F>],
        sweeps: &[super::worker::Sweeps],
        moved: &mut impl FnMut(Move),
    ) -> Performed {
        for (count, publication) in self.counts.iter_mut().zip(publications) {
            *count = publication.version();
        }
        let times = self.measured.iter_mut().flat_map(|measured| measured.times.iter_mut());
        for (time, publication) in times.zip(publications) {
            *time = publication.sweep_time().0;
        }
        for (updates, sweeps) in self.worker_updates.iter_mut().zip(sweeps) {
            *updates = sweeps.made();
        }
        let round = self.balance(now, moved);
        let mut detected = Detected::GoOn;
        if now >= self.next_check {
            let least = self.see_progress().least;
            let sum = publications.iter().map(Publication::residual).sum();
            detected = self.convergence.detect(sum, least);
            let cost = Duration(publications.len() as u64 * CHECK_COST * 100);
            self.next_check = now.after(CHECK.max(cost));
        }
        Performed { round, detected, due: self.next_check.min(self.balancer.poll_at()) }
    }

    /// The progress in the snapshot; remembers the largest spread.
    pub(super) fn see_progress(&mut self) -> Progress {
        let progress = Progress::of(self.counts.iter().copied());
        self.spread_max = self.spread_max.max(progress.spread());
        progress
    }

    fn balance(&mut self, now: Instant, moved: &mut impl FnMut(Move)) -> Option<u32> {
        let rounds = self.balancer.rounds();
        let mut made_now = 0;
        let observed = Observed {
            counts: self.counts,
            worker_updates: self.worker_updates,
            topology: self.topology,
        };
        let lent = Lent {
            last_updates: self.last_updates,
            rates: self.rates,
            measured: self.measured.as_mut(),
        };
        self.balancer.poll(now, &observed, lent, &mut self.ownership, &mut |made| {
            made_now += 1;
            moved(made);
        });
        self.moves += u64::from(made_now);
        (self.balancer.rounds() > rounds).then_some(made_now)
    }
}
