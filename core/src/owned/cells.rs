//! The memory of all subdomains' cells: allocated once, then lent.

use alloc::vec;
use alloc::vec::Vec;

use crate::grid::Decomposition;
use crate::id::SubdomainId;
use crate::stencil::{ALIGNMENT, Layout, Real};
use crate::subdomain::{StencilPart, Subdomain, boundary_len};

/// Cells and boundaries of all subdomains, the cells not yet touched: whoever writes them first
/// decides on which socket the system places them.
#[derive(Debug)]
pub struct CellMemory<F> {
    layouts: Vec<Layout>,
    cells: Vec<Vec<F>>,
    source: Vec<Vec<F>>,
    boundary: Vec<Vec<F>>,
    is_outer: Vec<[bool; 4]>,
}

impl<F: Real> CellMemory<F> {
    /// Memory for `number` subdomains of any size up to these rows and columns, anywhere on the grid.
    pub fn of_size((rows, columns): (usize, usize), number: usize, has_source: bool) -> Self {
        let layouts =
            Layout::new(rows, columns).map_or_else(Vec::new, |layout| vec![layout; number]);
        let is_outer = vec![[true; 4]; layouts.len()];
        Self::with(layouts, is_outer, has_source)
    }

    /// Memory for every subdomain of `decomposition`; `has_source` says whether a source term is
    /// kept. Subdomains whose layout does not exist (none do after validation) are left out.
    pub fn allocate(decomposition: &Decomposition, has_source: bool) -> Self {
        let parts = decomposition.ids().filter_map(|id| {
            let size = decomposition.rectangle(id).size;
            Layout::new(size.rows, size.columns).map(|layout| (id, layout))
        });
        let (ids, layouts): (Vec<_>, Vec<_>) = parts.unzip();
        let is_outer = ids.iter().map(|id| outer_sides(decomposition, *id)).collect();
        Self::with(layouts, is_outer, has_source)
    }

    fn with(layouts: Vec<Layout>, is_outer: Vec<[bool; 4]>, has_source: bool) -> Self {
        let cells = |layout: &Layout| vec![F::ZERO; layout.len() + ALIGNMENT];
        let boundary = |(layout, &is_outer)| vec![F::ZERO; boundary_len(layout, is_outer)];
        Self {
            cells: layouts.iter().map(cells).collect(),
            source: if has_source { layouts.iter().map(cells).collect() } else { Vec::new() },
            boundary: layouts.iter().zip(&is_outer).map(boundary).collect(),
            is_outer,
            layouts,
        }
    }

    /// The layout of each subdomain.
    pub fn layouts(&self) -> &[Layout] {
        &self.layouts
    }

    /// The subdomains in the order of their numbers.
    pub fn lend(&mut self) -> impl Iterator<Item = Subdomain<'_, F>> {
        let mut sources = self.source.iter_mut();
        let parts = self.layouts.iter().zip(&mut self.cells);
        let boundaries = self.boundary.iter_mut().zip(&self.is_outer);
        parts.zip(boundaries).map(move |((layout, cells), (boundary, &is_outer))| {
            let source = sources.next().and_then(|source| layout.aligned(source));
            let cells = layout.aligned(cells).unwrap_or_default();
            Subdomain::new(*layout, cells, source, boundary, is_outer)
        })
    }

    /// The same as parts under the stencil.
    pub fn parts<K: Copy>(&mut self, kernel: K) -> impl Iterator<Item = StencilPart<'_, F, K>> {
        self.lend().map(move |subdomain| StencilPart { subdomain, kernel })
    }
}

/// The sides of a subdomain that are at the boundary of the grid, by [`Side::index`].
fn outer_sides(decomposition: &Decomposition, id: SubdomainId) -> [bool; 4] {
    decomposition.neighbours(id).map(|neighbour| neighbour.is_none())
}

/// Gives a subdomain, on memory that is large enough, the size and the sides of `id`; false where it is
/// not.
pub fn refit<F: Real>(
    decomposition: &Decomposition,
    id: SubdomainId,
    subdomain: &mut Subdomain<'_, F>,
) -> bool {
    let size = decomposition.rectangle(id).size;
    Layout::new(size.rows, size.columns)
        .is_some_and(|layout| subdomain.refit(layout, outer_sides(decomposition, id)))
}
