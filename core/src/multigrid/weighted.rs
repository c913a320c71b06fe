//! Multigrid where the coefficient differs from cell to cell: the levels follow from the operator,
//! and the cycle is the preconditioner of conjugate gradients.
//!
//! A coarser level has every second cell of each second row, or only of one direction ([`sizes`]).
//! What is between them is interpolated by the operator itself ([`weights`]), so that a correction
//! bends where the coefficient jumps, and the coarser level's operator is what follows from that
//! ([`coarse_row`]): couplings of each cell with the eight around it (J. E. Dendy, *Black box
//! multigrid*, 1982). What single corrections leave, where corners of jumps meet between the cells
//! of a coarser level, conjugate gradients take (O. Tatebe, *The multigrid preconditioned conjugate
//! gradient method*, 1993).
//!
//! Everything is calculated in double precision, on memory that the caller lends, as functions of
//! rows: each cell is evaluated in one fixed order, so that the results are the same to the bit for
//! any number of threads. What only has to be near, the weights and the operators of coarser
//! levels, is kept in single precision.

mod operator;
mod transfer;

pub use operator::{Around, Operator, Size, row_of, sizes};
pub use transfer::{Weights, coarse_row, interpolate_row, restrict_row, weights};

use super::band_matrix::BandMatrix;
use crate::base::real::Real;

/// The coarsest level of an operator, solved directly.
#[derive(Debug)]
pub struct Direct<'m> {
    size: Size,
    matrix: BandMatrix<'m>,
}

impl<'m> Direct<'m> {
    /// Returns the number of numbers that the factors take, and the solution.
    pub const fn memory_len(size: Size) -> usize {
        BandMatrix::memory_len(size.rows.saturating_mul(size.columns), band_width(size))
    }

    /// Factors an operator in `memory`, of [`Direct::memory_len`] numbers.
    pub fn factor<T: Real>(size: Size, operator: &Operator<&[T]>, memory: &mut [f64]) {
        BandMatrix::factor(size.cells(), band_width(size), memory, |unknown, distance| {
            entry(size, operator, place(size, unknown), distance)
        });
    }

    /// Returns the factors that are in `memory` from [`Direct::factor`].
    pub fn resume(size: Size, memory: &'m mut [f64]) -> Self {
        Self { size, matrix: BandMatrix::resume(size.cells(), band_width(size), memory) }
    }

    /// Solves the equation directly for a right-hand side, and writes the solution to `x`. Both are
    /// arrays of the level, with the ring.
    pub fn solve(&mut self, rhs: &[f64], x: &mut [f64]) {
        let size = self.size;
        let index = |[row, column]: [usize; 2]| row * size.stride() + column;
        let places = (0..size.cells()).map(|unknown| index(place(size, unknown)));
        let rhs = places.clone().map(|place| rhs.get(place).copied().unwrap_or_default());
        for (place, value) in places.zip(self.matrix.solve(rhs)) {
            if let Some(cell) = x.get_mut(place) {
                *cell = *value;
            }
        }
    }
}

/// Unknowns from one to the last of its neighbours: across the shorter direction, and one more for
/// the diagonal.
const fn band_width(size: Size) -> usize {
    let shorter = if size.rows < size.columns { size.rows } else { size.columns };
    shorter.saturating_add(1)
}

/// Returns row and column of an unknown, the ring counted. Unknowns are numbered along the shorter
/// direction first.
fn place(size: Size, unknown: usize) -> [usize; 2] {
    let shorter = size.rows.min(size.columns);
    let far = unknown.checked_div(shorter).unwrap_or_default() + 1;
    let near = unknown.checked_rem(shorter).unwrap_or_default() + 1;
    if size.rows < size.columns { [near, far] } else { [far, near] }
}

/// Returns the matrix entry in the row of the unknown at a place, `distance` columns before the
/// diagonal.
fn entry<T: Real>(
    size: Size,
    operator: &Operator<&[T]>,
    [row, column]: [usize; 2],
    distance: usize,
) -> f64 {
    let [[above_left, above, above_right], [left, centre, _], [below_left, ..]] =
        operator.around(size, row, column);
    if distance == 0 {
        return centre;
    }
    // The couplings with those before, and how far each is: the last three are across the shorter
    // direction.
    let by_columns = size.rows < size.columns;
    let shorter = size.rows.min(size.columns);
    let before = if by_columns {
        [(1, above), (shorter + 1, above_left), (shorter, left), (shorter - 1, below_left)]
    } else {
        [(1, left), (shorter + 1, above_left), (shorter, above), (shorter - 1, above_right)]
    };
    // Zero where a neighbour is outside, and another unknown as far away.
    -before.iter().filter(|(far, _)| *far == distance).map(|(_, coupling)| coupling).sum::<f64>()
}
