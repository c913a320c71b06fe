//! The memory of what all parts of a graph publish, and of a graph in slices, for hosts with an
//! allocator.

use crate::base::unit::Unit;
use alloc::collections::btree_map::Entry;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::array;

use super::halo::{EDGE_BUFFERS, EdgeWriter, HaloTag, Head, Publication};
use super::{Graph, GraphError, Link, Part, SliceGraph};
use crate::base::id::{NodeId, SubdomainId};
use crate::base::table::At;

/// Memory of the edges and versions that the parts of a graph publish, all on one node.
#[derive(Debug)]
pub struct EdgeMemory<F: Unit, const N: usize = 4> {
    heads: Vec<Head>,
    edges: Vec<[Vec<F::Shared>; N]>,
}

impl<F: Unit, const N: usize> EdgeMemory<F, N> {
    /// Allocates the memory for all edges and heads of a graph.
    pub fn new<G: Graph<N>>(graph: &G) -> Self {
        let parts = || (0..graph.parts()).map(SubdomainId);
        let edges = parts().map(|id| {
            let (neighbours, size) = (graph.neighbours(id), graph.size(id));
            array::from_fn(|link| {
                let edge = neighbours.at(link).map_or(0, |_| graph.edge(size, link) as usize);
                (0..EDGE_BUFFERS * edge).map(|_| F::shared_zero()).collect()
            })
        });
        Self { edges: edges.collect(), heads: parts().map(|_| Head::new()).collect() }
    }

    /// Returns the publication of each part, owned by node 0, in the order of their numbers.
    pub fn lend(&self) -> Vec<Publication<'_, F, N>> {
        let memory = (0..).map(SubdomainId).zip(self.heads.iter().zip(&self.edges));
        let publications = memory.map(|(id, (head, edges))| {
            let publication = Publication::new(head.words(), edges.each_ref().map(Vec::as_slice));
            publication.admit(HaloTag { subdomain: id, owner: NodeId(0) });
            publication
        });
        publications.collect()
    }
}

/// Checks that every part is reachable from part 0, over no more links than the graph's diameter.
/// Links lead back, as [`check`](super::check) has found.
pub fn check_connected<G: Graph<N>, const N: usize>(graph: &G) -> Result<(), GraphError> {
    let diameter = graph.diameter();
    let mut is_reached = alloc::vec![false; graph.parts() as usize];
    is_reached.first_mut().into_iter().for_each(|first| *first = true);
    let mut open: VecDeque<_> = [(SubdomainId(0), 0)].into();
    while let Some((part, links)) = open.pop_front() {
        if links > diameter {
            return Err(GraphError::Diameter { part, links, diameter });
        }
        for neighbour in graph.neighbours(part).into_iter().flatten() {
            if let Some(is_reached @ false) = is_reached.get_mut(neighbour.index()) {
                *is_reached = true;
                open.push_back((neighbour, links + 1));
            }
        }
    }
    let apart = (0..).map(SubdomainId).zip(is_reached).find(|(_, is_reached)| !is_reached);
    apart.map_or(Ok(()), |(part, _)| Err(GraphError::Unreachable(part)))
}

/// Checks that the edges that the parts `here` publish, of units `F`, fit into the `available`
/// bytes of memory.
pub fn check_memory<F: Unit, G: Graph<N>, const N: usize>(
    graph: &G,
    here: impl Iterator<Item = SubdomainId>,
    available: u64,
) -> Result<(), GraphError> {
    let units = here.map(|id| {
        let (neighbours, size) = (graph.neighbours(id), graph.size(id));
        let links = neighbours.iter().enumerate().filter(|(_, neighbour)| neighbour.is_some());
        links.map(|(link, _)| u64::from(graph.edge(size, link))).sum::<u64>()
    });
    let bytes = (EDGE_BUFFERS * size_of::<F::Shared>()) as u64;
    let needed = units.fold(0_u64, u64::saturating_add).saturating_mul(bytes);
    if needed > available { Err(GraphError::Memory { needed, available }) } else { Ok(()) }
}

/// Checks that a part does as its trait says: it publishes on each link as many units as its graph
/// says, where these are not none; and it unpacks what it has packed, as the same part.
pub fn check_part<T: Part, G: Graph<N>, const N: usize>(
    graph: &G,
    id: SubdomainId,
    part: &mut T,
) -> Result<(), GraphError> {
    let size = graph.size(id);
    for (link, _) in graph.neighbours(id).iter().enumerate().filter(|(_, to)| to.is_some()) {
        let units = graph.edge(size, link);
        let published = if units == 0 { 0 } else { published(part, link, units) };
        if published != units {
            return Err(GraphError::Published { part: id, link, published, units });
        }
    }
    let bits = |part: &T| part.pack().map(Unit::bits).collect::<Vec<_>>();
    let packed = bits(part);
    let is_unpacked = part.unpack(id, packed.iter().copied().map(T::Unit::of_bits));
    if is_unpacked && bits(part) == packed { Ok(()) } else { Err(GraphError::Packed(id)) }
}

