//! The equation of the finest level.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::grid::Side;
use crate::multigrid::weighted::{Operator, Size};
use crate::problem::{Problem, side_length};
use crate::real::Real;

/// The equation of the finest level, and its solution so far; arrays as
/// [`weighted`](crate::multigrid::weighted) has them.
#[derive(Debug)]
pub(super) struct Equation {
    /// The source, and what the boundary adds to it.
    pub rhs: Vec<f64>,
    pub solution: Vec<f64>,
    pub residual: Vec<f64>,
}

impl Equation {
    /// Returns the equation in these rows with all numbers rounded to `F`, as Jacobi iteration has it, and its
    /// operator.
    pub fn new<F: Real>(problem: &Problem, read: Range<usize>) -> (Self, Operator<Vec<f64>>) {
        let size = Size { rows: problem.grid.rows, columns: problem.grid.columns };
        let rounded = |value| F::from_f64(value).to_f64();
        let mut operator = Operator::zero(size);
        let array = || vec![0.0; size.len()];
        let (mut rhs, mut solution) = (array(), array());
        for row in read.clone() {
            for column in 0..size.columns {
                let faces = problem.faces(row, column).map(rounded);
                let [up, down, left, right] = faces;
                let place = (row + 1) * size.stride() + column + 1;
                let is_last = [row + 1 == size.rows, column + 1 == size.columns];
                for (array, value) in [
                    (&mut operator.centre, (up + down) + (left + right)),
                    (&mut operator.below, if is_last[0] { 0.0 } else { down }),
                    (&mut operator.right, if is_last[1] { 0.0 } else { right }),
                    (&mut rhs, rounded(problem.source.at(row, column))),
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
                let faces = problem.faces(row, column).map(rounded);
                let weight = faces.get(side.index()).copied().unwrap_or_default();
                let place = (row + 1) * size.stride() + column + 1;
                if let Some(entry) = rhs.get_mut(place) {
                    *entry += weight * value;
                }
            }
        }
        (Self { rhs, solution, residual: array() }, operator)
    }
}
