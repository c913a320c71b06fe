//! The managers of a run, and the managers or workers that belong to each.

use core::num::{NonZeroU32, NonZeroU64};

use crate::base::bug::OrBug;
use crate::base::id::{ManagerId, WorkerId};

use super::message::Peer;

/// The most workers for which one manager is enough: with more, it would be what all wait for.
pub const ENOUGH_FOR_ONE: u32 = 64;

/// Workers of a manager where there are several.
const WORKERS_EACH: u32 = 32;

/// Members of one manager: workers, or managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Members {
    /// The manager.
    pub manager: ManagerId,
    /// The manager that this one belongs to.
    pub parent: Option<ManagerId>,
    /// The number of its first member.
    pub first: u32,
    /// Members.
    pub number: usize,
    /// Whether the members are managers.
    pub are_managers: bool,
}

impl Members {
    /// Returns the index of a peer among the members; none where it is not one of them.
    pub fn index(&self, peer: Peer) -> Option<usize> {
        let number = match peer {
            Peer::Worker(WorkerId(worker)) if !self.are_managers => worker,
            Peer::Manager(ManagerId(manager)) if self.are_managers => manager,
            _ => return None,
        };
        let index = number.checked_sub(self.first)? as usize;
        (index < self.number).then_some(index)
    }

    /// Returns the member of an index.
    pub const fn peer(&self, index: usize) -> Peer {
        let number = self.first + index as u32;
        if self.are_managers {
            Peer::Manager(ManagerId(number))
        } else {
            Peer::Worker(WorkerId(number))
        }
    }
}

/// All managers of a run: one, or several with an equal part of the workers each and one above
/// them, which is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Managers {
    workers: u32,
    below: NonZeroU32,
}

impl Managers {
    /// Returns one manager for all workers.
    pub const fn one(workers: u32) -> Self {
        Self { workers, below: NonZeroU32::MIN }
    }

    /// Returns as many managers as this number of workers needs: one, unless there are very many.
    pub const fn enough_for(workers: u32) -> Self {
        if workers <= ENOUGH_FOR_ONE {
            return Self::one(workers);
        }
        let below = NonZeroU32::MIN.saturating_add(workers.div_ceil(WORKERS_EACH) - 1);
        Self { workers, below }
    }

    /// Returns this number of managers with workers, at most [`Self::most`]; with more than one
    /// there is one above them.
    pub fn with(workers: u32, managers: u32) -> Self {
        let managers = managers.min(Self::most(workers));
        Self { workers, below: NonZeroU32::new(managers).unwrap_or(NonZeroU32::MIN) }
    }

    /// Returns the greatest number of managers that this many workers can have: one each.
    pub fn most(workers: u32) -> u32 {
        workers.max(1)
    }

    /// Returns the number of workers of all managers.
    pub const fn workers(self) -> u32 {
        self.workers
    }

    /// Returns the number of managers.
    pub const fn number(self) -> u32 {
        if self.below.get() == 1 { 1 } else { self.below.get() + 1 }
    }

    /// Returns the number of managers that workers belong to.
    pub const fn with_workers(self) -> u32 {
        self.below.get()
    }

    /// Returns the first worker of the `n`-th manager that has workers.
    fn first_worker(self, n: u32) -> u32 {
        let workers = u64::from(self.workers) * u64::from(n);
        (workers / NonZeroU64::from(self.below)) as u32
    }

    /// Returns the members of a manager.
    pub fn members(self, manager: ManagerId) -> Members {
        let alone = self.below.get() == 1;
        if !alone && manager.0 == 0 {
            let number = self.below.get() as usize;
            return Members { manager, parent: None, first: 1, number, are_managers: true };
        }
        let n = if alone { 0 } else { manager.0 - 1 };
        let first = self.first_worker(n);
        let number = (self.first_worker(n + 1) - first) as usize;
        let parent = (!alone).then_some(ManagerId(0));
        Members { manager, parent, first, number, are_managers: false }
    }

    /// Returns the manager of a worker.
    pub fn of(self, worker: WorkerId) -> ManagerId {
        if self.below.get() == 1 {
            return ManagerId(0);
        }
        let near = u64::from(worker.0) * u64::from(self.below.get());
        let near = near.checked_div(u64::from(self.workers)).or_bug("there is no worker") as u32;
        let n = if self.first_worker(near + 1) <= worker.0 { near + 1 } else { near };
        ManagerId(n + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_worker_belongs_to_the_manager_that_has_it_as_a_member() {
        for workers in [1, 2, 3, 5, 8, 13, 40] {
            for managers in 1..8 {
                let all = Managers::with(workers, managers);
                let mut members = 0;
                for manager in (0..all.number()).map(ManagerId) {
                    let own = all.members(manager);
                    for index in (0..own.number).filter(|_| !own.are_managers) {
                        let peer = own.peer(index);
                        let manager_of = |peer| match peer {
                            Peer::Worker(worker) => Some(all.of(worker)),
                            Peer::Manager(_) => None,
                        };
                        assert_eq!(manager_of(peer), Some(manager), "{peer:?} of {workers}");
                        assert_eq!(own.index(peer), Some(index));
                        members += 1;
                    }
                }
                assert_eq!(members, workers);
            }
        }
    }
}
