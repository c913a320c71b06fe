//! Coefficients against closed forms: a medium of layers, whose discrete solution is known exactly,
//! and a smooth coefficient, whose error falls by the square of the spacing. That every cell has
//! the right weights is in `sync_reference`, `direct_solver` and `virtual_oracles`.

use std::f64::consts::PI;

use ndarray::Array2;
use tresse::files::problem::{Boundary, CellValues, Problem, Profile};
use tresse_core::base::time::Duration;
use tresse_core::field::grid::Side;
use tresse_core::run::{Balance, End, GridSize, Mode};
use tresse_tests::problems::{Failure, config, run, tolerance};

/// Returns a square grid with these values in its cells.
fn on_square(cells: usize, value: impl Fn(usize, usize) -> f64) -> CellValues {
    on_grid([cells; 2], value)
}

/// Returns a grid of so many rows and columns with these values in its cells.
fn on_grid([rows, columns]: [usize; 2], value: impl Fn(usize, usize) -> f64) -> CellValues {
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let values = places.map(|(row, column)| value(row, column)).collect();
    CellValues::Values { columns, values }
}

fn solved(problem: &Problem, relative: f64) -> Result<Array2<f64>, Failure> {
    let method = (Mode::Async, Balance::Joint(Duration::from_micros(200)));
    let (field, record) = run(problem, &config(problem.grid, (2, 4), method, tolerance(relative)))?;
    assert_eq!(record.end, End::Converged);
    Ok(field)
}

/// Layers of six cells along the columns: through each face goes the same flux, so that each layer
/// has its own slope, and between two layers is the step of two half cells in a row.
fn layers() -> (Problem, Vec<f64>) {
    const CELLS: usize = 24;
    const LAYERS: [f64; 4] = [1.0, 50.0, 0.02, 3.0];
    let k = |column: usize| LAYERS[column / 6];
    // The resistance from the left side to each cell; from the last cell to the right side there is
    // one cell more.
    let mut resistance = 1.0 / k(0);
    let mut before = vec![resistance];
    for column in 1..CELLS {
        resistance += 0.5 / k(column - 1) + 0.5 / k(column);
        before.push(resistance);
    }
    let whole = resistance + 1.0 / k(CELLS - 1);
    let exact: Vec<_> = before.iter().map(|resistance| 2.0 - 5.0 * resistance / whole).collect();
    let along = Profile::Values(exact.clone());
    let boundary = Boundary::default()
        .with(Side::Left, Profile::Constant(2.0))
        .with(Side::Right, Profile::Constant(-3.0))
        .with(Side::Top, along.clone())
        .with(Side::Bottom, along);
    let grid = GridSize { rows: CELLS, columns: CELLS };
    let [initial, source] = [const { CellValues::Constant(0.0) }; 2];
    let coefficient = on_square(CELLS, |_, column| k(column));
    (Problem { grid, boundary, initial, source, coefficient, cell_ratio: 1.0 }, exact)
}

#[test]
fn each_layer_has_its_own_slope() -> Result<(), Failure> {
    let (problem, exact) = layers();
    let field = solved(&problem, 1e-12)?;
    for ((row, column), cell) in field.indexed_iter() {
        assert!((cell - exact[column]).abs() < 1e-8, "({row}, {column}): {cell} {exact:?}");
    }
    Ok(())
}

/// The same turned by a right angle, so that rows are not taken for columns.
#[test]
fn layers_of_rows_are_layers_of_columns() -> Result<(), Failure> {
    let (problem, exact) = layers();
    let Problem { coefficient, boundary, .. } = &problem;
    let turned = Problem {
        coefficient: on_square(problem.grid.rows, |row, column| coefficient.at(column, row)),
        boundary: Boundary::default()
            .with(Side::Top, boundary.profile(Side::Left).clone())
            .with(Side::Bottom, boundary.profile(Side::Right).clone())
            .with(Side::Left, boundary.profile(Side::Top).clone())
            .with(Side::Right, boundary.profile(Side::Bottom).clone()),
        ..problem.clone()
    };
    let field = solved(&turned, 1e-12)?;
    for ((row, column), cell) in field.indexed_iter() {
        assert!((cell - exact[row]).abs() < 1e-8, "({row}, {column}): {cell} {exact:?}");
    }
    Ok(())
}

/// Returns the largest error with u = sin πx · sin 2πy and k = 1 + x + y² on the unit square of so
/// many rows and columns, where `f = 5π² k u − uₓ − 2y u_y`.
fn error_of_smooth([rows, columns]: [usize; 2]) -> Result<f64, Failure> {
    let [height, width] = [rows, columns].map(|cells| 1.0 / (cells as f64 + 1.0));
    let (x, y) = (|column| (column as f64 + 1.0) * width, |row| (row as f64 + 1.0) * height);
    let exact = |row: usize, column: usize| (PI * x(column)).sin() * (2.0 * PI * y(row)).sin();
    let k = |row: usize, column: usize| 1.0 + x(column) + y(row) * y(row);
    let source = |row: usize, column: usize| {
        let (x, y) = (x(column), y(row));
        let along_x = PI * (PI * x).cos() * (2.0 * PI * y).sin();
        let along_y = 2.0 * PI * (PI * x).sin() * (2.0 * PI * y).cos();
        height
            * width
            * (5.0 * PI * PI * k(row, column) * exact(row, column) - along_x - 2.0 * y * along_y)
    };
    let problem = Problem {
        grid: GridSize { rows, columns },
        boundary: Boundary::default(),
        initial: CellValues::Constant(0.0),
        source: on_grid([rows, columns], source),
        coefficient: on_grid([rows, columns], k),
        cell_ratio: height / width,
    };
    let field = solved(&problem, 1e-9)?;
    let errors =
        field.indexed_iter().map(|((row, column), cell)| (cell - exact(row, column)).abs());
    Ok(errors.fold(0.0, f64::max))
}

#[test]
fn the_error_of_a_smooth_coefficient_falls_by_the_square_of_the_spacing() -> Result<(), Failure> {
    for grids in [[[15, 15], [31, 31], [63, 63]], [[15, 47], [31, 95], [63, 191]]] {
        let [coarse, middle, fine] = grids.map(error_of_smooth);
        let (coarse, middle, fine) = (coarse?, middle?, fine?);
        for ratio in [coarse / middle, middle / fine] {
            assert!((3.7..4.3).contains(&ratio), "{grids:?} {ratio}: {coarse} {middle} {fine}");
        }
    }
    Ok(())
}
