//! Sweeps and residuals where the coefficient differs from cell to cell: each neighbour counts by
//! the weight of the face that it is beyond.
//!
//! With the weights a, b, l and r of the faces above, below, to the left and to the right of a cell
//! and their sum w, its equation is `a·up + b·down + l·left + r·right + h²f − w·u = 0`: its left
//! side is the residual, and a sweep sets `u` to what solves it: 0 where all weights are 0, as in
//! a cell that is left out. With weights of 1 the cells are to the bit those of the plain stencil.

use super::layout::Layout;
use super::neighbourhood::Neighbourhood;
use super::sum::{BLOCK, SumOfSquares};
use super::sweep::{Direction, each_row};
use super::terms::Faces;
use crate::base::real::Real;
use crate::base::table::At;

/// The face weights and the source of a row of cells; all slices are as long as the row.
#[derive(Clone, Copy, Debug)]
pub struct RowWeights<'a, F> {
    /// Weights of the faces to the row beyond, which is written.
    pub beyond: &'a [F],
    /// Weights of the faces to the row on the other side.
    pub other: &'a [F],
    /// Weights of the faces to the left.
    pub left: &'a [F],
    /// Weights of the faces to the right.
    pub right: &'a [F],
    /// h²·f; none is zero.
    pub source: Option<&'a [F]>,
}

impl<'a, F> RowWeights<'a, F> {
    /// Returns the weights of an interior row, which is relaxed in this direction.
    #[inline(always)]
    pub(super) fn of(
        layout: &Layout,
        faces: Faces<&'a [F]>,
        source: Option<&'a [F]>,
        row: usize,
        direction: Direction,
    ) -> Self {
        let at = layout.at_start();
        let above = at.row_at(faces.vertical, row + 1, 1);
        let below = at.row_at(faces.vertical, row + 2, 1);
        let (beyond, other) = if direction.is_up() { (above, below) } else { (below, above) };
        Self {
            beyond,
            other,
            left: at.row_at(faces.horizontal, row + 1, 1),
            right: at.row_at(faces.horizontal, row + 1, 2),
            source: source.map(|source| at.row(source, row)),
        }
    }

    /// Returns, for each cell, the sum of the weights of its four faces.
    #[inline(always)]
    fn sums(&self) -> impl Iterator<Item = F> + use<'a, F>
    where
        F: Real,
    {
        let (vertical, horizontal) =
            (self.beyond.iter().zip(self.other), self.left.iter().zip(self.right));
        vertical
            .zip(horizontal)
            .map(|((beyond, other), (left, right))| (*beyond + *other) + (*left + *right))
    }

    /// Returns the weights of `cells` cells from cell `start` on.
    #[inline(always)]
    fn block(&self, start: usize, cells: usize) -> Self {
        let cut = |row: &'a [F]| row.stretch(start..).stretch(..cells);
        Self {
            beyond: cut(self.beyond),
            other: cut(self.other),
            left: cut(self.left),
            right: cut(self.right),
            source: self.source.map(cut),
        }
    }
}

/// Relaxes a row as [`relax_row`](super::relax_row) does, with weights: each cell becomes
/// `((wₜ·target + wₒ·other) + (wₗ·left + wᵣ·right) + source) / ((wₜ + wₒ) + (wₗ + wᵣ))` in this
/// order, or 0 where that is divided by 0.
///
/// The requirements of [`relax_row`](super::relax_row) on slices and functions hold here, too.
#[inline(always)]
pub fn relax_weighted_row<F: Real>(
    target: &mut [F],
    centre: &[F],
    other: &[F],
    weights: &RowWeights<'_, F>,
) {
    each_cell(target, centre, other, weights, |target, sum, weight| *target = solved(sum, weight));
}

/// Returns what solves the equation of a cell, of these weights in all; 0 where there are none.
#[inline(always)]
fn solved<F: Real>(sum: F, weight: F) -> F {
    let solved = sum / weight;
    if weight > F::ZERO { solved } else { F::ZERO }
}

/// Relaxes a row as [`relax_weighted_row`] does, and adds the squares of the cells' residuals
/// before that to `residuals`. A residual is the weighted sum of the neighbours and the source,
/// minus the old cell times the sum of its weights.
#[inline(always)]
pub fn relax_weighted_row_and_square<F: Real>(
    target: &mut [F],
    centre: &[F],
    other: &[F],
    weights: &RowWeights<'_, F>,
    residuals: &mut SumOfSquares,
) {
    let mut of_cells = [0.0; BLOCK];
    for (index, target) in target.chunks_mut(BLOCK).enumerate() {
        let (start, cells) = (index * BLOCK, target.len());
        let centre = centre.stretch(start..).stretch(..cells + 2);
        let other = other.stretch(start..).stretch(..cells);
        let weights = weights.block(start, cells);
        each_cell(target, centre, other, &weights, |target, sum, _| *target = sum);
        let of_cells = of_cells.stretch_mut(..cells);
        let old = centre.stretch(1..);
        let sums = target.iter_mut().zip(weights.sums()).zip(old);
        for (residual, ((target, weight), old)) in of_cells.iter_mut().zip(sums) {
            *residual = (*target - weight * *old).to_f64();
            *target = solved(*target, weight);
        }
        residuals.add_squares(of_cells);
    }
}

