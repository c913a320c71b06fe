//! The equation of the finest level.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::base::real::Real;
use crate::field::grid::Side;
use crate::field::problem::{Problem, side_length};
use crate::multigrid::weighted::{Operator, Size};

/// The equation of the finest level, and its solution so far; arrays as
/// [`weighted`](crate::multigrid::weighted) has them.
#[derive(Debug)]
pub(super) struct Equation {
    /// A power of two, near the greatest weight of a face: so much all numbers but the solution
    /// have been divided by, so that in single precision, too, none is too large or too small.
    pub unit: f64,
    /// The source, and what the boundary adds to it.
    pub rhs: Vec<f64>,
    pub solution: Vec<f64>,
    pub residual: Vec<f64>,
}

impl Equation {
    /// Returns a sum of squares of residuals in the problem's own units, from one in units of
    /// [`unit`](Self::unit).
    pub fn of_square(&self, in_units: f64) -> f64 {
        in_units * self.unit * self.unit
    }

    /// Returns the equation in the rows `read`, with all numbers rounded to `F` as Jacobi iteration
    /// has them, and its operator.
    pub fn new<F: Real>(problem: &Problem, read: Range<usize>) -> (Self, Operator<Vec<F>>) {
        let size = Size { rows: problem.grid.rows, columns: problem.grid.columns };
        let unit = power_of_two_below(problem.weight_range().most);
        let rounded = |value| F::from_f64(value).to_f64();
        let in_units = |value| rounded(value) / unit;
        let mut operator = Operator::five_points(size);
        let array = || vec![0.0; size.len()];
        let (mut rhs, mut solution) = (array(), array());
        for row in read.clone() {
            for column in 0..size.columns {
                let [up, down, left, right] = problem.faces(row, column).map(in_units);
                let place = (row + 1) * size.stride() + column + 1;
                // The faces above and to the left are those of the cells there, or of the ring.
                for (array, before, weights) in [
                    (&mut operator.below, place - size.stride(), [up, down]),
                    (&mut operator.right, place - 1, [left, right]),
                ] {
                    for (place, weight) in [before, place].into_iter().zip(weights) {
                        if let Some(entry) = array.get_mut(place) {
                            *entry = F::from_f64(weight);
                        }
                    }
                }
                for (array, value) in [
                    (&mut rhs, in_units(problem.source.at(row, column))),
                    (&mut solution, rounded(problem.initial.at(row, column))),
                ] {
                    if let Some(entry) = array.get_mut(place) {
                        *entry = value;
                    }
                }
            }
        }
        for side in Side::ALL {
            let length = side_length(side, problem.grid);
            for index in 0..length {
                let [row, column] = match side {
                    Side::Top => [0, index],
                    Side::Bottom => [size.rows - 1, index],
                    Side::Left => [index, 0],
                    Side::Right => [index, size.columns - 1],
                };
                if !read.contains(&row) {
                    continue;
                }
                let value = rounded(problem.boundary.value(side, index, length));
                // The faces of a cell are in the order of the sides.
                let faces = problem.faces(row, column).map(in_units);
                let weight = faces.get(side.index()).copied().unwrap_or_default();
                let place = (row + 1) * size.stride() + column + 1;
                if let Some(entry) = rhs.get_mut(place) {
                    *entry += weight * value;
                }
            }
        }
        (Self { unit, rhs, solution, residual: array() }, operator)
    }
}

/// Returns the greatest power of two that is not above `value`, which is finite and above 0.
fn power_of_two_below(value: f64) -> f64 {
    const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    f64::from_bits(value.to_bits() & !FRACTION).max(f64::MIN_POSITIVE)
}
