//! Counts of the sweeps of each worker, which all workers can add up.

use std::sync::atomic::{AtomicU64, Ordering};

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
