//! One subdomain's own memory: its cells, its part of the boundary, and the terms of its equation;
//! and what it does as a part among others ([`StencilPart`]).

mod edges;
mod stencil_part;

pub use edges::{edges_of, halo_of};
pub use stencil_part::StencilPart;

use crate::base::table::At;
use crate::field::grid::Side;
use crate::field::stencil::{Layout, Real, Terms};

/// The cells that only the subdomain's holder touches; the memory is lent by the host.
///
/// The halo cells beside a neighbour are overwritten before every sweep; those at the boundary of
/// the grid hold the boundary's values.
#[derive(Debug)]
pub struct Subdomain<'m, F> {
    layout: Layout,
    cells: &'m mut [F],
    terms: Terms<&'m mut [F]>,
    /// The boundary values along each side that has some, one after the other.
    boundary: &'m mut [F],
    /// Sides with boundary values: those without a neighbour.
    is_outer: [bool; 4],
    /// Whether the boundary values along each side are all equal.
    is_constant: [bool; 4],
}

/// State of a subdomain besides its memory; a new one after each sweep.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    layout: Layout,
    is_outer: [bool; 4],
    is_constant: [bool; 4],
}

impl Shape {
    /// Returns the shape of a subdomain that is not filled.
    pub const fn new(layout: Layout, is_outer: [bool; 4]) -> Self {
        Self { layout, is_outer, is_constant: [false; 4] }
    }

    /// Returns the layout of the cells in memory.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the number of boundary values.
    pub fn boundary_len(&self) -> usize {
        boundary_len(&self.layout, self.is_outer)
    }
}

impl<'m, F: Real> Subdomain<'m, F> {
    /// Returns a subdomain on lent memory: [`Layout::len`] cells each for its cells and its terms,
    /// and [`boundary_len`] values for its outer sides, those at the boundary of the grid.
    /// `is_outer` is indexed by [`Side::index`].
    pub fn new(
        layout: Layout,
        cells: &'m mut [F],
        terms: Terms<&'m mut [F]>,
        boundary: &'m mut [F],
        is_outer: [bool; 4],
    ) -> Self {
        Self::resume(Shape::new(layout, is_outer), cells, terms, boundary)
    }

    /// Returns the subdomain that was left in this shape, on the same memory.
    pub fn resume(
        shape: Shape,
        cells: &'m mut [F],
        terms: Terms<&'m mut [F]>,
        boundary: &'m mut [F],
    ) -> Self {
        let Shape { layout, is_outer, is_constant } = shape;
        let subdomain = Self { layout, cells, terms, boundary, is_outer, is_constant };
        debug_assert!(
            subdomain.has_room(&layout, is_outer),
            "a subdomain has less memory than its layout needs"
        );
        subdomain
    }

    /// Sets all cells: `initial(row, column)` and `source(row, column)` of the interior, and
    /// `boundary(side, index)` of the cells along each side. Face weights stay as they are
    /// ([`Subdomain::weigh`]).
    pub fn fill(
        &mut self,
        initial: impl Fn(usize, usize) -> F,
        source: impl Fn(usize, usize) -> F,
        boundary: impl Fn(Side, usize) -> F,
    ) {
        let mut rest = &mut *self.boundary;
        for side in outer_sides(self.is_outer) {
            let (values, others) = rest.cut_mut(self.layout.side(side));
            set_by_index(values.iter_mut(), |index| boundary(side, index));
            if let Some(is_constant) = self.is_constant.get_mut(side.index()) {
                *is_constant = values.windows(2).all(|pair| pair.first() == pair.last());
            }
            rest = others;
        }
        self.set_boundary();
        fill_interior(&self.layout, self.cells, initial);
        if let Some(cells) = &mut self.terms.source {
            fill_interior(&self.layout.at_start(), cells, source);
        }
    }

    /// Sets the weights of all faces, if there is memory for them. `vertical(row, column)` is the
    /// weight of the face above a cell, also for the row after the last one; `horizontal(row,
    /// column)` that of the face to its left, also for the column after the last one.
    pub fn weigh(
        &mut self,
        vertical: impl Fn(usize, usize) -> F,
        horizontal: impl Fn(usize, usize) -> F,
    ) {
        let layout = self.layout.at_start();
        let Some(faces) = &mut self.terms.faces else { return };
        fill_interior(&layout, faces.vertical, &vertical);
        set_by_index(layout.bottom_mut(faces.vertical).iter_mut(), |column| {
            vertical(layout.rows(), column)
        });
        fill_interior(&layout, faces.horizontal, &horizontal);
        set_by_index(layout.right_mut(faces.horizontal), |row| horizontal(row, layout.columns()));
    }

    /// Gives the subdomain another size and place in the grid, in the same memory;
    /// [`Subdomain::fill`] must follow. Returns false, and changes nothing, where the memory is too
    /// small.
    pub fn refit(&mut self, layout: Layout, is_outer: [bool; 4]) -> bool {
        let has_room = self.has_room(&layout, is_outer);
        if has_room {
            (self.layout, self.is_outer, self.is_constant) = (layout, is_outer, [false; 4]);
        }
        has_room
    }

