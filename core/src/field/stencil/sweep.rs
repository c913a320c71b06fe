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

/// Sets every interior cell to a quarter of (up + down + left + right + source), and `layout` to
/// where the interior lies then.
///
/// `cells` and `source` have the given `layout` (the source that of [`Layout::new`], wherever the
/// cells are). `source` is the right-hand side f of −Δu = f, already multiplied by the squared
/// mesh width; none is zero. The ring belongs to the old place: its cells at the new place must be
/// set again (see [`Layout`]). `relax` is [`relax_row`](super::relax_row) as the host compiled it.
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

/// Sweeps as [`sweep`] does, and returns the sum of squares of the residual on the interior before
/// it: up + down + left + right + source − 4 · centre.
///
/// Squares are summed in `F` over at most 64 cells of a lane, then in double precision: the
/// relative error of the sum is below 1e-5 for single precision however large the grid is.
/// `relax` is [`relax_row_and_square`](super::relax_row_and_square) as the host compiled it.
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

/// Returns the function of an interior row that gives its source, if there is one.
#[inline(always)]
pub(super) fn source_row<'a, F>(
    layout: &Layout,
    source: Option<&'a [F]>,
) -> impl Fn(usize, bool) -> Option<&'a [F]> + use<'a, F> {
    let layout = layout.at_start();
    move |row, _| source.map(|source| layout.row(source, row))
}

/// Calls `relax` with (row beyond, row with halos, row on the other side, its terms) for every
/// interior row, in the order that leaves each old row alone for as long as it is needed. `terms`
/// are those of a row, which is relaxed onto the row above it or not.
#[inline(always)]
pub(super) fn each_row<F, T>(
    layout: &Layout,
    terms: impl Fn(usize, bool) -> T,
    cells: &mut [F],
    mut relax: impl FnMut(&mut [F], &[F], &[F], T),
) {
    for step in 0..layout.rows() {
        let upwards = layout.is_low();
        let row = if upwards { step } else { layout.rows() - 1 - step };
        let [above, centre, below] = layout.around(cells, row);
        let terms = terms(row, upwards);
        if upwards {
            relax(above, centre, below, terms);
        } else {
            relax(below, centre, above, terms);
        }
    }
}

/// Calls `relax` with (row to write, row beyond, row with halos, row on the other side, its terms)
/// for every interior row, in the order of [`each_row`]. The first is a row of other cells, whose
/// layout is as large; those that are read stay as they are.
#[inline(always)]
pub(super) fn each_row_into<F, T>(
    (to_layout, to): (&Layout, &mut [F]),
    (layout, cells): (&Layout, &[F]),
    terms: impl Fn(usize, bool) -> T,
    mut relax: impl FnMut(&mut [F], &[F], &[F], &[F], T),
) {
    for step in 0..layout.rows() {
        let upwards = layout.is_low();
        let row = if upwards { step } else { layout.rows() - 1 - step };
        let [above, centre, below] = layout.rows_around(cells, row);
        let target = to_layout.row_mut(to, row);
        let terms = terms(row, upwards);
        if upwards {
            relax(target, above, centre, below, terms);
        } else {
            relax(target, below, centre, above, terms);
        }
    }
}
