//! One subdomain's own memory: two copies of its cells, and its source term.

use crate::grid::Side;
use crate::schedule::Wanted;
use crate::shared::{Publication, SharedReal};
use crate::stencil::{Layout, Real};

/// The cells that only the subdomain's holder touches; the memory is lent by the host.
///
/// The halo cells beside a neighbour are overwritten before every sweep; those at the boundary of
/// the grid hold the boundary's values for good.
#[derive(Debug)]
pub struct Subdomain<'m, F> {
    layout: Layout,
    current: &'m mut [F],
    next: &'m mut [F],
    source: Option<&'m mut [F]>,
}

impl<'m, F: SharedReal> Subdomain<'m, F> {
    /// A subdomain on three pieces of memory of [`Layout::len`] cells each; without `source`, the
    /// source term is zero.
    pub fn new(
        layout: Layout,
        current: &'m mut [F],
        next: &'m mut [F],
        source: Option<&'m mut [F]>,
    ) -> Self {
        Self { layout, current, next, source }
    }

    /// Sets every cell: `initial` and `source` of (row, column), `boundary` of (side, cell on it).
    pub fn fill(
        &mut self,
        initial: impl Fn(usize, usize) -> F,
        source: impl Fn(usize, usize) -> F,
        boundary: impl Fn(Side, usize) -> F,
    ) {
        let layout = self.layout;
        let interior = |cells: &mut [F], value: &dyn Fn(usize, usize) -> F| {
            for row in 0..layout.rows() {
                let cells = layout.row_mut(cells, row).unwrap_or_default();
                for (column, cell) in cells.iter_mut().enumerate() {
                    *cell = value(row, column);
                }
            }
        };
        for cells in [&mut *self.current, &mut *self.next] {
            interior(cells, &initial);
            set(layout.top_mut(cells), |index| boundary(Side::Top, index));
            set(layout.bottom_mut(cells), |index| boundary(Side::Bottom, index));
            set(layout.left_mut(cells), |index| boundary(Side::Left, index));
            set(layout.right_mut(cells), |index| boundary(Side::Right, index));
        }
        if let Some(cells) = &mut self.source {
            interior(cells, &source);
        }
    }

    /// Where the cells lie in memory.
    pub const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The newest cells, in [`Subdomain::layout`].
    pub const fn cells(&self) -> &[F] {
        self.current
    }

    /// The cells before the last sweep, in [`Subdomain::layout`].
    pub const fn cells_before(&self) -> &[F] {
        self.next
    }

    /// The newest cells, to write halos.
    pub const fn cells_mut(&mut self) -> &mut [F] {
        self.current
    }

    /// Reads a neighbour's edge into the halo on `side`; see [`Publication::read_into`].
    #[inline]
    pub fn read_halo(
        &mut self,
        side: Side,
        neighbour: &Publication<'_, F>,
        wanted: Wanted,
    ) -> Option<u64> {
        neighbour.read_into(side, &self.layout, self.current, wanted)
    }

    /// Sweeps all cells once, with [`crate::stencil::sweep`] or its like as the host compiled it:
    /// a function of layout, source, current and next cells.
    #[inline]
    pub fn sweep<R>(
        &mut self,
        sweep: impl FnOnce(&Layout, Option<&[F]>, &[F], &mut [F]) -> R,
    ) -> R {
        let result = sweep(&self.layout, self.source.as_deref(), self.current, self.next);
        core::mem::swap(&mut self.current, &mut self.next);
        result
    }

    /// The sum of squares of the residual of the newest cells with the halos as they are.
    pub fn residual(&self, residual: impl FnOnce(&Layout, Option<&[F]>, &[F]) -> f64) -> f64 {
        residual(&self.layout, self.source.as_deref(), self.current)
    }
}

fn set<'a, F: Real + 'a>(cells: impl IntoIterator<Item = &'a mut F>, value: impl Fn(usize) -> F) {
    for (index, cell) in cells.into_iter().enumerate() {
        *cell = value(index);
    }
}
