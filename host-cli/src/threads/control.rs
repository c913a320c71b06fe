//! Bringing all workers to a halt together, and letting them go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tresse_core::progress::Progress;
use tresse_core::run::RunConfig;
use tresse_core::schedule::updates_asked;
use tresse_core::shared::Barrier;
use tresse_core::worker::Together;

use super::wait::Wait;

/// Runs on for ever.
const NEVER: u64 = u64::MAX;

/// The halt that a verification or the end of a run needs.
#[derive(Debug)]
pub(super) struct Control {
    /// Workers halt before this iteration of theirs. In the synchronous mode it is set during the
    /// iteration before, so that the barrier between makes all of them see it in time.
    halt_at: AtomicU64,
    /// In the synchronous mode, the iteration before which the run is to end.
    last: AtomicU64,
    /// In the other modes, the sweeps of all workers here with which it is to end.
    sweeps_asked: AtomicU64,
    ended: AtomicBool,
    saves: AtomicBool,
    barrier: Barrier,
    is_synchronous: bool,
    iterations: Option<u64>,
    oversubscribed: bool,
}

impl Control {
    pub(super) fn new(config: &RunConfig, workers: u32, oversubscribed: bool) -> Self {
        Self {
            halt_at: AtomicU64::new(NEVER),
            last: AtomicU64::new(NEVER),
            sweeps_asked: AtomicU64::new(NEVER),
            ended: AtomicBool::new(false),
            saves: AtomicBool::new(false),
            barrier: Barrier::new(workers),
            is_synchronous: config.mode.is_synchronous(),
            iterations: config.stop.iterations,
            oversubscribed,
        }
    }

    /// Sets what is left of the iterations asked for, where this is how far an earlier run has come;
    /// before the first iteration.
    pub(super) fn begin(&self, progress: &Progress) {
        let Some(iterations) = self.iterations else { return };
        if self.is_synchronous {
            // All counts are equal.
            self.last.store(iterations.saturating_sub(progress.least), Ordering::Relaxed);
        } else {
            let asked = updates_asked(progress.subdomains, iterations);
            self.sweeps_asked.store(asked.saturating_sub(progress.updates), Ordering::Relaxed);
        }
        self.go_on();
    }

    /// The sweeps of all workers here with which the run is to end; none where iterations do not end
    /// it, or barriers do.
    pub(super) fn sweeps_asked(&self) -> Option<u64> {
        Some(self.sweeps_asked.load(Ordering::Relaxed)).filter(|&asked| asked < NEVER)
    }

    /// Asks for a halt before the iteration after `iteration`, which the caller is making.
    pub(super) fn halt_after(&self, iteration: u64) {
        let at = if self.is_synchronous { iteration + 1 } else { 0 };
        self.halt_at.fetch_min(at, Ordering::Relaxed);
    }

    /// Asks for a halt at once; only before the first iteration.
    pub(super) fn halt_now(&self) {
        self.halt_at.store(0, Ordering::Relaxed);
    }

    /// Makes everybody halt before an iteration that nobody has begun.
    pub(super) fn halt_at(&self, iteration: u64) {
        self.halt_at.store(iteration, Ordering::Relaxed);
    }

    /// Whether everybody is to save what it has; only while all are halted.
    pub(super) fn save_if(&self, saves: bool) {
        self.saves.store(saves, Ordering::Relaxed);
    }

    /// Lets everybody go on; only while all are halted.
    pub(super) fn go_on(&self) {
        self.halt_at.store(self.last.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Ends the run; only while all are halted.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Waits for all workers.
    pub(super) fn wait_for_all(&self) {
        let mut wait = Wait::pausing(self.oversubscribed);
        self.barrier.wait(|| wait.relax());
    }
}

impl Together for Control {
    #[inline]
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    #[inline]
    fn halts(&self, iteration: u64) -> bool {
        self.halt_at.load(Ordering::Relaxed) <= iteration
    }

    fn saves(&self) -> bool {
        self.saves.load(Ordering::Relaxed)
    }
}
