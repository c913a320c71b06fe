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

    /// Returns when all workers have called it; `relax` is called while others are missing.
    ///
    /// What any worker wrote before is visible to all of them after.
    pub fn wait(&self, mut relax: impl FnMut()) {
        let generation = self.generation.load(Ordering::Acquire);
        let arrived = self.arrived.fetch_add(1, Ordering::AcqRel) + 1;
        (arrived <= self.parties).or_bug("more workers are at the barrier than there are");
        if arrived >= self.parties {
            self.arrived.store(0, Ordering::Relaxed);
            self.generation.store(generation.wrapping_add(1), Ordering::Release);
            return;
        }
        while self.generation.load(Ordering::Acquire) == generation {
            relax();
        }
    }
}
