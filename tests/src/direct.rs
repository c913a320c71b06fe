//! Gaussian elimination of the equations, and how near to its solution a run must come.

use std::f64::consts::PI;

use ndarray::{Array1, Array2, s};
use tresse::engine::threads::{End, RunRecord};
use tresse::files::problem::Problem;
use tresse_core::field::grid::Side;
use tresse_core::field::stencil::Real;
use tresse_core::run::{GridSize, RelativeTo, ResidualReport};

use crate::problems::Failure;
use crate::reference::Reference;

/// Returns the solution of up + down + left + right + source − 4 · centre = 0, each neighbour by
/// the weight of the face to it and the centre by their sum, with all data rounded to `F` as the
/// engine does.
pub fn solve_directly<F: Real>(problem: &Problem) -> Option<Array2<f64>> {
    let GridSize { rows, columns } = problem.grid;
    let rounded = |value| F::from_f64(value).to_f64();
    let boundary = |side, index, length| rounded(problem.boundary.value(side, index, length));
    let mut matrix = Array2::zeros((rows * columns, rows * columns));
    let mut right_hand_side = Array1::zeros(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let equation = row * columns + column;
            let own = problem.coefficient.at(row, column);
            let mut known = rounded(problem.source.at(row, column));
            // Faces above and below are as long as a cell is wide, and as far from the next cell's
            // middle as it is high.
            let mut beside = |inside: bool, other: usize, side, index, length| {
                let of_shape = match side {
                    Side::Top | Side::Bottom => 1.0 / problem.cell_ratio,
                    Side::Left | Side::Right => problem.cell_ratio,
                };
                if inside {
                    let k = problem.coefficient.at(other / columns, other % columns);
                    let weight = rounded(of_shape * 2.0 / (1.0 / own + 1.0 / k));
                    matrix[(equation, other)] = -weight;
                    matrix[(equation, equation)] += weight;
                } else if problem.boundary.is_fixed(side) {
                    let weight = rounded(of_shape * own);
                    known += weight * boundary(side, index, length);
                    matrix[(equation, equation)] += weight;
                }
            };
            beside(row > 0, equation.wrapping_sub(columns), Side::Top, column, columns);
            beside(row + 1 < rows, equation + columns, Side::Bottom, column, columns);
            beside(column > 0, equation.wrapping_sub(1), Side::Left, row, rows);
            beside(column + 1 < columns, equation + 1, Side::Right, row, rows);
            right_hand_side[equation] = known;
        }
    }
    eliminate(&mut matrix, &mut right_hand_side);
    right_hand_side.into_shape_with_order((rows, columns)).ok()
}

/// Replaces the right hand side by the solution. A diagonal that outweighs its row needs no
/// pivoting.
fn eliminate(matrix: &mut Array2<f64>, known: &mut Array1<f64>) {
    let cells = known.len();
    for pivot in 0..cells {
        for row in pivot + 1..cells {
            let factor = matrix[(row, pivot)] / matrix[(pivot, pivot)];
            // Most of the band below the diagonal.
            if factor != 0.0 {
                let (above, mut below) =
                    matrix.multi_slice_mut((s![pivot, pivot..], s![row, pivot..]));
                below.scaled_add(-factor, &above);
                known[row] -= factor * known[pivot];
            }
        }
    }
    for row in (0..cells).rev() {
        let sum = matrix.slice(s![row, row + 1..]).dot(&known.slice(s![row + 1..]));
        known[row] = (known[row] - sum) / matrix[(row, row)];
    }
}

/// Returns a lower bound of the eigenvalues of the equations: the smallest one of the 5-point
/// matrix 4, −1, −1, −1, −1, times the least coefficient and the ratio of the sides of a cell. A
/// flux through one of two sides is a mirror: the half of a grid of twice the length.
fn smallest_eigenvalue(problem: &Problem) -> f64 {
    let is_fixed = |side| problem.boundary.is_fixed(side);
    let part = |cells: usize, ends: [Side; 2]| {
        let length = match ends.map(is_fixed) {
            [true, true] => cells as f64,
            [false, false] => f64::INFINITY,
            _ => 2.0 * cells as f64,
        };
        4.0 * (PI / (2.0 * (length + 1.0))).sin().powi(2)
    };
    let least = problem.coefficient.range().least;
    let rows = part(problem.grid.rows, [Side::Top, Side::Bottom]);
    let columns = part(problem.grid.columns, [Side::Left, Side::Right]);
    least * (rows / problem.cell_ratio + columns * problem.cell_ratio)
}

fn norm(cells: &Array2<f64>) -> f64 {
    cells.iter().map(|cell| cell * cell).sum::<f64>().sqrt()
}

/// A report that was made of the field, and a field as near to the solution as the report implies.
///
/// # Errors
/// Where it is not so.
pub fn check<F: Real>(
    problem: &Problem,
    field: &Array2<f64>,
    record: &RunRecord,
    tolerance: f64,
) -> Result<(), Failure> {
    if record.end != End::Converged {
        return Err(format!("{:?}: {:?}", record.end, record.residual).into());
    }
    check_residual::<F>(problem, field, record.residual, tolerance)
}

/// Checks the residual of a run that has converged against the reported one.
///
/// # Errors
/// Where it is not so.
pub fn check_residual<F: Real>(
    problem: &Problem,
    field: &Array2<f64>,
    reported: ResidualReport,
    tolerance: f64,
) -> Result<(), Failure> {
    let fail = |what: String| Err(format!("{what}: {reported:?}").into());
    let (initial, residual) = (
        Reference::<F>::new(problem).residual(),
        Reference::<F>::of_field(problem, field).residual(),
    );
    // Sums of squares in another order, of differences that cancel.
    let rounding = 1e-12 * initial;
    if (reported.verified - residual).abs() > rounding {
        return fail(format!("the field's residual is {residual}"));
    }
    if (reported.initial - initial).abs() > rounding {
        return fail(format!("the initial residual is {initial}"));
    }
    let reference = match reported.relative_to {
        RelativeTo::Start => initial,
        RelativeTo::Problem => {
            Reference::<f64>::of_field(problem, &Array2::zeros(field.raw_dim())).residual()
        }
    };
    let relative = residual / reference;
    if reported.relative > tolerance || (reported.relative - relative).abs() > 1e-12 {
        return fail(format!("ended at {relative} of the residual that it is relative to"));
    }
    let Some(solution) = solve_directly::<F>(problem) else {
        return fail("the direct solver found no solution".into());
    };
    let error = norm(&(field - &solution));
    let bound = (residual + rounding) / smallest_eigenvalue(problem) + 1e-12;
    if error > bound {
        return fail(format!("the error is {error}, and {bound} at most from the residual"));
    }
    Ok(())
}
