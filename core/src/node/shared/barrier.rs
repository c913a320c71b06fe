//! The barrier of the synchronous mode.

use crate::base::bug::Minus;
use crate::base::sync::{AtomicU32, Ordering};

/// A barrier that can be used again and again; how to wait is the host's business.
#[derive(Debug)]
pub struct Barrier {
    parties: u32,
    arrived: AtomicU32,
    generation: AtomicU32,
}

impl Barrier {
    /// Returns a barrier for this number of workers.
    pub fn new(parties: u32) -> Self {
        Self { parties, arrived: AtomicU32::new(0), generation: AtomicU32::new(0) }
    }

    /// Counts a worker as arrived. Returns the generation to wait for with [`Barrier::is_open`];
    /// none for the last worker, whose arrival opens the barrier.
    ///
    /// What any worker wrote before it arrived is visible to all once the barrier is open.
    #[must_use]
    pub fn arrive(&self) -> Option<u32> {
        let generation = self.generation.load(Ordering::Acquire);
        let arrived = self.arrived.fetch_add(1, Ordering::AcqRel) + 1;
        if self.parties.minus(arrived) > 0 {
            return Some(generation);
        }
        self.arrived.store(0, Ordering::Relaxed);
        self.generation.store(generation.wrapping_add(1), Ordering::Release);
        None
    }

    /// Whether all workers of a generation have arrived.
    pub fn is_open(&self, generation: u32) -> bool {
        self.generation.load(Ordering::Acquire) != generation
    }
}
