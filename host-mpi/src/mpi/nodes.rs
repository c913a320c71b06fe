//! The sets of ranks that share memory.

use tresse_core::base::id::RankId;

/// The ranks by the memory that they share: each set is known by its lowest rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    lowest: Vec<u32>,
}

impl Nodes {
    /// Returns the sets for the lowest rank of each rank's set, by rank.
    pub const fn new(lowest: Vec<u32>) -> Self {
        Self { lowest }
    }

    /// Returns the number of sets of ranks that share memory.
    pub fn number(&self) -> u32 {
        (0..).zip(&self.lowest).map(|(rank, lowest)| u32::from(rank == *lowest)).sum()
    }

    /// Returns the index of a rank's set among all, which are in the order of their lowest ranks; 0
    /// for a rank that does not exist.
    pub fn place(&self, rank: RankId) -> u32 {
        let own = self.lowest.get(rank.index()).copied().unwrap_or(0);
        let sets = (0..).zip(&self.lowest).filter(|(rank, lowest)| rank == *lowest);
        sets.take_while(|(rank, _)| *rank < own).map(|_| 1).sum()
    }

    /// Returns the ranks that share memory with this one, including this rank, in order; no ranks
    /// for a rank that does not exist.
    pub fn with(&self, rank: RankId) -> impl Iterator<Item = RankId> {
        let own = self.lowest.get(rank.index());
        (0..)
            .zip(&self.lowest)
            .filter(move |(_, lowest)| own == Some(lowest))
            .map(|(rank, _)| RankId(rank))
    }

    /// Reports whether two ranks share memory.
    pub fn together(&self, one: RankId, other: RankId) -> bool {
        let lowest = |rank: RankId| self.lowest.get(rank.index());
        lowest(one).is_some() && lowest(one) == lowest(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_told_apart_by_memory() {
        let nodes = Nodes::new(vec![0, 1, 0, 1, 4]);
        assert_eq!(nodes.number(), 3);
        assert_eq!(nodes.with(RankId(3)).collect::<Vec<_>>(), [RankId(1), RankId(3)]);
        assert_eq!(nodes.with(RankId(5)).count(), 0);
        assert_eq!([0, 3, 4, 5].map(|rank| nodes.place(RankId(rank))), [0, 1, 2, 0]);
        assert!(nodes.together(RankId(0), RankId(2)));
        assert!(!nodes.together(RankId(0), RankId(1)));
        assert!(!nodes.together(RankId(5), RankId(6)));
    }
}
