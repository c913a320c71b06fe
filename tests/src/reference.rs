//! The method in plain serial loops over a dense grid, written from its formula.

use ndarray::Array2;
use tresse::files::problem::Problem;
use tresse_core::grid::Side;
use tresse_core::stencil::Real;

/// A dense grid with its boundary, swept by one thread.
pub struct Reference<F> {
    /// Row by row, the boundary included; the corners are never read.
    cells: Vec<Vec<F>>,
    source: Option<Vec<Vec<F>>>,
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
        Self { cells, source: has_source.then(|| (0..rows).map(source).collect()) }
    }

    /// Makes one Jacobi iteration: each cell becomes a quarter of its neighbours and the source.
    pub fn sweep(&mut self) {
        let old = self.cells.clone();
        for row in 1..old.len() - 1 {
            for column in 1..old[row].len() - 1 {
                let vertical = old[row - 1][column] + old[row + 1][column];
                let horizontal = old[row][column - 1] + old[row][column + 1];
                let mut sum = vertical + horizontal;
                if let Some(source) = &self.source {
                    sum += source[row - 1][column - 1];
                }
                self.cells[row][column] = sum / F::FOUR;
            }
        }
    }

    /// Returns the interior cells.
    pub fn field(&self) -> Array2<f64> {
        let (rows, columns) = (self.cells.len() - 2, self.cells[0].len() - 2);
        Array2::from_shape_fn((rows, columns), |(r, c)| self.cells[r + 1][c + 1].to_f64())
    }

    /// Returns the l2 norm of up + down + left + right + source − 4 · centre, in double precision.
    pub fn residual(&self) -> f64 {
        let at = |row: usize, column: usize| self.cells[row][column].to_f64();
        let mut sum = 0.0;
        for row in 1..self.cells.len() - 1 {
            for column in 1..self.cells[row].len() - 1 {
                let mut residual = at(row - 1, column) + at(row + 1, column);
                residual += at(row, column - 1) + at(row, column + 1) - 4.0 * at(row, column);
                if let Some(source) = &self.source {
                    residual += source[row - 1][column - 1].to_f64();
                }
                sum += residual * residual;
            }
        }
        sum.sqrt()
    }
}
