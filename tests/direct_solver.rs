//! Every mode and balancer against a dense LU decomposition of the same equations.

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector};
use ndarray::Array2;
use tresse::problem::Problem;
use tresse::threads::{End, Record};
use tresse_core::grid::Side;
use tresse_core::run::{GridSize, Precision, RunConfig};
use tresse_core::stencil::Real;
use tresse_tests::problems::{Failure, config, methods, random, run, tolerance};
use tresse_tests::reference::Reference;

const GRIDS: [(usize, usize); 3] = [(13, 11), (8, 17), (15, 15)];

/// The solution of up + down + left + right + source − 4 · centre = 0, with all data rounded to
/// `F` as the engine does.
fn solve_directly<F: Real>(problem: &Problem) -> Option<Array2<f64>> {
    let GridSize { rows, columns } = problem.grid;
    let rounded = |value| F::from_f64(value).to_f64();
    let boundary = |side, index, length| rounded(problem.boundary.value(side, index, length));
    let mut matrix = DMatrix::zeros(rows * columns, rows * columns);
    let mut right_hand_side = DVector::zeros(rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let equation = row * columns + column;
            matrix[(equation, equation)] = 4.0;
            let mut known = rounded(problem.source.at(row, column));
            let mut beside = |inside: bool, other: usize, side, index, length| {
                if inside {
                    matrix[(equation, other)] = -1.0;
                } else {
                    known += boundary(side, index, length);
                }
            };
            beside(row > 0, equation.wrapping_sub(columns), Side::Top, column, columns);
            beside(row + 1 < rows, equation + columns, Side::Bottom, column, columns);
            beside(column > 0, equation.wrapping_sub(1), Side::Left, row, rows);
            beside(column + 1 < columns, equation + 1, Side::Right, row, rows);
            right_hand_side[equation] = known;
        }
    }
    let solution = matrix.lu().solve(&right_hand_side)?;
    Array2::from_shape_vec((rows, columns), solution.as_slice().to_vec()).ok()
}

/// The smallest eigenvalue of the 5-point matrix 4, −1, −1, −1, −1.
fn smallest_eigenvalue(grid: GridSize) -> f64 {
    let part = |cells: usize| 4.0 * (PI / (2.0 * (cells as f64 + 1.0))).sin().powi(2);
    part(grid.rows) + part(grid.columns)
}

fn norm(cells: &Array2<f64>) -> f64 {
    cells.iter().map(|cell| cell * cell).sum::<f64>().sqrt()
}

/// A report that was made of the field, and a field as near to the solution as the report implies.
fn check<F: Real>(
    problem: &Problem,
    field: &Array2<f64>,
    record: &Record,
    tolerance: f64,
) -> Result<(), Failure> {
    let fail = |what: String| Err(format!("{what}: {:?}", record.residual).into());
    let (initial, residual) = (
        Reference::<F>::new(problem).residual(),
        Reference::<F>::of_field(problem, field).residual(),
    );
    // Sums of squares in another order, of differences that cancel.
    let rounding = 1e-12 * initial;
    let reported = record.residual;
    if (reported.verified - residual).abs() > rounding {
        return fail(format!("the field's residual is {residual}"));
    }
    if (reported.initial - initial).abs() > rounding {
        return fail(format!("the initial residual is {initial}"));
    }
    if record.end != End::Converged
        || reported.relative > tolerance
        || (reported.relative - residual / initial).abs() > 1e-12
    {
        return fail(format!("{:?} at {} of the initial residual", record.end, residual / initial));
    }
    let Some(solution) = solve_directly::<F>(problem) else {
        return fail("the direct solver found no solution".into());
    };
    let error = norm(&(field - &solution));
    let bound = (residual + rounding) / smallest_eigenvalue(problem.grid) + 1e-12;
    if error > bound {
        return fail(format!("the error is {error}, and {bound} at most from the residual"));
    }
    Ok(())
}

fn every_method_reaches_the_solution<F: Real>(
    precision: Precision,
    relative: f64,
) -> Result<(), Failure> {
    for (seed, (rows, columns)) in (0..).zip(GRIDS) {
        let grid = GridSize { rows, columns };
        let problem = random(seed, grid, seed != 1);
        for method in methods() {
            for parts in [(3, 4), (2, 6), (4, 2)] {
                let config = config(grid, parts, method, tolerance(relative));
                let config = RunConfig { precision, ..config };
                let (field, record) = run(&problem, &config)?;
                check::<F>(&problem, &field, &record, relative).map_err(|error| {
                    format!("seed {seed}, {grid}, {parts:?}, {} {}: {error}", method.0, method.1)
                })?;
            }
        }
    }
    Ok(())
}

#[test]
fn every_method_reaches_the_solution_in_double_precision() -> Result<(), Failure> {
    every_method_reaches_the_solution::<f64>(Precision::F64, 1e-8)
}

#[test]
fn every_method_reaches_the_solution_in_single_precision() -> Result<(), Failure> {
    every_method_reaches_the_solution::<f32>(Precision::F32, 1e-4)
}

/// A cell that is off by a little more than the bound is caught, so the bound means something.
#[test]
fn a_field_beside_the_solution_is_caught() -> Result<(), Failure> {
    let grid = GridSize { rows: 12, columns: 12 };
    let problem = random(5, grid, true);
    let (mode, balance) = methods()[0];
    let config = config(grid, (2, 4), (mode, balance), tolerance(1e-8));
    let (mut field, record) = run(&problem, &config)?;
    check::<f64>(&problem, &field, &record, 1e-8)?;
    field[(6, 6)] += 1e-5;
    assert!(check::<f64>(&problem, &field, &record, 1e-8).is_err());
    Ok(())
}
