//! The cores of each rank: those that the launcher has bound the rank to, or a share of those that
//! several ranks may all use.

use std::collections::BTreeSet;

use tresse::platform::Platform;
use tresse_core::id::RankId;

use crate::mpi::Entry;
use crate::mpi::nodes::Nodes;

/// The cores of all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Cores that each rank may use, by rank, with the operating system's numbers.
    pub cores: Vec<Vec<u32>>,
    /// Cores that the launcher has bound each rank to, by rank.
    allowed: Vec<Vec<u32>>,
}

impl Binding {
    /// Returns each rank's cores. Collective.
    pub fn find(entry: &mut Entry, machine: &Platform) -> Self {
        let own: Vec<u8> = machine.cores.iter().flat_map(|core| core.id.to_le_bytes()).collect();
        let all = entry.all_to_all_bytes(vec![own; entry.ranks() as usize]);
        let read = |bytes: &Vec<u8>| {
            let (ids, _) = bytes.as_chunks();
            ids.iter().map(|id| u32::from_le_bytes(*id)).collect()
        };
        let allowed: Vec<_> = all.iter().map(read).collect();
        let together = |rank| entry.nodes().with(RankId(rank)).map(RankId::index).collect();
        let by_node: Vec<Vec<usize>> = (0..entry.ranks()).map(together).collect();
        Self::share(allowed, &by_node)
    }

    /// Gives each rank its share of the cores; `by_node` has for each rank all ranks of its node.
    fn share(allowed: Vec<Vec<u32>>, by_node: &[Vec<usize>]) -> Self {
        let cores = |(rank, own): (usize, &Vec<u32>)| {
            let meets = |other: &usize| {
                allowed.get(*other).is_some_and(|other| other.iter().any(|core| own.contains(core)))
            };
            // Those that may use some of the same cores, this one included.
            let rivals: Vec<_> =
                by_node.get(rank).into_iter().flatten().filter(|r| meets(r)).collect();
            let place = rivals.iter().position(|&&rival| rival == rank).unwrap_or(0);
            share(own, place, rivals.len().max(1))
        };
        let cores = allowed.iter().enumerate().map(cores).collect();
        Self { cores, allowed }
    }

    /// Returns the number of different cores that ranks may use, on all of `nodes` together.
    pub fn total(&self, nodes: &Nodes) -> u32 {
        let all = (0..).map(RankId).zip(&self.allowed);
        let places = all.flat_map(|(rank, cores)| {
            let place = nodes.place(rank);
            cores.iter().map(move |core| (place, *core))
        });
        let total = places.collect::<BTreeSet<_>>().len();
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    /// Returns the least number of cores of a rank.
    pub fn least(&self) -> u32 {
        let least = self.cores.iter().map(Vec::len).min().unwrap_or(0);
        u32::try_from(least).unwrap_or(u32::MAX)
    }

    /// Reports whether a rank has a core that another one of its node has as well.
    pub fn is_shared(&self, rank: RankId, others: impl Iterator<Item = RankId>) -> bool {
        let of = |rank: RankId| self.cores.get(rank.index()).map_or(&[][..], Vec::as_slice);
        others
            .filter(|other| *other != rank)
            .any(|other| of(other).iter().any(|core| of(rank).contains(core)))
    }

    /// Reports whether the launcher has bound a rank to other cores than another one.
    pub fn is_bound(&self, rank: RankId) -> bool {
        self.allowed.get(rank.index()) == self.cores.get(rank.index())
    }
}

/// Returns the part of some cores for the rank at `place` of `ranks`; where there are fewer cores than
/// ranks, one core, given out in turn.
fn share(cores: &[u32], place: usize, ranks: usize) -> Vec<u32> {
    let count = cores.len();
    if count < ranks {
        return cores.iter().cycle().skip(place).take(count.min(1)).copied().collect();
    }
    let part = |place: usize| place * count / ranks;
    cores.get(part(place)..part(place + 1)).unwrap_or_default().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(allowed: Vec<Vec<u32>>, by_node: &[Vec<usize>]) -> Vec<Vec<u32>> {
        Binding::share(allowed, by_node).cores
    }

    #[test]
    fn bound_ranks_keep_their_cores() {
        assert_eq!(
            shared(vec![vec![0, 1], vec![2, 3]], &[vec![0, 1], vec![0, 1]]),
            [[0, 1], [2, 3]]
        );
        // The same numbers on two nodes are not the same cores.
        assert_eq!(shared(vec![vec![0, 1]; 2], &[vec![0], vec![1]]), [[0, 1], [0, 1]]);
    }

    #[test]
    fn a_core_counts_once() {
        let total = |allowed: Vec<Vec<u32>>, lowest: &[u32]| {
            Binding { cores: Vec::new(), allowed }.total(&Nodes::new(lowest.to_vec()))
        };
        assert_eq!(total(vec![vec![0, 1], vec![1, 2]], &[0, 0]), 3);
        assert_eq!(total(vec![vec![0, 1], vec![1, 2], vec![2]], &[0, 1, 1]), 4);
        assert_eq!(total(vec![vec![]], &[0]), 0);
    }

    #[test]
    fn ranks_that_are_not_bound_share() {
        let pair = vec![vec![0, 1]; 2];
        let four = vec![vec![0, 1, 2, 3]; 4];
        assert_eq!(shared(vec![vec![0, 1, 2, 3]; 2], &pair), [[0, 1], [2, 3]]);
        assert_eq!(shared(vec![vec![4, 5, 6]; 2], &pair), [vec![4], vec![5, 6]]);
        assert_eq!(shared(vec![vec![0, 1]; 4], &four), [[0], [1], [0], [1]]);
        assert_eq!(shared(vec![vec![]], &[vec![0]]), [Vec::<u32>::new()]);
    }
}
