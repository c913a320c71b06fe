//! Assigns workers and managers to ranks.

use tresse::engine::pool::Managing;
use tresse_core::base::id::{ManagerId, RankId, WorkerId};
use tresse_core::tasks::sharing::{Managers, Peer};

/// The ranks of workers and managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places {
    /// The workers of each manager.
    pub managers: Managers,
    /// Number of ranks that are no workers: the first ones.
    dedicated: u32,
}

/// The error about too few ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "--manager dedicated: the manager takes a rank of its own, and there is only one; start more, or \
     use --manager turn"
)]
pub struct PlaceError;

impl Places {
    /// Assigns workers and managers to a number of ranks; with `steals` there is one manager.
    pub fn new(ranks: u32, managing: Managing, steals: bool) -> Result<Self, PlaceError> {
        let arranged = |workers| {
            if steals { Managers::one(workers) } else { Managers::enough_for(workers) }
        };
        match managing {
            Managing::Turn => Ok(Self { managers: arranged(ranks), dedicated: 0 }),
            Managing::Dedicated => {
                let fit = |workers: &u32| workers + arranged(*workers).number() <= ranks;
                let workers = (1..ranks).rev().find(fit).ok_or(PlaceError)?;
                // A rank is neither where another worker would need another manager besides.
                Ok(Self { managers: arranged(workers), dedicated: ranks - workers })
            }
        }
    }

    /// Returns the rank of a worker or a manager.
    pub fn rank(&self, of: Peer) -> RankId {
        match of {
            Peer::Worker(worker) => RankId(self.dedicated + worker.0),
            Peer::Manager(manager) => RankId(manager.0),
        }
    }

    /// Returns the worker of a rank, if it has one.
    pub fn worker(&self, rank: RankId) -> Option<WorkerId> {
        let worker = rank.0.checked_sub(self.dedicated)?;
        (worker < self.managers.workers()).then_some(WorkerId(worker))
    }

    /// Returns the manager of a rank, if it has one.
    pub fn manager(&self, rank: RankId) -> Option<ManagerId> {
        (rank.0 < self.managers.number()).then_some(ManagerId(rank.0))
    }
}

#[cfg(test)]
mod tests {
    use super::{Managing, Peer, Places};
    use tresse_core::base::id::RankId;

    #[test]
    fn everybody_has_a_rank() {
        for ranks in 1..400 {
            for managing in [Managing::Turn, Managing::Dedicated] {
                for steals in [false, true] {
                    let Ok(places) = Places::new(ranks, managing, steals) else {
                        assert_eq!((ranks, managing), (1, Managing::Dedicated));
                        continue;
                    };
                    let all = (0..ranks).map(RankId);
                    let workers = all.clone().filter_map(|rank| {
                        let worker = places.worker(rank)?;
                        assert_eq!(places.rank(Peer::Worker(worker)), rank);
                        Some(worker)
                    });
                    assert_eq!(workers.count(), places.managers.workers() as usize);
                    let managers = all.filter_map(|rank| {
                        let manager = places.manager(rank)?;
                        assert_eq!(places.rank(Peer::Manager(manager)), rank);
                        let is_worker = places.worker(rank).is_some();
                        assert_eq!(is_worker, managing == Managing::Turn);
                        Some(manager)
                    });
                    assert_eq!(managers.count(), places.managers.number() as usize);
                }
            }
        }
    }
}
