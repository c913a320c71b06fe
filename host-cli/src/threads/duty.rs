//! What one worker at a time does for all: balancing, and detecting the end (section 4.2: workers
//! take turns).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tresse_core::balance::measured::Measured;
use tresse_core::balance::{Balancer, Lent, Observed};
use tresse_core::convergence::{Convergence, Detected};
use tresse_core::id::WorkerId;
use tresse_core::ownership::{Move, Ownership};
use tresse_core::progress::Progress;
use tresse_core::run::RunConfig;
use tresse_core::schedule::is_done;
use tresse_core::shared::{Assignment, SharedReal};
use tresse_core::time::Instant;
use tresse_core::topology::Topology;

use super::berths::Berths;
use super::peers::{Exchanged, Local, Peers};

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
    /// Whether what all have come to asks for a look at a consistent state.
    pub(super) asks: bool,
    /// Whether everybody is told to halt.
    pub(super) halts: bool,
    /// When to come back.
    pub(super) due: Instant,
}

/// What a turn is lent.
pub(super) struct Around<'a, 'w, 'r, F: SharedReal, P> {
    pub(super) config: &'a RunConfig,
    pub(super) berths: Berths<'r, F>,
    pub(super) sweeps: &'a [super::worker::Sweeps],
    pub(super) assignment: Assignment<'w>,
    pub(super) peers: &'a P,
}

impl<F: SharedReal, P> Around<'_, '_, '_, F, P> {
    /// Whether all together have made the iterations asked for; where barriers count them, they end
    /// the run.
    fn is_done(&self, all: &Progress) -> bool {
        let RunConfig { mode, stop, .. } = self.config;
        !mode.is_synchronous() && is_done(all.updates, all.subdomains, stop.iterations)
    }
}

impl<'w> Duty<'w> {
    /// Balances and detects whatever is due; `moved` is called for each move.
    pub(super) fn perform<'r, F: SharedReal, P: Peers<'r, F>>(
        &mut self,
        now: Instant,
        around: &Around<'_, 'w, 'r, F, P>,
        moved: &mut impl FnMut(Move),
    ) -> Performed {
        self.snapshot(&around.berths);
        if let Some(measured) = &mut self.measured {
            for (id, publication) in around.berths.here() {
                if let Some(time) = measured.times.get_mut(id.index()) {
                    *time = publication.sweep_time().0;
                }
            }
        }
        for (updates, sweeps) in self.worker_updates.iter_mut().zip(around.sweeps) {
            *updates = sweeps.made();
        }
        let round = self.balance(now, moved);
        let (mut detected, mut is_done, mut halts) = (Detected::GoOn, false, false);
        if now >= self.next_check {
            let sum = around.berths.here().map(|(_, publication)| publication.residual()).sum();
            let Exchanged { whole, halts: told, due } =
                around.peers.exchange(&mut self.local(now, around), sum);
            if let Some(whole) = whole {
                self.spread_max = self.spread_max.max(whole.progress.spread());
                detected = self.convergence.detect(whole.sum, &whole.progress);
                is_done = around.is_done(&whole.progress);
            }
            (halts, self.next_check) = (told, due);
        }
        let asks = detected == Detected::Verify || is_done;
        Performed { round, asks, halts, due: self.next_check.min(self.balancer.poll_at()) }
    }

    /// What the peers may touch.
    pub(super) fn local<'a, 'r, F: SharedReal, P>(
        &'a mut self,
        now: Instant,
        around: &Around<'_, 'w, 'r, F, P>,
    ) -> Local<'a, 'w, 'r, F> {
        let progress = self.progress(&around.berths);
        Local {
            now,
            berths: around.berths,
            counts: self.counts,
            progress,
            workers: self.topology.workers(),
            moves: self.moves,
            rounds: self.balancer.rounds(),
            assignment: around.assignment,
            ownership: &mut self.ownership,
        }
    }

    /// Reads the counts of what is here.
    pub(super) fn snapshot<F: SharedReal>(&mut self, berths: &Berths<'_, F>) {
        for (id, publication) in berths.here() {
            if let Some(count) = self.counts.get_mut(id.index()) {
                *count = publication.version();
            }
        }
    }

    /// The progress in the snapshot of what is here.
    pub(super) fn progress<F: SharedReal>(&self, berths: &Berths<'_, F>) -> Progress {
        let counts = berths.places.here();
        Progress::of(counts.filter_map(|(id, _)| self.counts.get(id.index()).copied()))
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