    /// Copies all of another subdomain but its interior and its halos. Returns false, and changes
    /// nothing, where the memory is too small or lacks a term.
    pub fn assume(&mut self, other: &Self) -> bool {
        let number = |terms: &Terms<&mut [F]>| terms.as_ref().into_each().count();
        if number(&self.terms) != number(&other.terms)
            || !self.has_room(&other.layout, other.is_outer)
        {
            return false;
        }
        for (to, from) in self.terms.as_mut().into_each().zip(other.terms.as_ref().into_each()) {
            copy(to.iter_mut(), from.iter());
        }
        copy(self.boundary.iter_mut(), other.boundary.iter());
        let Self { layout, is_outer, is_constant, .. } = *other;
        (self.layout, self.is_outer, self.is_constant) = (layout, is_outer, is_constant);
        self.set_boundary();
        true
    }

    /// Whether the memory holds the cells and terms of this layout, and the boundary values of its
    /// outer sides.
    fn has_room(&self, layout: &Layout, is_outer: [bool; 4]) -> bool {
        let fits = |cells: &[F]| layout.len() <= cells.len();
        fits(self.cells)
            && self.terms.as_ref().into_each().all(|cells| fits(cells))
            && boundary_len(layout, is_outer) <= self.boundary.len()
    }

    /// Returns the shape to be kept while the memory is not lent ([`Subdomain::resume`]).
    pub const fn shape(&self) -> Shape {
        let Self { layout, is_outer, is_constant, .. } = *self;
        Shape { layout, is_outer, is_constant }
    }

    /// Returns the layout of the cells in memory; another one after each sweep.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Returns the cells, in [`Subdomain::layout`].
    pub const fn cells(&self) -> &[F] {
        self.cells
    }

    /// Returns the interior cells, row by row.
    pub fn interior(&self) -> impl Iterator<Item = &F> {
        (0..self.layout.rows()).flat_map(|row| self.layout.row(self.cells, row))
    }

    /// Sets the interior cells, row by row; false where there are too few.
    pub fn set_interior(&mut self, cells: &mut impl Iterator<Item = F>) -> bool {
        let Self { layout, cells: to, .. } = self;
        (0..layout.rows()).all(|row| {
            layout.row_mut(to, row).iter_mut().all(|to| match cells.next() {
                Some(cell) => {
                    *to = cell;
                    true
                }
                None => false,
            })
        })
    }

    /// Returns all cells, to be overwritten with an earlier state.
    pub fn into_cells(self) -> &'m mut [F] {
        self.cells
    }

    /// Copies the edge of a neighbour in the same memory into the halo on `side`.
    #[inline(always)]
    pub fn copy_halo(&mut self, side: Side, neighbour: &Self) {
        let (own, to) = (&self.layout, &mut *self.cells);
        let (layout, from) = (&neighbour.layout, &*neighbour.cells);
        debug_assert_eq!(own.side(side), layout.side(side), "neighbours have different sides");
        let row = |row| layout.row(from, row);
        match side {
            Side::Top => copy_row(own.top_mut(to), row(layout.rows().saturating_sub(1))),
            Side::Bottom => copy_row(own.bottom_mut(to), row(0)),
            Side::Left => {
                copy(own.left_mut(to), layout.column(from, layout.columns().saturating_sub(1)));
            }
            Side::Right => copy(own.right_mut(to), layout.column(from, 0)),
        }
    }

    /// Sets the halo on `side` to the neighbour's edge, which is as long; cells go from the top or
    /// from the left.
    pub fn set_halo(&mut self, side: Side, edge: &[F]) {
        set_ring(&self.layout, self.cells, side, edge);
    }

    /// Sweeps all cells once by `sweep(layout, terms, cells)`, such as
    /// [`Kernel::sweep`](crate::field::stencil::Kernel::sweep), and then restores the boundary
    /// values.
    #[inline(always)]
    pub fn sweep<R>(&mut self, sweep: impl FnOnce(&mut Layout, Terms<&[F]>, &mut [F]) -> R) -> R {
        let terms = self.terms.as_ref().map(|cells| &**cells);
        let result = sweep(&mut self.layout, terms, self.cells);
        self.restore_boundary();
        result
    }

    /// Sweeps the cells of `other`, of which this is a copy, into the cells of this subdomain, by
    /// [`Kernel::sweep_into`](crate::field::stencil::Kernel::sweep_into) or the like. The interior
    /// ends where [`Subdomain::sweep`] moves it.
    #[inline(always)]
    pub fn sweep_from<R>(
        &mut self,
        other: &Self,
        sweep: impl FnOnce((&Layout, &mut [F]), (&Layout, Terms<&[F]>, &[F])) -> R,
    ) -> R {
        let layout = other.layout.swept();
        if self.layout != layout {
            self.layout = layout;
            for (side, values) in split_by_side(self.is_outer, &layout, self.boundary) {
                set_ring(&layout, self.cells, side, values);
            }
        }
        let terms = other.terms.as_ref().map(|cells| &**cells);
        sweep((&self.layout, self.cells), (&other.layout, terms, other.cells))
    }

    /// Writes the boundary values into the ghost cells for both positions that the interior can
    /// have in the buffer, before and after a sweep; those of the present position last, as the
    /// ghost columns of both overlap. Call it before filling the interior, in which one ghost row
    /// of the other position lies.
    fn set_boundary(&mut self) {
        for layout in [self.layout.swept(), self.layout] {
            for (side, values) in split_by_side(self.is_outer, &self.layout, self.boundary) {
                set_ring(&layout, self.cells, side, values);
            }
        }
    }

    /// Rewrites the boundary values that the sweep has displaced: the row that held interior cells
    /// before, and columns whose values are not all equal.
    #[inline(always)]
    fn restore_boundary(&mut self) {
        let uncovered = if self.layout.is_low() { Side::Top } else { Side::Bottom };
        for (side, values) in split_by_side(self.is_outer, &self.layout, self.boundary) {
            let is_column = matches!(side, Side::Left | Side::Right);
            let is_constant = self.is_constant.get(side.index()) == Some(&true);
            if side == uncovered || is_column && !is_constant {
                set_ring(&self.layout, self.cells, side, values);
            }
        }
    }

    /// Returns the sum of squares of the residual of the present cells and halos, calculated by
    /// `residual`.
    pub fn residual(&self, residual: impl FnOnce(&Layout, Terms<&[F]>, &[F]) -> f64) -> f64 {
        residual(&self.layout, self.terms.as_ref().map(|cells| &**cells), self.cells)
    }
}

