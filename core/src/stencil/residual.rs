//! Sums of squares of the residual, in lanes that do not depend on the vector width.

use super::layout::Layout;
use super::real::Real;
use super::sweep::StencilRows;

/// Independent partial sums: one vector of the widest unit for `f32`, two for `f64`.
const LANES: usize = 16;

/// Cells that are summed in the cells' own type before they go to double precision.
pub(super) const BLOCK: usize = 64 * LANES;

/// The sum of squares of the residual of `current` on the interior, up + down + left + right +
/// source − 4 · centre, with all arithmetic in double precision. Writes nothing.
///
/// `current` and `source` have the same `layout`; `source` as in [`sweep`](super::sweep()).
#[inline(always)]
pub fn residual_sum_of_squares<F: Real>(
    layout: &Layout,
    source: Option<&[F]>,
    current: &[F],
) -> f64 {
    let mut residual = SumOfSquares::default();
    let mut buffer = [0.0; BLOCK];
    for row in StencilRows::new(layout, source, current) {
        for block in row.blocks::<BLOCK>() {
            let values = buffer.get_mut(..block.centre.len()).unwrap_or_default();
            block.residual(values);
            residual.add(values);
        }
    }
    residual.total()
}

/// A sum of squares that grows row by row.
#[derive(Default)]
pub(super) struct SumOfSquares {
    lanes: [f64; LANES],
}

impl SumOfSquares {
    /// Adds the squares of `left` − `right`, cell by cell.
    #[inline(always)]
    pub(super) fn add_differences<F: Real>(&mut self, left: &[F], right: &[F]) {
        for (left, right) in left.chunks(BLOCK).zip(right.chunks(BLOCK)) {
            let mut partial = [F::ZERO; LANES];
            let (left, left_rest) = left.as_chunks::<LANES>();
            let (right, right_rest) = right.as_chunks::<LANES>();
            for (left, right) in left.iter().zip(right) {
                add_squares(&mut partial, left, right);
            }
            add_squares(&mut partial, left_rest, right_rest);
            for (lane, partial) in self.lanes.iter_mut().zip(partial) {
                *lane += partial.to_f64();
            }
        }
    }

    /// Adds the squares of `values`.
    #[inline(always)]
    fn add(&mut self, values: &[f64]) {
        let (values, rest) = values.as_chunks::<LANES>();
        for values in values.iter().map(<[f64; LANES]>::as_slice).chain([rest]) {
            for (lane, value) in self.lanes.iter_mut().zip(values) {
                *lane += value * value;
            }
        }
    }

    /// The sum of all lanes, in their order.
    #[inline(always)]
    pub(super) fn total(self) -> f64 {
        self.lanes.iter().sum()
    }
}

#[inline(always)]
fn add_squares<F: Real>(partial: &mut [F; LANES], left: &[F], right: &[F]) {
    for ((partial, left), right) in partial.iter_mut().zip(left).zip(right) {
        let difference = *left - *right;
        *partial += difference * difference;
    }
}
