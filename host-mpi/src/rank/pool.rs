//! A pool of tasks on ranks: each rank is a worker, and some do the work of managers besides, or
//! instead.
//!
//! What [`tresse_core::tasks::sharing`] decides is done with two-sided messages: who has no tasks
//! looks for them all the time, and who has some between a few hundred of them.

mod places;
mod post;
mod rank_at_work;
mod rank_message;
mod report;
mod unread;

#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tresse::engine::clock::Clock;
use tresse_core::base::id::WorkerId;
use tresse_core::tasks::sharing::{PoolProgress, SharingConfig, Work};

pub use self::places::{PlaceError, Places};
pub use self::report::{RankPooled, RankReport};

use self::rank_at_work::RankAtWork;
use crate::mpi::{Entry, Messages};
use crate::rank::termination_notice::TerminationNotice;

/// A pool that the ranks run together.
#[derive(Clone, Copy, Debug)]
pub struct RankPool<'a> {
    /// Configuration of the sharing; valid.
    pub config: SharingConfig,
    /// Workers and managers by rank.
    pub places: Places,
    /// Greatest number of tasks that one worker or one manager may have at a time.
    pub most_tasks: usize,
    /// Whether a caller watches on the first rank.
    pub is_watched: bool,
    /// Flag that is set to end the pool early.
    pub interrupt: &'a AtomicBool,
}

impl RankPool<'_> {
    /// Executes tasks, and all tasks that they create, until there are none. `work` makes the work
    /// of a rank, and `watch` is called on the first rank now and then with the progress of all.
    /// Collective; the reports of all ranks are gathered on the first one.
    pub fn run<W>(
        &self,
        entry: &mut Entry,
        first: &[W::Task],
        work: impl FnOnce(WorkerId) -> W,
        watch: &mut dyn FnMut(PoolProgress),
    ) -> RankPooled<W>
    where
        W: Work,
        W::Task: Serialize + DeserializeOwned,
    {
        let clock = Clock::default();
        let (own, ranks, messages) = (entry.rank(), entry.ranks(), Messages::new(entry));
        let notice = TerminationNotice::new(entry);
        let mut rank = RankAtWork::new(own, ranks, messages, self, &clock, work);
        rank.begin(first);
        entry.barrier();
        clock.start();
        rank.work(entry, &notice, watch);
        rank.settle(entry)
    }
}
