//! The memory of what all parts of a graph publish, and of a graph in slices, for hosts with an
//! allocator.

use crate::base::unit::Unit;
use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;
use core::array;

use super::halo::{EDGE_BUFFERS, HaloTag, Head, Publication};
use super::{Graph, GraphError, Link, SliceGraph};
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
