//! The memory of a run: allocated once, then lent.

use tresse_core::grid::{Decomposition, Side};
use tresse_core::shared::{Handover, Publication, SharedReal};
use tresse_core::stencil::{ALIGNMENT, Layout};
use tresse_core::subdomain::Subdomain;

/// Cells and edges of all subdomains, not yet touched: each worker writes its own first, so that
/// the system places them on its socket.
pub(super) struct Memory<F: SharedReal> {
    layouts: Vec<Layout>,
    current: Vec<Vec<F>>,
    next: Vec<Vec<F>>,
    source: Vec<Vec<F>>,
    edges: Vec<[Vec<F::Shared>; 4]>,
}

impl<F: SharedReal> Memory<F> {
    /// Memory for every subdomain of `decomposition`; `has_source` says whether a source term is
    /// kept. Subdomains whose layout does not exist (none do after validation) are left out.
    pub(super) fn allocate(decomposition: &Decomposition, has_source: bool) -> Self {
        let layouts: Vec<_> = decomposition
            .ids()
            .filter_map(|id| {
                let size = decomposition.part(id).size;
                Layout::new(size.rows, size.columns)
            })
            .collect();
        let cells = |layout: &Layout| vec![F::ZERO; layout.len() + ALIGNMENT];
        let edge = |id, side, layout| {
            let neighbour = decomposition.neighbour(id, side);
            let length = neighbour.map_or(0, |_| Publication::<F>::cells(layout, side));
            (0..length).map(|_| F::shared_zero()).collect()
        };
        Self {
            current: layouts.iter().map(cells).collect(),
            next: layouts.iter().map(cells).collect(),
            source: if has_source { layouts.iter().map(cells).collect() } else { Vec::new() },
            edges: decomposition
                .ids()
                .zip(&layouts)
                .map(|(id, layout)| Side::ALL.map(|side| edge(id, side, layout)))
                .collect(),
            layouts,
        }
    }

    /// What the workers share: each subdomain's cells, to be taken, and its publication.
    pub(super) fn lend(&mut self) -> (Vec<Handover<Subdomain<'_, F>>>, Vec<Publication<'_, F>>) {
        let mut sources = self.source.iter_mut();
        let cells = self.layouts.iter().zip(&mut self.current).zip(&mut self.next);
        let subdomains = cells.map(|((layout, current), next)| {
            let source = sources.next().and_then(|source| layout.aligned(source));
            let current = layout.aligned(current).unwrap_or_default();
            let next = layout.aligned(next).unwrap_or_default();
            Handover::new(Subdomain::new(*layout, current, next, source))
        });
        let publications = self.edges.iter().map(|[top, bottom, left, right]| {
            Publication::new([top.as_slice(), bottom, left, right])
        });
        (subdomains.collect(), publications.collect())
    }
}
