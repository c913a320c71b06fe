//! Statistics of a worker.

use serde::Serialize;

use super::speculation::Answered;

/// Statistics of a worker so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct SharingStatistics {
    /// Tasks of its own that the worker has executed.
    pub executed: u64,
    /// Tasks of copies that the worker has executed.
    pub speculated: u64,
    /// The number of speculated tasks that became its own.
    pub committed: u64,
    /// The number of speculated tasks that turned out to be another worker's.
    pub rolled_back: u64,
    /// Claims that it has made.
    pub asked: u64,
    /// Claims of them that were refused.
    pub failed: u64,
    /// Chunks that it was given.
    pub chunks: u64,
    /// Chunks that it has released, or that were stolen from it.
    pub released: u64,
    /// Copies that it was given.
    pub copies: u64,
    /// Victims that it has asked.
    pub steals: u64,
    /// Victims of them that had nothing to give.
    pub failed_steals: u64,
}

impl SharingStatistics {
    /// Counts the answer to a claim, and the tasks that it has decided.
    pub(super) const fn count_answer(&mut self, answered: &Answered, granted: bool) {
        self.committed += answered.committed as u64;
        self.rolled_back += answered.rolled_back as u64;
        self.failed += !granted as u64;
    }

    /// Returns the number of tasks that the worker has executed, those of copies only where they
    /// became its own.
    pub const fn done(&self) -> u64 {
        self.executed + self.committed
    }

    /// Returns the statistics of two workers together.
    pub const fn and(self, other: Self) -> Self {
        Self {
            executed: self.executed + other.executed,
            speculated: self.speculated + other.speculated,
            committed: self.committed + other.committed,
            rolled_back: self.rolled_back + other.rolled_back,
            asked: self.asked + other.asked,
            failed: self.failed + other.failed,
            chunks: self.chunks + other.chunks,
            released: self.released + other.released,
            copies: self.copies + other.copies,
            steals: self.steals + other.steals,
            failed_steals: self.failed_steals + other.failed_steals,
        }
    }
}

/// Progress of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "deserialize", derive(serde::Deserialize))]
pub struct PoolProgress {
    /// Tasks that are executed, those of copies only where they became somebody's own.
    pub done: u64,
    /// Tasks that wait to be executed, of workers and managers, as far as that is known.
    pub queued: u64,
}

impl PoolProgress {
    /// Returns the progress of two together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { done: self.done + other.done, queued: self.queued + other.queued }
    }
}
