//! Bringing all workers to a halt together, and letting them go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tresse_core::run::RunConfig;
use tresse_core::shared::Barrier;

use super::wait::Wait;

/// Runs on for ever.
const NEVER: u64 = u64::MAX;

/// The halt that a verification or the end of a run needs.
#[derive(Debug)]
pub(super) struct Control {
    /// Workers halt before this iteration of theirs. In the synchronous mode it is set during the
    /// iteration before, so that the barrier between makes all of them see it in time.
    halt_at: AtomicU64,
    ended: AtomicBool,
    saves: AtomicBool,
    barrier: Barrier,
    oversubscribed: bool,
}

impl Control {
    pub(super) fn new(config: &RunConfig, workers: u32, oversubscribed: bool) -> Self {
        let control = Self {
            halt_at: AtomicU64::new(NEVER),
            ended: AtomicBool::new(false),
            saves: AtomicBool::new(false),
            barrier: Barrier::new(workers),
            oversubscribed,
        };
        control.go_on(config);
        control
    }

    /// Asks for a halt before the iteration after `iteration`, which the caller is making.
    pub(super) fn halt_after(&self, iteration: u64, config: &RunConfig) {
        let at = if config.mode.is_synchronous() { iteration + 1 } else { 0 };
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

    pub(super) fn saves(&self) -> bool {
        self.saves.load(Ordering::Relaxed)
    }

    pub(super) fn halts(&self, iteration: u64) -> bool {
        self.halt_at.load(Ordering::Relaxed) <= iteration
    }

    /// Lets everybody go on; only while all are halted.
    pub(super) fn go_on(&self, config: &RunConfig) {
        let last = config.stop.iterations.filter(|_| config.mode.is_synchronous());
        self.halt_at.store(last.unwrap_or(NEVER), Ordering::Relaxed);
    }

    /// Ends the run; only while all are halted.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Waits for all workers.
    pub(super) fn wait_for_all(&self) {
        let mut wait = Wait::pausing(self.oversubscribed);
        self.barrier.wait(|| wait.relax());
    }
}
