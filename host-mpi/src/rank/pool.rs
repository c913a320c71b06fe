//! A pool of tasks on ranks: each is a worker, and some do what managers do besides, or instead.
//!
//! What [`tresse_core::sharing`] decides is done with two-sided messages: who has no tasks looks for them
//! all the time, and who has some between a few hundred of them.

mod letter;
mod places;
mod post;
mod rank_at_work;
mod report;
mod unread;

#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tresse::engine::clock::Clock;
use tresse_core::id::WorkerId;
use tresse_core::sharing::{PoolProgress, SharingConfig, Work};

pub use self::places::{PlaceError, Places};
pub use self::report::{RankPooled, RankReport};

use self::rank_at_work::RankAtWork;
use crate::mpi::{Entry, Letters};
use crate::rank::termination_notice::TerminationNotice;

/// What the ranks are to do together.
#[derive(Clone, Copy, Debug)]
pub struct RankPool<'a> {
    /// How the work is shared; valid.
    pub config: SharingConfig,
    /// Who does what.
    pub places: Places,
    /// The most tasks that one worker or one manager may have at a time.
    pub most_tasks: usize,
    /// Whether somebody watches on the first rank.
    pub is_watched: bool,
    /// Set where it is to end early.
    pub interrupt: &'a AtomicBool,
}

impl RankPool<'_> {
    /// Executes tasks, and all that come of them, until there are none. `work` makes a rank's own, and
    /// `watch` is told now and then, on the first rank, how far all of them are. Collective; what all did
    /// is told to the first rank.
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
        let (own, ranks, letters) = (entry.rank(), entry.ranks(), Letters::new(entry));
        let notice = TerminationNotice::new(entry);
        let mut rank = RankAtWork::new((own, ranks), letters, self, &clock, work);
        rank.begin(first);
        entry.barrier();
        clock.start();
        rank.work(entry, &notice, watch);
        rank.settle(entry)
    }
}
