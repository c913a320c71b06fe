//! Sums of squares, in lanes that do not depend on the vector width.

use crate::base::real::Real;

/// Independent partial sums: one vector of the widest unit for `f32`, two for `f64`.
pub(super) const LANES: usize = 16;

/// Cells that are summed in the cells' own type before they go to double precision.
pub(super) const BLOCK: usize = 64 * LANES;

/// A sum of squares that grows row by row.
#[derive(Clone, Copy, Debug, Default)]
pub struct SumOfSquares {
    lanes: [f64; LANES],
}

impl SumOfSquares {
    /// Adds the squares that were summed by lane over a block of cells.
    #[inline(always)]
    pub(super) fn add<F: Real>(&mut self, squares: &[F; LANES]) {
        for (lane, square) in self.lanes.iter_mut().zip(squares) {
            *lane += square.to_f64();
        }
    }

    /// Adds the squares of the differences of two rows that have fewer cells than there are lanes.
    #[inline(always)]
    pub(super) fn add_change_of_each<F: Real>(&mut self, new: &[F], old: &[F]) {
        for (lane, (new, old)) in self.lanes.iter_mut().zip(new.iter().zip(old)) {
            let change = *new - *old;
            *lane += (change * change).to_f64();
        }
    }

    /// Adds the squares of `values`, lane by lane.
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
