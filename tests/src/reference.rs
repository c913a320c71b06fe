//! The method in plain serial loops over a dense grid, written from its formula.

use ndarray::Array2;
use tresse::files::problem::{CellValues, Problem};
use tresse_core::field::grid::Side;
use tresse_core::field::stencil::Real;

/// A dense grid with its boundary, swept by one thread.
pub struct Reference<F> {
    /// Row by row, the boundary included; the corners are never read.
    cells: Vec<Vec<F>>,
    source: Option<Vec<Vec<F>>>,
    /// k of each cell; none where it is 1.
    coefficient: Option<Vec<Vec<f64>>>,
    /// Height of a cell over its width.
    cell_ratio: f64,
    /// Whether a side has fixed values, and no flux.
    is_fixed: [bool; 4],
}

impl<F: Real> Reference<F> {
    /// Returns the problem before the first sweep.
    pub fn new(problem: &Problem) -> Self {
        let initial = |row, column| problem.initial.at(row, column);
        Self::with(problem, &initial)
    }

    /// Returns the problem with `field` as its cells.
    pub fn of_field(problem: &Problem, field: &Array2<f64>) -> Self {
        Self::with(problem, &|row, column| field[(row, column)])
    }

    fn with(problem: &Problem, interior: &dyn Fn(usize, usize) -> f64) -> Self {
        let (rows, columns) = (problem.grid.rows, problem.grid.columns);
        let mut cells = vec![vec![F::ZERO; columns + 2]; rows + 2];
        let beside = |side, index, length| F::from_f64(problem.boundary.value(side, index, length));
        for row in 0..rows {
            cells[row + 1][0] = beside(Side::Left, row, rows);
            cells[row + 1][columns + 1] = beside(Side::Right, row, rows);
            for column in 0..columns {
                cells[row + 1][column + 1] = F::from_f64(interior(row, column));
            }
        }
        for column in 0..columns {
            cells[0][column + 1] = beside(Side::Top, column, columns);
            cells[rows + 1][column + 1] = beside(Side::Bottom, column, columns);
        }
        let source = |row| {
            let value = |column| F::from_f64(problem.source.at(row, column));
            (0..columns).map(value).collect()
        };
        let has_source = !problem.source.is_zero();
        let coefficient =
            |row| (0..columns).map(|column| problem.coefficient.at(row, column)).collect();
        let cell_ratio = problem.cell_ratio;
        let is_fixed = Side::ALL.map(|side| problem.boundary.is_fixed(side));
        let is_one = problem.coefficient == CellValues::Constant(1.0)
            && problem.has_square_cells()
            && is_fixed == [true; 4];
        Self {
            cells,
            source: has_source.then(|| (0..rows).map(source).collect()),
            coefficient: (!is_one).then(|| (0..rows).map(coefficient).collect()),
            cell_ratio,
            is_fixed,
        }
    }

    /// Makes one Jacobi iteration: each cell becomes a quarter of its neighbours and the source, or
    /// the share of the weighted ones that the weights of its faces are together.
    pub fn sweep(&mut self) {
        let old = self.cells.clone();
        for row in 1..old.len() - 1 {
            for column in 1..old[row].len() - 1 {
                let [up, down, left, right] = self.weights(row, column).map(F::from_f64);
                let vertical = up * old[row - 1][column] + down * old[row + 1][column];
                let horizontal = left * old[row][column - 1] + right * old[row][column + 1];
                let mut sum = vertical + horizontal;
                if let Some(source) = &self.source {
                    sum += source[row - 1][column - 1];
                }
                let weight = (up + down) + (left + right);
                // A cell that is left out.
                self.cells[row][column] = if weight == F::ZERO { F::ZERO } else { sum / weight };
            }
        }
    }

    /// Returns the weights of the faces above, below, to the left and to the right of a cell, the
    /// boundary counted: the harmonic average of k on both sides, and where the boundary is beyond k
    /// itself, or 0 for a side with a flux; times the length of the face over the distance of the
    /// cells' middles.
    fn weights(&self, row: usize, column: usize) -> [f64; 4] {
        let Some(coefficient) = &self.coefficient else { return [1.0; 4] };
        let at = |row: usize, column: usize| {
            coefficient.get(row.wrapping_sub(1)).and_then(|row| row.get(column.wrapping_sub(1)))
        };
        let own = at(row, column).copied().unwrap_or(f64::NAN);
        let [top, bottom, at_left, at_right] = self.is_fixed;
        let beside = [
            (row - 1, column, top),
            (row + 1, column, bottom),
            (row, column - 1, at_left),
            (row, column + 1, at_right),
        ];
        let [up, down, left, right] = beside.map(|(row, column, is_fixed)| {
            // The less and the greater one in this order: the same bits from both sides of the
            // face.
            at(row, column).map_or(if is_fixed { own } else { 0.0 }, |&other| {
                let (less, greater) = (own.min(other), own.max(other));
                if greater == 0.0 { 0.0 } else { 2.0 * less / (1.0 + less / greater) }
            })
        });
        let ratio = self.cell_ratio;
        [up / ratio, down / ratio, left * ratio, right * ratio]
    }

    /// Returns the interior cells.
    pub fn field(&self) -> Array2<f64> {
        let (rows, columns) = (self.cells.len() - 2, self.cells[0].len() - 2);
        Array2::from_shape_fn((rows, columns), |(r, c)| self.cells[r + 1][c + 1].to_f64())
    }

    /// Returns the l2 norm of up + down + left + right + source − 4 · centre, each neighbour by its
    /// weight and the centre by their sum, in double precision.
    pub fn residual(&self) -> f64 {
        let at = |row: usize, column: usize| self.cells[row][column].to_f64();
        let mut sum = 0.0;
        for row in 1..self.cells.len() - 1 {
            for column in 1..self.cells[row].len() - 1 {
                let weights = self.weights(row, column).map(|weight| F::from_f64(weight).to_f64());
                let [up, down, left, right] = weights;
                let mut residual = up * at(row - 1, column) + down * at(row + 1, column);
                residual += left * at(row, column - 1) + right * at(row, column + 1);
                residual -= weights.iter().sum::<f64>() * at(row, column);
                if let Some(source) = &self.source {
                    residual += source[row - 1][column - 1].to_f64();
                }
                sum += residual * residual;
            }
        }
        sum.sqrt()
    }
}
