//! The memory of a run: allocated once, then lent.

use tresse_core::grid::{Decomposition, Side};
use tresse_core::shared::{Handover, Publication, SLOTS, SharedReal};
use tresse_core::stencil::{ALIGNMENT, Layout};
use tresse_core::subdomain::Subdomain;

/// Cells, boundaries and edges of all subdomains, the cells not yet touched: each worker writes
/// its own first, so that the system places them on its socket.
pub(crate) struct Memory<F: SharedReal> {
    layouts: Vec<Layout>,
    cells: Vec<Vec<F>>,
    source: Vec<Vec<F>>,
    boundary: Vec<[Vec<F>; 4]>,
    edges: Vec<[Vec<F::Shared>; 4]>,
}

impl<F: SharedReal> Memory<F> {
    /// Memory for every subdomain of `decomposition`; `has_source` says whether a source term is
    /// kept. Subdomains whose layout does not exist (none do after validation) are left out.
    pub(crate) fn allocate(decomposition: &Decomposition, has_source: bool) -> Self {
        let parts = decomposition.ids().filter_map(|id| {
            let size = decomposition.part(id).size;
            Layout::new(size.rows, size.columns).map(|layout| (id, layout))
        });
        let (ids, layouts): (Vec<_>, Vec<_>) = parts.unzip();
        let cells = |layout: &Layout| vec![F::ZERO; layout.len() + ALIGNMENT];
        let sides = |(&id, layout)| Side::ALL.map(|side| (id, layout, side));
        let has_neighbour = |id, side| decomposition.neighbour(id, side).is_some();
        let boundary = |(id, layout, side): (_, &Layout, _)| {
            let length = if has_neighbour(id, side) { 0 } else { layout.side(side) };
            vec![F::ZERO; length]
        };
        let edge = |(id, layout, side): (_, &Layout, _)| {
            let length = if has_neighbour(id, side) { SLOTS * layout.side(side) } else { 0 };
            (0..length).map(|_| F::shared_zero()).collect()
        };
        Self {
            cells: layouts.iter().map(cells).collect(),
            source: if has_source { layouts.iter().map(cells).collect() } else { Vec::new() },
            boundary: ids.iter().zip(&layouts).map(|part| sides(part).map(boundary)).collect(),
            edges: ids.iter().zip(&layouts).map(|part| sides(part).map(edge)).collect(),
            layouts,
        }
    }

    /// What the workers share: each subdomain's cells, to be taken, and its publication.
    pub(crate) fn lend(&mut self) -> (Vec<Handover<Subdomain<'_, F>>>, Vec<Publication<'_, F>>) {
        let mut sources = self.source.iter_mut();
        let parts = self.layouts.iter().zip(&mut self.cells).zip(&mut self.boundary);
        let subdomains = parts.map(|((layout, cells), boundary)| {
            let source = sources.next().and_then(|source| layout.aligned(source));
            let cells = layout.aligned(cells).unwrap_or_default();
            let boundary = boundary.each_mut().map(Vec::as_mut_slice);
            Handover::new(Subdomain::new(*layout, cells, source, boundary))
        });
        let publications =
            self.edges.iter().map(|edges| Publication::new(edges.each_ref().map(Vec::as_slice)));
        (subdomains.collect(), publications.collect())
    }
}
