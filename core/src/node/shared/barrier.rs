//! The barrier of the synchronous mode.

use crate::base::bug::OrBug;
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

    /// Notes that a worker has come; returns the generation whose end it waits for, and none where
    /// it is the last, with which the barrier opens.
    ///
    /// What any worker wrote before it came is visible to all of them once it is open.
    #[must_use]
    pub fn arrive(&self) -> Option<u32> {
        let generation = self.generation.load(Ordering::Acquire);
        let arrived = self.arrived.fetch_add(1, Ordering::AcqRel) + 1;
        (arrived <= self.parties).or_bug("more workers are at the barrier than there are");
        if arrived < self.parties {
            return Some(generation);
        }
        self.arrived.store(0, Ordering::Relaxed);
        self.generation.store(generation.wrapping_add(1), Ordering::Release);
        None
    }

    /// Whether all workers of a generation have come.
    pub fn is_open(&self, generation: u32) -> bool {
        self.generation.load(Ordering::Acquire) != generation
    }
}
