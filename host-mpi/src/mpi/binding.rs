//! The cores of each rank: those that the launcher has bound the rank to, or a share of those that
//! several ranks may all use.

use std::collections::BTreeSet;

use tresse::platform::{
    Core, Placement, Platform, PlatformError, Quota, TopologyOverride, first_threads_first,
};
use tresse_core::base::id::{RankId, SocketId};

use crate::mpi::Entry;
use crate::mpi::nodes::Nodes;

/// The cores of all ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Cores that each rank may use, by rank, with the operating system's numbers.
    pub cores: Vec<Vec<u32>>,
    /// Cores that the launcher has bound each rank to, by rank.
    allowed: Vec<Vec<Core>>,
    /// Number of workers that each rank's part of a CPU quota keeps busy, by rank.
    quotas: Vec<u32>,
}

impl Binding {
    /// Returns each rank's cores. Collective.
    pub fn find(entry: &mut Entry, machine: &Platform) -> Self {
        let part = machine.quota.map(|quota| quota.shared_by(entry.node_ranks()));
        let own = [part.map_or(u32::MAX, Quota::workers)].into_iter();
        let own = own.chain(machine.cores.iter().flat_map(numbers));
        let own: Vec<u8> = own.flat_map(u32::to_le_bytes).collect();
        let all = entry.all_to_all_bytes(vec![own; entry.ranks() as usize]);
        let (quotas, allowed): (Vec<_>, Vec<_>) = all.iter().map(|bytes| read(bytes)).unzip();
        let together = |rank| entry.nodes().with(RankId(rank)).map(RankId::index).collect();
        let by_node: Vec<Vec<usize>> = (0..entry.ranks()).map(together).collect();
        Self { quotas, ..Self::share(allowed, &by_node) }
    }

    /// Gives each rank its share of the cores; `by_node` has for each rank all ranks of its node.
    fn share(allowed: Vec<Vec<Core>>, by_node: &[Vec<usize>]) -> Self {
        let cores = |(rank, own): (usize, &Vec<Core>)| {
            let has = |core: &Core| own.iter().any(|own| own.id == core.id);
            let meets =
                |other: &usize| allowed.get(*other).is_some_and(|other| other.iter().any(has));
            // Those that may use some of the same cores, this one included.
            let rivals: Vec<_> =
                by_node.get(rank).into_iter().flatten().filter(|r| meets(r)).collect();
            let place = rivals.iter().position(|&&rival| rival == rank).unwrap_or(0);
            share(own, place, rivals.len().max(1))
        };
        let cores = allowed.iter().enumerate().map(cores).collect();
        Self { cores, allowed, quotas: vec![] }
    }

    /// Returns the number of different cores that ranks may use, on all of `nodes` together.
    pub fn total(&self, nodes: &Nodes) -> u32 {
        let all = (0..).map(RankId).zip(&self.allowed);
        let places = all.flat_map(|(rank, cores)| {
            let place = nodes.place(rank);
            cores.iter().map(move |core| (place, core.id))
        });
        let total = places.collect::<BTreeSet<_>>().len();
        u32::try_from(total).unwrap_or(u32::MAX)
    }

    /// Returns the default number of workers of each rank: the least number of physical cores of a
    /// rank, within the least part of a CPU quota.
    pub fn workers(&self) -> u32 {
        let physical = self.cores.iter().zip(&self.allowed).map(|(own, allowed)| {
            let own = allowed.iter().filter(|core| own.contains(&core.id));
            own.map(|core| core.physical).collect::<BTreeSet<_>>().len()
        });
        let least = u32::try_from(physical.min().unwrap_or(0)).unwrap_or(u32::MAX);
        self.quotas.iter().copied().fold(least, u32::min)
    }

    /// Returns the seats of a rank's workers, on the rank's cores.
    pub fn place(
        &self,
        entry: &Entry,
        machine: &Platform,
        workers: u32,
        topology: Option<TopologyOverride>,
    ) -> Result<Placement, PlatformError> {
        let mut own = machine.clone();
        let cores = self.cores.get(entry.rank().index());
        own.cores.retain(|core| cores.is_some_and(|cores| cores.contains(&core.id)));
        own.quota = own.quota.map(|quota| quota.shared_by(entry.node_ranks()));
        let mut placement = Placement::plan(&own, Some(workers), topology)?;
        let together = entry.nodes().with(entry.rank());
        placement.oversubscribed |= self.is_shared(entry.rank(), together);
        Ok(placement)
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
        let of = |cores: &Vec<Vec<_>>| cores.get(rank.index()).map(Vec::len);
        self.allowed.get(rank.index()).map(Vec::len) == of(&self.cores)
    }
}

/// Returns the numbers by which ranks tell each other of a core.
fn numbers(core: &Core) -> [u32; 3] {
    [core.id, core.socket.0, core.physical]
}

