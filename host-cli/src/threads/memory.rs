//! The memory of a run: allocated once, then lent.

use tresse_core::grid::{Decomposition, Side};
use tresse_core::id::{NodeId, SubdomainId};
use tresse_core::migration::HaloTag;
use tresse_core::owned::CellMemory;
use tresse_core::shared::{EDGE_BUFFERS, Handover, Head, Publication, SharedReal};
use tresse_core::subdomain::Subdomain;

/// Cells and edges of all subdomains.
pub(super) struct SubdomainMemory<F: SharedReal> {
    cells: CellMemory<F>,
    heads: Vec<Head>,
    edges: Vec<[Vec<F::Shared>; 4]>,
}

impl<F: SharedReal> SubdomainMemory<F> {
    /// Memory for every subdomain of `decomposition`; `has_source` says whether a source term is
    /// kept.
    pub(super) fn allocate(decomposition: &Decomposition, has_source: bool) -> Self {
        let cells = CellMemory::allocate(decomposition, has_source);
        let edges = decomposition.ids().zip(cells.layouts()).map(|(id, layout)| {
            Side::ALL.map(|side| {
                let has_neighbour = decomposition.neighbour(id, side).is_some();
                let length = if has_neighbour { EDGE_BUFFERS * layout.side(side) } else { 0 };
                (0..length).map(|_| F::shared_zero()).collect()
            })
        });
        let heads: Vec<_> = decomposition.ids().map(|_| Head::new()).collect();
        Self { edges: edges.collect(), heads, cells }
    }

    /// What the workers share: each subdomain's cells, to be taken, and its publication.
    pub(super) fn lend(&mut self) -> (Vec<Handover<Subdomain<'_, F>>>, Vec<Publication<'_, F>>) {
        let (heads, edges) = (&self.heads, &self.edges);
        let publications =
            (0..).map(SubdomainId).zip(heads).zip(edges).map(|((id, head), edges)| {
                let edges = edges.each_ref().map(Vec::as_slice);
                let publication = Publication::new(head.words(), edges);
                publication.admit(HaloTag { subdomain: id, owner: NodeId(0) });
                publication
            });
        (self.cells.lend().map(Handover::new).collect(), publications.collect())
    }
}
