//! The memory of a run: allocated once, then lent.

use std::array;

use tresse_core::grid::Decomposition;
use tresse_core::halo::HaloTag;
use tresse_core::halo::{EDGE_BUFFERS, Head, Publication, SharedReal};
use tresse_core::id::{NodeId, SubdomainId};
use tresse_core::owned::CellMemory;
use tresse_core::part::Graph;
use tresse_core::shared::Handover;
use tresse_core::stencil::Terms;

use super::Cells;
use crate::engine::kernel::Kernel;

/// Memory of the edges and versions that the parts of a graph publish.
pub(super) struct EdgeMemory<F: SharedReal, const N: usize = 4> {
    heads: Vec<Head>,
    edges: Vec<[Vec<F::Shared>; N]>,
}

impl<F: SharedReal, const N: usize> EdgeMemory<F, N> {
    pub(super) fn allocate<G: Graph<N>>(graph: &G) -> Self {
        let parts = || (0..graph.parts()).map(SubdomainId);
        let edges = parts().map(|id| {
            let (neighbours, size) = (graph.neighbours(id), graph.size(id));
            array::from_fn(|link| {
                let edge = neighbours[link].map_or(0, |_| G::edge(size, link) as usize);
                (0..EDGE_BUFFERS * edge).map(|_| F::shared_zero()).collect()
            })
        });
        Self { edges: edges.collect(), heads: parts().map(|_| Head::new()).collect() }
    }

    /// Returns the publication of each part, in the order of their numbers.
    pub(super) fn lend(&self) -> Vec<Publication<'_, F, N>> {
        let memory = (0..).map(SubdomainId).zip(self.heads.iter().zip(&self.edges));
        let publications = memory.map(|(id, (head, edges))| {
            let publication = Publication::new(head.words(), edges.each_ref().map(Vec::as_slice));
            publication.admit(HaloTag { subdomain: id, owner: NodeId(0) });
            publication
        });
        publications.collect()
    }
}

/// Cells and edges of all subdomains.
pub(super) struct SubdomainMemory<F: SharedReal> {
    cells: CellMemory<F>,
    edges: EdgeMemory<F>,
}

impl<F: SharedReal> SubdomainMemory<F> {
    /// Memory for every subdomain of `decomposition`, and for these terms of the equation.
    pub(super) fn allocate(decomposition: &Decomposition, terms: Terms<()>) -> Self {
        let cells = CellMemory::allocate(decomposition, terms);
        Self { cells, edges: EdgeMemory::allocate(decomposition) }
    }

    /// Returns the memory that the workers share: each subdomain, to be taken, and its publication.
    pub(super) fn lend(&mut self) -> (Vec<Handover<Cells<'_, F>>>, Vec<Publication<'_, F>>) {
        let parts = self.cells.parts(Kernel::best()).map(Handover::new);
        (parts.collect(), self.edges.lend())
    }
}
