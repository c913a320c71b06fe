//! The progress of a pool of threads, for a caller that watches.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::tasks::sharing::PoolProgress;

/// Sums of the numbers that the workers and managers report now and then.
#[derive(Debug, Default)]
pub(super) struct Watched {
    done: AtomicU64,
    queued: AtomicU64,
}

impl Watched {
    /// Replaces the numbers that a worker reported `before` by those of `now`.
    pub fn progress(&self, before: PoolProgress, now: PoolProgress) {
        self.done.fetch_add(now.done.wrapping_sub(before.done), Ordering::Relaxed);
        self.queued(before.queued, now.queued);
    }

    /// Replaces a number of queued tasks reported `before` by that of `now`.
    pub fn queued(&self, before: u64, now: u64) {
        self.queued.fetch_add(now.wrapping_sub(before), Ordering::Relaxed);
    }

    /// Returns the progress of all workers together.
    pub fn all(&self) -> PoolProgress {
        // In between there may be more gone than was there.
        let queued = self.queued.load(Ordering::Relaxed).cast_signed().max(0).unsigned_abs();
        PoolProgress { done: self.done.load(Ordering::Relaxed), queued }
    }
}
