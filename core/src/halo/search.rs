//! A reader's search of a subdomain that is no longer where it was.

use super::{Bounds, DirectoryEntry, Met};
use crate::id::{RankId, SlotId};

/// Location of a subdomain, as a reader knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The rank that has it.
    pub rank: RankId,
    /// The slot in that rank's memory.
    pub slot: SlotId,
    /// Number of its moves up to its arrival there.
    pub epoch: u32,
}

/// Next step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchStep {
    /// Another rank's directory is to be read.
    Next(RankId),
    /// The subdomain is here.
    Found(Location),
    /// Not all words have come through yet. The search is over: the reader goes back to where it
    /// knew the subdomain to be, looks at the halo tag there again, and if need be searches anew.
    Retry,
}

/// One search: forwards, from one rank's directory to the next.
///
/// A subdomain's epoch rises with every forward, so an entry that is older than the way to it is one
/// that has not come through yet, and no chain closes. Whatever it is told, a search ends after as
/// many forwards as there are ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    rank: RankId,
    /// Least epoch that is believed.
    epoch: u32,
    hops: u32,
    ranks: u32,
}

impl Search {
    /// Begins a search where the halo tag says, or else with the directory of the rank where the
    /// subdomain was known to be; none where it is there.
    pub fn new(known: Location, met: Met, bounds: Bounds) -> Option<Self> {
        let Location { rank, epoch, .. } = known;
        let ranks = bounds.ranks;
        match met {
            Met::Here => None,
            Met::Stranger => Some(Self { rank, epoch, hops: 0, ranks }),
            Met::Moved(to) => {
                Some(Self { rank: to, epoch: epoch.saturating_add(1), hops: 1, ranks })
            }
        }
    }

    /// Returns the rank whose directory is to be read next.
    pub const fn rank(&self) -> RankId {
        self.rank
    }

    /// Returns the number of forwards followed so far; the halo tag's is one.
    pub const fn hops(&self) -> u32 {
        self.hops
    }

    /// Takes the entry of that rank's directory about the subdomain, and returns the next step.
    pub fn read(&mut self, entry: DirectoryEntry) -> SearchStep {
        match entry {
            DirectoryEntry::Here { slot, epoch } if epoch >= self.epoch => {
                SearchStep::Found(Location { rank: self.rank, slot, epoch })
            }
            // It moved on after it had come here.
            DirectoryEntry::Left { to, epoch }
                if epoch > self.epoch && to != self.rank && self.hops < self.ranks =>
            {
                self.rank = to;
                self.epoch = epoch;
                self.hops += 1;
                SearchStep::Next(to)
            }
            _ => SearchStep::Retry,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };

    fn here(slot: u32, epoch: u32) -> DirectoryEntry {
        DirectoryEntry::Here { slot: SlotId(slot), epoch }
    }

    fn left(to: u32, epoch: u32) -> DirectoryEntry {
        DirectoryEntry::Left { to: RankId(to), epoch }
    }

    fn known(epoch: u32) -> Location {
        Location { rank: RankId(0), slot: SlotId(1), epoch }
    }

    #[test]
    fn forwards_are_followed_to_the_end() {
        let mut search = Search::new(known(2), Met::Stranger, BOUNDS).unwrap();
        assert_eq!(search.rank(), RankId(0));
        assert_eq!(search.read(left(1, 3)), SearchStep::Next(RankId(1)));
        assert_eq!(search.rank(), RankId(1));
        assert_eq!(search.read(left(2, 5)), SearchStep::Next(RankId(2)));
        let location = Location { rank: RankId(2), slot: SlotId(0), epoch: 6 };
        assert_eq!(search.read(here(0, 6)), SearchStep::Found(location));
        assert_eq!(search.hops(), 2);
        assert_eq!(Search::new(known(2), Met::Here, BOUNDS), None);
    }

    #[test]
    fn the_halo_tag_is_the_first_forward() {
        let mut search = Search::new(known(2), Met::Moved(RankId(2)), BOUNDS).unwrap();
        assert_eq!((search.rank(), search.hops()), (RankId(2), 1));
        // It was there before, too: that is not where it is now.
        assert_eq!(search.clone().read(here(0, 2)), SearchStep::Retry);
        assert!(matches!(search.read(here(0, 3)), SearchStep::Found(_)));
    }

    #[test]
    fn what_is_not_newer_is_not_believed() {
        let search = Search::new(known(4), Met::Stranger, BOUNDS).unwrap();
        for entry in [DirectoryEntry::Unknown, here(0, 3), left(1, 4), left(1, 3), left(0, 9)] {
            assert_eq!(search.clone().read(entry), SearchStep::Retry, "{entry:?}");
        }
        // It is in another slot, or the slot has only just become its own.
        assert!(matches!(search.clone().read(here(1, 4)), SearchStep::Found(_)));
        assert!(matches!(search.clone().read(left(1, 5)), SearchStep::Next(_)));
    }

    #[test]
    fn no_chain_is_longer_than_there_are_ranks() {
        let mut search = Search::new(known(0), Met::Stranger, BOUNDS).unwrap();
        for epoch in 1..=3 {
            assert!(matches!(search.read(left(epoch % 2, epoch)), SearchStep::Next(_)));
        }
        assert_eq!(search.read(left(0, 4)), SearchStep::Retry);
        assert_eq!(search.hops(), 3);
    }
}
