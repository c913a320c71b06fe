//! Which ranks share memory.

use tresse_core::id::NodeId;

/// The ranks by the memory that they share: each set is known by its lowest rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    lowest: Vec<u32>,
}

impl Nodes {
    /// From the lowest rank, by rank, of those that share memory with it.
    pub const fn new(lowest: Vec<u32>) -> Self {
        Self { lowest }
    }

    /// How many sets of ranks share memory.
    pub fn number(&self) -> u32 {
        (0..).zip(&self.lowest).map(|(rank, lowest)| u32::from(rank == *lowest)).sum()
    }

    /// The place of a rank's set among all, by lowest rank; 0 of no such rank.
    pub fn place(&self, rank: NodeId) -> u32 {
        let own = self.lowest.get(rank.index()).copied().unwrap_or(0);
        let sets = (0..).zip(&self.lowest).filter(|(rank, lowest)| rank == *lowest);
        sets.take_while(|(rank, _)| *rank < own).map(|_| 1).sum()
    }

    /// The ranks that share memory with this one, itself included, in order; none of no such rank.
    pub fn with(&self, rank: NodeId) -> impl Iterator<Item = NodeId> {
        let own = self.lowest.get(rank.index());
        (0..)
            .zip(&self.lowest)
            .filter(move |(_, lowest)| own == Some(lowest))
            .map(|(rank, _)| NodeId(rank))
    }

    /// Whether two ranks share memory.
    pub fn together(&self, one: NodeId, other: NodeId) -> bool {
        let lowest = |rank: NodeId| self.lowest.get(rank.index());
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
        assert_eq!(nodes.with(NodeId(3)).collect::<Vec<_>>(), [NodeId(1), NodeId(3)]);
        assert_eq!(nodes.with(NodeId(5)).count(), 0);
        assert_eq!([0, 3, 4, 5].map(|rank| nodes.place(NodeId(rank))), [0, 1, 2, 0]);
        assert!(nodes.together(NodeId(0), NodeId(2)));
        assert!(!nodes.together(NodeId(0), NodeId(1)));
        assert!(!nodes.together(NodeId(5), NodeId(6)));
    }
}
