//! Sums of squares of the residual, in lanes that do not depend on the vector width.

use super::layout::Layout;
use super::neighbourhood::Neighbourhood;
use super::terms::Terms;
use super::weighted::residual_with_weights;
use crate::real::Real;

/// Independent partial sums: one vector of the widest unit for `f32`, two for `f64`.
pub(super) const LANES: usize = 16;

/// Cells that are summed in the cells' own type before they go to double precision.
pub(super) const BLOCK: usize = 64 * LANES;

/// Returns the sum of squares of the residual of `current` on the interior, up + down + left +
/// right + source − 4 · centre, with all arithmetic in double precision. Writes nothing.
///
/// Where the faces have weights, each neighbour counts by that of the face that it is beyond, and the
/// centre by their sum in place of 4. `current` has this `layout`, what is in `terms` as [`Terms`] says.
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
            let values = buffer.get_mut(..block.centre.len()).unwrap_or_default();
            residuals(block, values);
            sum.add_squares(values);
        }
    }
    sum.total()
}

/// A sum of squares that grows row by row.
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOfSquares {
    lanes: [f64; LANES],
}

impl SumOfSquares {
    /// Adds what lanes have summed of a block of cells.
    #[inline(always)]
    pub(super) fn add<F: Real>(&mut self, squares: &[F; LANES]) {
        for (lane, square) in self.lanes.iter_mut().zip(squares) {
            *lane += square.to_f64();
        }
    }

    /// Adds the squares of the differences of two rows of fewer cells than lanes.
    #[inline(always)]
    pub(super) fn add_change_of_each<F: Real>(&mut self, new: &[F], old: &[F]) {
        for (lane, (new, old)) in self.lanes.iter_mut().zip(new.iter().zip(old)) {
            let change = *new - *old;
            *lane += (change * change).to_f64();
        }
    }

    /// Adds the squares of `values`.
    #[inline(always)]
    pub(super) fn add_squares(&mut self, values: &[f64]) {
        let (values, rest) = values.as_chunks::<LANES>();
        for values in values.iter().map(<[f64; LANES]>::as_slice).chain([rest]) {
            for (lane, value) in self.lanes.iter_mut().zip(values) {
                *lane += value * value;
            }
        }
    }

    /// Returns the sum of all lanes, in their order.
    #[inline(always)]
    pub(super) fn total(self) -> f64 {
        self.lanes.iter().sum()
    }
}

/// Calculates the residual of each cell, in double precision.
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