/// Returns the number of boundary values of a subdomain, along the sides that are set in
/// `is_outer`.
pub fn boundary_len(layout: &Layout, is_outer: [bool; 4]) -> usize {
    outer_sides(is_outer).map(|side| layout.side(side)).sum()
}

/// Returns the sides that are set in `is_outer`.
#[inline(always)]
fn outer_sides(is_outer: [bool; 4]) -> impl Iterator<Item = Side> {
    Side::ALL.into_iter().zip(is_outer).filter_map(|(side, is_outer)| is_outer.then_some(side))
}

/// Splits the boundary values `values` by outer side.
#[inline(always)]
fn split_by_side<'v, F>(
    is_outer: [bool; 4],
    layout: &Layout,
    values: &'v [F],
) -> impl Iterator<Item = (Side, &'v [F])> {
    let mut rest = values;
    outer_sides(is_outer).map(move |side| {
        let (values, others) = rest.cut(layout.side(side));
        rest = others;
        (side, values)
    })
}

/// Sets each interior cell to `value(row, column)`.
fn fill_interior<F>(layout: &Layout, cells: &mut [F], value: impl Fn(usize, usize) -> F) {
    for row in 0..layout.rows() {
        let cells = layout.row_mut(cells, row);
        set_by_index(cells.iter_mut(), |column| value(row, column));
    }
}

/// Writes the values of one side into the ghost cells of the ring.
#[inline(always)]
fn set_ring<F: Real>(layout: &Layout, cells: &mut [F], side: Side, values: &[F]) {
    debug_assert_eq!(values.len(), layout.side(side), "the values of a side are not as long as it");
    match side {
        Side::Top => copy_row(layout.top_mut(cells), values),
        Side::Bottom => copy_row(layout.bottom_mut(cells), values),
        Side::Left => copy(layout.left_mut(cells), values),
        Side::Right => copy(layout.right_mut(cells), values),
    }
}

/// Copies a row by one block copy; does nothing where the lengths differ.
#[inline(always)]
fn copy_row<F: Copy>(to: &mut [F], from: &[F]) {
    if to.len() == from.len() {
        to.copy_from_slice(from);
    }
}

/// Copies cells one by one, as many as both sides have.
#[inline(always)]
fn copy<'a, F: Copy + 'a>(
    to: impl IntoIterator<Item = &'a mut F>,
    from: impl IntoIterator<Item = &'a F>,
) {
    to.into_iter().zip(from).for_each(|(to, from)| *to = *from);
}

/// Writes the values of `from`, one by one, as many as both sides have.
#[inline(always)]
fn set_each<'a, F: 'a>(to: impl IntoIterator<Item = &'a mut F>, from: impl IntoIterator<Item = F>) {
    to.into_iter().zip(from).for_each(|(to, from)| *to = from);
}

/// Sets each cell to `value(index)`, counted from 0.
fn set_by_index<'a, F: 'a>(cells: impl Iterator<Item = &'a mut F>, value: impl Fn(usize) -> F) {
    cells.enumerate().for_each(|(index, cell)| *cell = value(index));
}
