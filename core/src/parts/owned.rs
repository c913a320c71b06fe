//! The memory of what all parts of a graph publish, for hosts with an allocator.

use crate::base::unit::Unit;
use alloc::vec::Vec;
use core::array;

use super::Graph;
use super::halo::{EDGE_BUFFERS, HaloTag, Head, Publication};
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
                let edge = neighbours.at(link).map_or(0, |_| G::edge(size, link) as usize);
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
