//! The memory of all subdomains' cells: allocated once, then lent.

use alloc::vec;
use alloc::vec::Vec;

use crate::base::bug::OrBug;
use crate::base::id::SubdomainId;
use crate::field::grid::Decomposition;
use crate::field::stencil::{ALIGNMENT, Layout, Real, Terms};
use crate::field::subdomain::{Shape, StencilPart, Subdomain};
use crate::run::GridSize;

/// The message of the bug that a subdomain cannot be laid out in memory.
const NO_LAYOUT: &str = "a subdomain has no layout";

/// Cells and boundaries of all subdomains, the cells not yet touched: whoever writes them first
/// decides on which socket the system places them.
#[derive(Debug)]
pub struct CellMemory<F> {
    shapes: Vec<Shape>,
    cells: Vec<Vec<F>>,
    terms: Vec<Terms<Vec<F>>>,
    boundary: Vec<Vec<F>>,
}

impl<F: Real> CellMemory<F> {
    /// Allocates memory for `number` subdomains of any size up to `size`, anywhere on the grid.
    /// `terms` says which terms of the equation there are.
    pub fn of_size(size: GridSize, number: usize, terms: Terms<()>) -> Self {
        let shape =
            Layout::new(size.rows, size.columns).map(|layout| Shape::new(layout, [true; 4]));
        Self::with(shape.map_or_else(Vec::new, |shape| vec![shape; number]), terms)
    }

    /// Allocates memory for every subdomain of a valid `decomposition`. `terms` says which terms of
    /// the equation there are.
    pub fn allocate(decomposition: &Decomposition, terms: Terms<()>) -> Self {
        let shapes = decomposition.ids().map(|id| {
            let size = decomposition.rectangle(id).size;
            let layout = Layout::new(size.rows, size.columns).or_bug(NO_LAYOUT);
            Shape::new(layout, outer_sides(decomposition, id))
        });
        Self::with(shapes.collect(), terms)
    }

    /// Allocates zeroed cells, terms and boundary values for subdomains of these shapes; buffers
    /// have [`ALIGNMENT`] spare cells.
    fn with(shapes: Vec<Shape>, terms: Terms<()>) -> Self {
        let cells = |shape: &Shape| vec![F::ZERO; shape.layout().len() + ALIGNMENT];
        Self {
            cells: shapes.iter().map(cells).collect(),
            terms: shapes.iter().map(|shape| terms.map(|()| cells(shape))).collect(),
            boundary: shapes.iter().map(|shape| vec![F::ZERO; shape.boundary_len()]).collect(),
            shapes,
        }
    }

    /// Lends the subdomains in the order of their numbers, in the shapes that were kept last
    /// ([`CellMemory::keep`]).
    pub fn lend(&mut self) -> impl Iterator<Item = Subdomain<'_, F>> {
        let memory = self.cells.iter_mut().zip(&mut self.terms).zip(&mut self.boundary);
        self.shapes.iter().zip(memory).map(|(shape, ((cells, terms), boundary))| {
            let aligned = |cells| shape.layout().aligned(cells);
            let terms = terms.as_mut().map(|cells| aligned(cells));
            Subdomain::resume(*shape, aligned(cells), terms, boundary)
        })
    }

    /// Records the present shapes of the subdomains, in the order of their numbers, so that they
    /// can be lent again.
    pub fn keep(&mut self, shapes: impl IntoIterator<Item = Shape>) {
        self.shapes.iter_mut().zip(shapes).for_each(|(place, shape)| *place = shape);
    }

    /// Lends the subdomains, as [`CellMemory::lend`] does, as parts under the stencil.
    pub fn parts<K: Copy>(&mut self, kernel: K) -> impl Iterator<Item = StencilPart<'_, F, K>> {
        self.lend().map(move |subdomain| StencilPart::new(subdomain, kernel))
    }
}

/// Returns the sides of a subdomain that are at the boundary of the grid, by [`Side::index`].
fn outer_sides(decomposition: &Decomposition, id: SubdomainId) -> [bool; 4] {
    decomposition.neighbours(id).map(|neighbour| neighbour.is_none())
}

/// Gives a subdomain the size and the sides of `id`; false where its memory is too small.
pub fn refit<F: Real>(
    decomposition: &Decomposition,
    id: SubdomainId,
    subdomain: &mut Subdomain<'_, F>,
) -> bool {
    let size = decomposition.rectangle(id).size;
    Layout::new(size.rows, size.columns)
        .is_some_and(|layout| subdomain.refit(layout, outer_sides(decomposition, id)))
}
