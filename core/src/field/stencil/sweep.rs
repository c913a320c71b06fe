//! One Jacobi sweep in one array: each row is relaxed onto the row beyond.
//!
//! The buffer has one row more than the subdomain needs. A sweep from the top writes each new row
//! over the old row above it, which nobody needs any more, so that the interior moves up by one
//! row; the next sweep starts at the bottom and moves it down again. Compared with two arrays,
//! half the cells are kept in cache, and from memory two thirds of the bytes are moved (the
//! "compressed grid" of G. Wellein et al., 2009).

use super::layout::Layout;
use super::sum::SumOfSquares;
use crate::base::real::Real;

/// Makes one Jacobi sweep in place: sets every interior cell to a quarter of (up + down + left +
/// right + source), and `layout` to the new position of the interior.
///
/// `cells` are in the given `layout`, and `source` in that of [`Layout::new`]. `source` is the
/// right-hand side f of −Δu = f times the squared mesh width; none is zero. The ring stays at the
/// old position, so its cells must be set again (see [`Layout`]). `relax` is
/// [`relax_row`](super::relax_row) as the host compiled it.
#[inline(always)]
pub fn sweep<F: Real>(
    layout: &mut Layout,
    source: Option<&[F]>,
    cells: &mut [F],
    relax: impl Fn(&mut [F], &[F], &[F], Option<&[F]>),
) {
    each_row(layout, source_row(layout, source), cells, relax);
    *layout = layout.swept();
}

/// Sweeps as [`sweep`] does, and returns the sum of squares of the residual of the interior before:
/// up + down + left + right + source − 4 · centre.
///
/// Squares are summed in `F` over at most 64 cells of a lane, then in double precision: the
/// relative error of the sum is below 1e-5 for single precision, however large the grid is. `relax`
/// is [`relax_row_and_square`](super::relax_row_and_square) as the host compiled it.
#[inline(always)]
pub fn sweep_with_residual<F: Real>(
    layout: &mut Layout,
    source: Option<&[F]>,
    cells: &mut [F],
    relax: impl Fn(&mut [F], &[F], &[F], Option<&[F]>, &mut SumOfSquares),
) -> f64 {
    let mut changes = SumOfSquares::default();
    each_row(layout, source_row(layout, source), cells, |target, centre, other, source| {
        relax(target, centre, other, source, &mut changes);
    });
    *layout = layout.swept();
    // A quarter is exact, so a change is a quarter of the residual to the bit (above the smallest
    // numbers).
    16.0 * changes.total()
}

/// The direction in which a sweep moves the interior, by one row.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    /// From the top, each row onto the row above it.
    Up,
    /// From the bottom, each row onto the row below it.
    Down,
}

impl Direction {
    /// Returns the direction of the next sweep of cells in this layout.
    #[inline(always)]
    const fn of(layout: &Layout) -> Self {
        if layout.is_low() { Self::Up } else { Self::Down }
    }

    /// Whether each row is relaxed onto the row above it.
    #[inline(always)]
    pub const fn is_up(self) -> bool {
        matches!(self, Self::Up)
    }

    /// Returns the interior row that the sweep comes to in this step; both are counted from 0.
    #[inline(always)]
    const fn row(self, step: usize, rows: usize) -> usize {
        if self.is_up() { step } else { rows - 1 - step }
    }
}

/// Returns the `terms` of [`each_row`] for the plain stencil: the source of an interior row, if
/// there is one.
#[inline(always)]
pub(super) fn source_row<'a, F>(
    layout: &Layout,
    source: Option<&'a [F]>,
) -> impl Fn(usize, Direction) -> Option<&'a [F]> + use<'a, F> {
    let layout = layout.at_start();
    move |row, _| source.map(|source| layout.row(source, row))
}

/// Calls `relax(target, centre, other, terms)` for every interior row, in the order in which no old
/// row is overwritten before its last use. `target` is the row beyond, which is overwritten;
/// `centre` is the row itself with a ghost cell at each end; `other` is the row on the other side.
/// `terms` returns what the equation of a row has besides its cells.
#[inline(always)]
pub(super) fn each_row<F, T>(
    layout: &Layout,
    terms: impl Fn(usize, Direction) -> T,
    cells: &mut [F],
    mut relax: impl FnMut(&mut [F], &[F], &[F], T),
) {
    for step in 0..layout.rows() {
        let direction = Direction::of(layout);
        let row = direction.row(step, layout.rows());
        let [above, centre, below] = layout.around(cells, row);
        let terms = terms(row, direction);
        if direction.is_up() {
            relax(above, centre, below, terms);
        } else {
            relax(below, centre, above, terms);
        }
    }
}

/// Calls `relax(target, beyond, centre, other, terms)` for every interior row, in the order of
/// [`each_row`]. `target` is the row in the separate cells `to`, whose layout is as large; `cells`
/// are only read, so the row beyond is a row of its own.
#[inline(always)]
pub(super) fn each_row_into<F, T>(
    (to_layout, to): (&Layout, &mut [F]),
    (layout, cells): (&Layout, &[F]),
    terms: impl Fn(usize, Direction) -> T,
    mut relax: impl FnMut(&mut [F], &[F], &[F], &[F], T),
) {
    for step in 0..layout.rows() {
        let direction = Direction::of(layout);
        let row = direction.row(step, layout.rows());
        let [above, centre, below] = layout.rows_around(cells, row);
        let target = to_layout.row_mut(to, row);
        let terms = terms(row, direction);
        if direction.is_up() {
            relax(target, above, centre, below, terms);
        } else {
            relax(target, below, centre, above, terms);
        }
    }
}