/// Returns the number of units that a part publishes on a link, counted to one more than there are
/// to be: those that are the same whatever was in the buffer before.
fn published<T: Part>(part: &T, link: usize, units: u32) -> u32 {
    let buffer: Vec<_> = (0..=units).map(|_| T::Unit::shared_zero()).collect();
    let [over_zeros, over_ones] = [0, u64::MAX].map(|before| {
        for unit in &buffer {
            T::Unit::store(unit, T::Unit::of_bits(before));
        }
        part.publish(link, EdgeWriter::up_to(&buffer));
        buffer.iter().map(|unit| T::Unit::load(unit).bits()).collect::<Vec<_>>()
    });
    let same = over_zeros.iter().zip(&over_ones).take_while(|(zeros, ones)| zeros == ones);
    same.fold(0, |units, _| units + 1)
}

/// An edge of an [`GraphMemory`]: the part `from` publishes for the part `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Who publishes.
    pub from: SubdomainId,
    /// Who reads.
    pub to: SubdomainId,
    /// Number of units.
    pub units: u32,
}

/// A graph in slices that owns them.
#[derive(Clone, Debug)]
pub struct GraphMemory {
    starts: Vec<u32>,
    links: Vec<Link>,
    cells: Vec<u32>,
}

impl GraphMemory {
    /// Returns the graph of parts with these numbers of cells and these edges. An edge without one
    /// back gets an empty one. The links of a part are in the order of its neighbours' numbers.
    pub fn new(cells: Vec<u32>, edges: impl IntoIterator<Item = Edge>) -> Result<Self, GraphError> {
        let mut units = BTreeMap::new();
        for Edge { from, to, units: of_edge } in edges {
            match units.entry((from, to)) {
                Entry::Vacant(entry) => entry.insert(of_edge),
                Entry::Occupied(_) => return Err(GraphError::Twice(from, to)),
            };
        }
        let reverse: Vec<_> = units.keys().map(|&(from, to)| (to, from)).collect();
        for edge in reverse {
            units.entry(edge).or_insert(0);
        }
        // The links of a part lie side by side; that of an edge is its place in the row.
        let mut starts = alloc::vec![0_u32; cells.len() + 1];
        let mut places = BTreeMap::new();
        for &(from, to) in units.keys() {
            let degree = starts.get_mut(from.index() + 1).ok_or(GraphError::NoPart(from))?;
            places.insert((from, to), *degree);
            *degree += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let links = units.iter().map(|(&(from, to), &units)| {
            let back = places.get(&(to, from)).copied().unwrap_or(0);
            Link { to, back, units }
        });
        Ok(Self { links: links.collect(), starts, cells })
    }

    /// Returns the graph, for parts with at most `N` links.
    pub fn lend<const N: usize>(&self) -> Result<SliceGraph<'_, N>, GraphError> {
        SliceGraph::new(&self.starts, &self.links, &self.cells)
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::parts::halo::EdgeReader;

    /// Parts with as many units on each edge, a pair of links a pair of numbers.
    fn joined(parts: usize, pairs: &[(u32, u32)], units: u32) -> GraphMemory {
        let edges = pairs.iter().map(|&(from, to)| {
            let [from, to] = [from, to].map(SubdomainId);
            Edge { from, to, units }
        });
        GraphMemory::new(vec![1; parts], edges).unwrap()
    }

    #[test]
    fn parts_that_no_path_leads_to_are_found() {
        let checked = |pairs: &[(u32, u32)]| {
            let graph = joined(5, pairs, 1);
            check_connected(&graph.lend::<3>().unwrap())
        };
        assert_eq!(checked(&[(0, 4), (4, 1), (1, 3), (3, 2)]), Ok(()));
        let apart = Err(GraphError::Unreachable(SubdomainId(2)));
        assert_eq!(checked(&[(0, 1), (2, 3), (3, 4)]), apart);
        assert_eq!(
            checked(&[(1, 2), (2, 3), (3, 4)]),
            Err(GraphError::Unreachable(SubdomainId(1)))
        );
    }

    #[test]
    fn a_diameter_that_is_too_small_is_found() {
        struct Row(u64);
        impl Graph<2> for Row {
            fn parts(&self) -> u32 {
                5
            }
            fn neighbours(&self, part: SubdomainId) -> [Option<SubdomainId>; 2] {
                let next = part.0 + 1;
                [part.0.checked_sub(1), (next < 5).then_some(next)].map(|id| id.map(SubdomainId))
            }
            fn size(&self, _: SubdomainId) -> [u32; 2] {
                [1, 1]
            }
            fn diameter(&self) -> u64 {
                self.0
            }
        }
        assert_eq!(check_connected(&Row(4)), Ok(()));
        let part = SubdomainId(4);
        let found = Err(GraphError::Diameter { part, links: 4, diameter: 3 });
        assert_eq!(check_connected(&Row(3)), found);
    }

    #[test]
    fn edges_that_no_memory_holds_are_found() {
        let graph = joined(2, &[(0, 1)], u32::MAX);
        let graph = graph.lend::<1>().unwrap();
        let checked = |here, available| {
            check_memory::<f64, _, 1>(&graph, (0..here).map(SubdomainId), available)
        };
        let needed = u64::from(u32::MAX) * 8 * EDGE_BUFFERS as u64;
        let refused = Err(GraphError::Memory { needed, available: needed - 1 });
        assert_eq!(checked(2, needed - 1), refused);
        assert_eq!((checked(2, needed), checked(0, 0)), (Ok(()), Ok(())));
    }

    /// Publishes as many units as it says; packs one, and adds something as it unpacks.
    struct Loose {
        published: usize,
        adds: u32,
        own: u32,
    }

    impl Part for Loose {
        type Unit = u32;
        fn publish(&self, _: usize, edge: EdgeWriter<'_, u32>) {
            edge.write((7..).take(self.published));
        }
        fn read(&mut self, _: usize, _: EdgeReader<'_, u32>) {}
        fn update(&mut self, _: bool) -> Option<f64> {
            None
        }
        fn residual(&mut self) -> f64 {
            0.0
        }
        fn pack(&self) -> impl Iterator<Item = u32> {
            [self.own].into_iter()
        }
        fn unpack(&mut self, _: SubdomainId, mut units: impl Iterator<Item = u32>) -> bool {
            self.own = units.next().unwrap_or(0) + self.adds;
            self.adds < 2
        }
    }

    #[test]
    fn a_part_that_breaks_its_promise_is_found() {
        let graph = joined(2, &[(0, 1)], 3);
        let graph = graph.lend::<1>().unwrap();
        let (from, to) = (SubdomainId(0), SubdomainId(1));
        let checked =
            |id, published, adds| check_part(&graph, id, &mut Loose { published, adds, own: 1 });
        let other = |published| GraphError::Published { part: from, link: 0, published, units: 3 };
        assert_eq!(checked(from, 3, 0), Ok(()));
        assert_eq!(checked(from, 0, 0), Err(other(0)));
        assert_eq!(checked(from, 2, 0), Err(other(2)));
        assert_eq!(checked(from, 9, 0), Err(other(4)));
        // Nobody reads what it publishes on the way back, which has no units.
        assert_eq!(checked(to, 9, 0), Ok(()));
        assert_eq!(checked(to, 0, 1), Err(GraphError::Packed(to)), "another one");
        assert_eq!(checked(to, 0, 2), Err(GraphError::Packed(to)), "refused");
    }

    #[test]
    fn edges_become_links_there_and_back() {
        let edge = |(from, to, units)| Edge { from: SubdomainId(from), to: SubdomainId(to), units };
        let graph = GraphMemory::new(vec![1; 3], [(0, 2, 3), (2, 0, 4), (1, 2, 5)].map(edge));
        let graph = graph.unwrap();
        let lent = graph.lend::<2>().unwrap();
        let link = |to, back, units| Link { to: SubdomainId(to), back, units };
        let links = [0, 1, 2].map(|part| lent.links(SubdomainId(part)).to_vec());
        assert_eq!(links[..2], [vec![link(2, 0, 3)], vec![link(2, 1, 5)]]);
        assert_eq!(links[2], [link(0, 0, 4), link(1, 0, 0)]);
        let degree = GraphError::Degree { part: SubdomainId(2), links: 2, most: 1 };
        assert_eq!(graph.lend::<1>().err(), Some(degree));
        let twice = GraphMemory::new(vec![1; 2], [(0, 1, 3), (0, 1, 4)].map(edge)).err();
        assert_eq!(twice, Some(GraphError::Twice(SubdomainId(0), SubdomainId(1))));
        let beyond = GraphMemory::new(vec![1; 2], [(0, 2, 3)].map(edge)).err();
        assert_eq!(beyond, Some(GraphError::NoPart(SubdomainId(2))));
    }
}