/// Reads the part of a quota, and the cores, that a rank has told the others.
fn read(bytes: &[u8]) -> (u32, Vec<Core>) {
    let numbers: Vec<u32> =
        bytes.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let (quota, cores) = numbers.split_first().unwrap_or((&u32::MAX, &[]));
    let core = |&[id, socket, physical]: &[u32; 3]| Core { id, socket: SocketId(socket), physical };
    (*quota, cores.as_chunks().0.iter().map(core).collect())
}

/// Returns the part of some cores for the rank at `place` of `ranks`, ascending: whole physical
/// cores, or where there are fewer of these than ranks one core, given out in turn.
fn share(cores: &[Core], place: usize, ranks: usize) -> Vec<u32> {
    let physical: BTreeSet<u32> = cores.iter().map(|core| core.physical).collect();
    let count = physical.len();
    if count < ranks {
        let all = first_threads_first(cores);
        return all.iter().cycle().skip(place).take(count.min(1)).map(|core| core.id).collect();
    }
    let part = |place: usize| place * count / ranks;
    let own: BTreeSet<u32> =
        physical.into_iter().skip(part(place)).take(part(place + 1) - part(place)).collect();
    let mut ids: Vec<u32> =
        cores.iter().filter(|core| own.contains(&core.physical)).map(|core| core.id).collect();
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns cores of one socket; `siblings` is the number of hardware threads of the machine
    /// after which the second ones of the same physical cores come.
    fn cores(ids: &[u32], siblings: u32) -> Vec<Core> {
        let core = |&id| Core { id, socket: SocketId(0), physical: id % siblings };
        ids.iter().map(core).collect()
    }

    fn binding(allowed: &[Vec<u32>], siblings: u32, by_node: &[Vec<usize>]) -> Binding {
        Binding::share(allowed.iter().map(|ids| cores(ids, siblings)).collect(), by_node)
    }

    fn shared(allowed: &[Vec<u32>], by_node: &[Vec<usize>]) -> Vec<Vec<u32>> {
        binding(allowed, 64, by_node).cores
    }

    #[test]
    fn bound_ranks_keep_their_cores() {
        assert_eq!(shared(&[vec![0, 1], vec![2, 3]], &[vec![0, 1], vec![0, 1]]), [[0, 1], [2, 3]]);
        // The same numbers on two nodes are not the same cores.
        assert_eq!(shared(&vec![vec![0, 1]; 2], &[vec![0], vec![1]]), [[0, 1], [0, 1]]);
    }

    #[test]
    fn a_core_counts_once() {
        let total = |allowed: Vec<Vec<u32>>, lowest: &[u32]| {
            let by_node = vec![vec![]; allowed.len()];
            binding(&allowed, 64, &by_node).total(&Nodes::new(lowest.to_vec()))
        };
        assert_eq!(total(vec![vec![0, 1], vec![1, 2]], &[0, 0]), 3);
        assert_eq!(total(vec![vec![0, 1], vec![1, 2], vec![2]], &[0, 1, 1]), 4);
        assert_eq!(total(vec![vec![]], &[0]), 0);
    }

    #[test]
    fn ranks_that_are_not_bound_share() {
        let pair = vec![vec![0, 1]; 2];
        let four = vec![vec![0, 1, 2, 3]; 4];
        assert_eq!(shared(&vec![vec![0, 1, 2, 3]; 2], &pair), [[0, 1], [2, 3]]);
        assert_eq!(shared(&vec![vec![4, 5, 6]; 2], &pair), [vec![4], vec![5, 6]]);
        assert_eq!(shared(&vec![vec![0, 1]; 4], &four), [[0], [1], [0], [1]]);
        assert_eq!(shared(&[vec![]], &[vec![0]]), [Vec::<u32>::new()]);
    }

    #[test]
    fn ranks_share_whole_physical_cores() {
        let on_one_node = |ranks: usize| {
            let by_node = vec![(0..ranks).collect(); ranks];
            binding(&vec![vec![0, 1, 2, 3]; ranks], 2, &by_node)
        };
        let two = on_one_node(2);
        assert_eq!((two.cores.clone(), two.workers()), (vec![vec![0, 2], vec![1, 3]], 1));
        // The first hardware threads come first.
        assert_eq!(on_one_node(3).cores, [[0], [1], [2]]);
        let one = on_one_node(1);
        assert_eq!((one.cores.clone(), one.workers()), (vec![vec![0, 1, 2, 3]], 2));
        assert!(one.is_bound(RankId(0)) && !two.is_bound(RankId(0)));
    }

    #[test]
    fn the_least_part_of_a_quota_bounds_the_workers() {
        let unbound = binding(&[vec![0, 1, 2], vec![0, 1, 2]], 64, &[vec![0], vec![1]]);
        assert_eq!(unbound.workers(), 3);
        assert_eq!(Binding { quotas: vec![u32::MAX, 2], ..unbound }.workers(), 2);
    }

    #[test]
    fn what_is_told_is_read() {
        let told = cores(&[0, 5, 9], 8);
        let words = [7].into_iter().chain(told.iter().flat_map(numbers));
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        assert_eq!(read(&bytes), (7, told));
    }
}
