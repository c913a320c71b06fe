//! How far a pool of threads is, for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::sharing::PoolProgress;

/// What all together have told, now and then.
#[derive(Debug, Default)]
pub(super) struct Watched {
    done: AtomicU64,
    queued: AtomicU64,
}

impl Watched {
    /// A worker has told before, and tells now.
    pub fn progress(&self, before: PoolProgress, now: PoolProgress) {
        self.done.fetch_add(now.done.wrapping_sub(before.done), Ordering::Relaxed);
        self.queued(before.queued, now.queued);
    }

    /// Somebody had tasks, and has.
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