/// Calls `relax(target, sum, weight)` for each cell of a row: the cell to write, the weighted sum
/// of its neighbours and its source, and the sum of its weights.
#[inline(always)]
fn each_cell<F: Real>(
    target: &mut [F],
    centre: &[F],
    other: &[F],
    weights: &RowWeights<'_, F>,
    relax: impl Fn(&mut F, F, F),
) {
    debug_assert!(
        centre.len() == target.len() + 2 && other.len() == target.len(),
        "rows that are relaxed together have different lengths"
    );
    let right = centre.stretch(2..);
    let beside = centre.iter().zip(weights.left).zip(right.iter().zip(weights.right));
    let across = other.iter().zip(weights.other).zip(weights.beyond);
    let cells = target.iter_mut().zip(across).zip(beside);
    let sums = cells.map(|((target, ((other, of_other), of_target)), beside)| {
        let ((left, of_left), (right, of_right)) = beside;
        let vertical = *of_target * *target + *of_other * *other;
        let horizontal = *of_left * *left + *of_right * *right;
        let weight = (*of_target + *of_other) + (*of_left + *of_right);
        (target, vertical + horizontal, weight)
    });
    match weights.source {
        None => sums.for_each(|(target, sum, weight)| relax(target, sum, weight)),
        Some(source) => sums.zip(source).for_each(|((target, sum, weight), source)| {
            relax(target, sum + *source, weight);
        }),
    }
}

/// Sweeps in place as [`sweep`](super::sweep()) does, with the weights of `faces`; `relax` is
/// [`relax_weighted_row`] as the host compiled it.
#[inline(always)]
pub fn sweep_weighted<F: Real>(
    layout: &mut Layout,
    faces: Faces<&[F]>,
    source: Option<&[F]>,
    cells: &mut [F],
    relax: impl Fn(&mut [F], &[F], &[F], &RowWeights<'_, F>),
) {
    let weights = |row, direction| RowWeights::of(layout, faces, source, row, direction);
    each_row(layout, weights, cells, |target, centre, other, weights| {
        relax(target, centre, other, &weights);
    });
    *layout = layout.swept();
}

/// Sweeps as [`sweep_weighted`] does, and returns the sum of squares of the residual of the
/// interior before, as exact as in [`sweep_with_residual`](super::sweep_with_residual). `relax` is
/// [`relax_weighted_row_and_square`] as the host compiled it.
#[inline(always)]
pub fn sweep_weighted_with_residual<F: Real>(
    layout: &mut Layout,
    faces: Faces<&[F]>,
    source: Option<&[F]>,
    cells: &mut [F],
    relax: impl Fn(&mut [F], &[F], &[F], &RowWeights<'_, F>, &mut SumOfSquares),
) -> f64 {
    let mut residuals = SumOfSquares::default();
    let weights = |row, direction| RowWeights::of(layout, faces, source, row, direction);
    each_row(layout, weights, cells, |target, centre, other, weights| {
        relax(target, centre, other, &weights, &mut residuals);
    });
    *layout = layout.swept();
    residuals.total()
}

/// Returns the sum of squares of the residual of the interior of `current`, with the weights of
/// `faces`; see [`residual_sum_of_squares`](super::residual_sum_of_squares).
#[inline(always)]
pub(super) fn residual_with_weights<F: Real>(
    layout: &Layout,
    faces: Faces<&[F]>,
    source: Option<&[F]>,
    current: &[F],
) -> f64 {
    let mut sum = SumOfSquares::default();
    let mut buffer = [0.0; BLOCK];
    for (row, around) in Neighbourhood::rows(layout, None, current).enumerate() {
        let weights = RowWeights::of(layout, faces, source, row, Direction::Up);
        for (index, block) in around.blocks::<BLOCK>().enumerate() {
            let cells = block.centre.len();
            let values = buffer.stretch_mut(..cells);
            residuals(block, &weights.block(index * BLOCK, cells), values);
            sum.add_squares(values);
        }
    }
    sum.total()
}

/// Writes the residual of each cell of a block to `residuals`, in double precision. The row beyond
/// of `weights` must be the one above.
#[inline(always)]
fn residuals<F: Real>(
    block: Neighbourhood<&[F]>,
    weights: &RowWeights<'_, F>,
    residuals: &mut [f64],
) {
    let times = |(weight, cell): (&F, &F)| weight.to_f64() * cell.to_f64();
    let up = weights.beyond.iter().zip(block.up);
    let down = weights.other.iter().zip(block.down);
    let left = weights.left.iter().zip(block.left);
    let right = weights.right.iter().zip(block.right);
    let around = up.zip(down).zip(left.zip(right)).zip(block.centre);
    for (residual, (((up, down), (left, right)), centre)) in residuals.iter_mut().zip(around) {
        let vertical = times(up) + times(down);
        let horizontal = times(left) + times(right);
        let weight = (up.0.to_f64() + down.0.to_f64()) + (left.0.to_f64() + right.0.to_f64());
        *residual = vertical + horizontal - weight * centre.to_f64();
    }
    for (residual, source) in residuals.iter_mut().zip(weights.source.unwrap_or_default()) {
        *residual += source.to_f64();
    }
}
