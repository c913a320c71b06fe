//! The residual of cells as they are, in double precision.

use super::layout::Layout;
use super::neighbourhood::Neighbourhood;
use super::sum::{BLOCK, SumOfSquares};
use super::terms::Terms;
use super::weighted::residual_with_weights;
use crate::base::real::Real;
use crate::base::table::At;

/// Returns the sum of squares of the residual of the interior of `current`, up + down + left +
/// right + source − 4 · centre, calculated in double precision. Writes nothing.
///
/// Where faces have weights, each neighbour is weighted by the face between, and the centre by
/// their sum instead of 4. `current` is in this `layout`; the terms are in the layout that
/// [`Terms`] says.
#[inline(always)]
pub fn residual_sum_of_squares<F: Real>(layout: &Layout, terms: Terms<&[F]>, current: &[F]) -> f64 {
    let source = terms.source;
    if let Some(faces) = terms.faces {
        return residual_with_weights(layout, faces, source, current);
    }
    let mut sum = SumOfSquares::default();
    let mut buffer = [0.0; BLOCK];
    for row in Neighbourhood::rows(layout, source, current) {
        for block in row.blocks::<BLOCK>() {
            let values = buffer.stretch_mut(..block.centre.len());
            residuals(block, values);
            sum.add_squares(values);
        }
    }
    sum.total()
}

/// Writes the residual of each cell of a block to `residuals`, calculated in double precision.
#[inline(always)]
fn residuals<F: Real>(block: Neighbourhood<&[F]>, residuals: &mut [f64]) {
    let around = block.up.iter().zip(block.down).zip(block.left.iter().zip(block.right));
    for ((residual, ((up, down), (left, right))), centre) in
        residuals.iter_mut().zip(around).zip(block.centre)
    {
        let vertical = up.to_f64() + down.to_f64();
        let horizontal = left.to_f64() + right.to_f64();
        *residual = vertical + horizontal - 4.0 * centre.to_f64();
    }
    for (residual, source) in residuals.iter_mut().zip(block.source.unwrap_or_default()) {
        *residual += source.to_f64();
    }
}
