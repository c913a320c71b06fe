//! How many cycles a tolerance takes, and what the cycles converge to.

use std::f64::consts::PI;

use tresse_core::base::rng::Rng;
use tresse_core::field::problem::{Boundary, CellValues, Problem};
use tresse_core::field::stencil::Terms;
use tresse_core::multigrid::owned::{InTurn, conjugate_gradients, numbers_needed};
use tresse_core::multigrid::{Ending, Finding, Portable};
use tresse_core::run::GridSize;

use super::problems::{poisson, random, scheme, solver};

/// Cycles until the residual is at `tolerance` of the initial one.
fn cycles(problem: &Problem, tolerance: f64) -> u32 {
    let mut solver = solver(problem, scheme(1));
    let initial = solver.begin(&Portable, &InTurn);
    let mut ending = Ending::new(initial, &tresse_core_tests::configurations::tolerance(tolerance));
    for cycle in 1..=50 {
        let sum = solver.cycle(&Portable, &InTurn);
        if ending.judge(sum, || f64::INFINITY) == Finding::Reached {
            assert!(ending.is_reached(solver.residual_squares(&InTurn)));
            return cycle;
        }
    }
    u32::MAX
}

#[test]
fn a_constant_source_takes_six_cycles_whatever_the_size() {
    let of = |(rows, columns)| cycles(&poisson(rows, columns, None), 1e-8);
    let even = [(64, 64), (128, 128), (256, 256), (512, 512), (300, 200)];
    assert_eq!(even.map(of), [7, 7, 6, 6, 6]);
    let odd = [(65, 65), (127, 127), (257, 257), (511, 511), (301, 499)];
    assert_eq!(odd.map(of), [7, 7, 6, 6, 6]);
}

#[test]
fn a_source_of_one_number_is_that_of_as_many_cells() {
    let constant = Problem { source: CellValues::Constant(0.7), ..random(70, 41, 4) };
    let values = CellValues::Values { columns: 41, values: vec![0.7; 70 * 41] };
    let each = Problem { source: values, ..constant.clone() };
    let [one, other] = [constant, each].map(|problem| {
        let mut solver = solver(&problem, scheme(3));
        let sums = [solver.begin(&Portable, &InTurn), solver.cycle(&Portable, &InTurn)];
        let sums = [sums[0], sums[1], solver.residual_squares(&InTurn)];
        sums.iter().chain(solver.cells()).copied().map(f64::to_bits).collect::<Vec<_>>()
    });
    assert!(one == other);
}

#[test]
fn random_sizes_with_random_sources_take_nine_cycles_at_most() {
    let mut rng = Rng::new(19, 0);
    for case in 0..24 {
        let mut size = || 2 + rng.below(510) as usize;
        let (rows, columns) = (size(), size());
        let taken = cycles(&poisson(rows, columns, Some(case)), 1e-8);
        assert!(taken <= 9, "{rows}x{columns}: {taken}");
    }
}

#[test]
fn tiny_and_thin_grids_take_nine_cycles_at_most() {
    let sizes = [
        (1, 1),
        (1, 2),
        (2, 2),
        (2, 3),
        (3, 3),
        (1, 1000),
        (2, 1000),
        (3, 999),
        (5, 777),
        (800, 7),
    ];
    for (rows, columns) in sizes {
        let taken = cycles(&random(rows, columns, 3), 1e-8);
        assert!(taken <= 9, "{rows}x{columns}: {taken}");
    }
}

#[test]
fn with_a_coefficient_all_levels_take_not_quite_twelve_numbers_a_cell() {
    for size in [1024, 8192] {
        let grid = GridSize { rows: size, columns: size };
        let bytes = conjugate_gradients::bytes_needed(grid, 1.0, 8, &scheme(8), 1);
        let per_cell = bytes as f64 / 8.0 / (size * size) as f64;
        assert!((11.5..12.0).contains(&per_cell), "{size}: {per_cell}");
    }
}

/// Largest error against the solution sin(πx) · sin(2πy) of −∇²u = 5π² u on the unit square.
fn error(cells: usize) -> f64 {
    let h = 1.0 / (cells as f64 + 1.0);
    let exact = |row: usize, column: usize| {
        let [y, x] = [row, column].map(|index| (index as f64 + 1.0) * h);
        (PI * x).sin() * (2.0 * PI * y).sin()
    };
    let places = (0..cells).flat_map(|row| (0..cells).map(move |column| (row, column)));
    let values = places.clone().map(|(row, column)| h * h * 5.0 * PI * PI * exact(row, column));
    let problem = Problem {
        grid: GridSize { rows: cells, columns: cells },
        boundary: Boundary::default(),
        initial: CellValues::Constant(0.0),
        source: CellValues::Values { columns: cells, values: values.collect() },
        coefficient: CellValues::Constant(1.0),
        cell_ratio: 1.0,
    };
    let mut solver = solver(&problem, scheme(2));
    solver.begin(&Portable, &InTurn);
    for _ in 0..14 {
        solver.cycle(&Portable, &InTurn);
    }
    let errors =
        places.zip(solver.cells()).map(|((row, column), cell)| (cell - exact(row, column)).abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn a_manufactured_solution_is_met_to_the_second_order_of_the_width() {
    let errors = [31, 63, 127, 255].map(error);
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!((3.9..4.1).contains(&ratio), "{errors:?}");
    }
}

#[test]
fn all_levels_and_bands_take_three_and_a_bit_numbers_a_cell() {
    for (size, bands) in [(1024, 8), (2048, 8), (8192, 16)] {
        let grid = GridSize { rows: size, columns: size };
        let with_source = Terms { source: Some(()), ..Terms::NONE };
        let of = |terms, (processes, rows_move)| {
            let numbers = numbers_needed(grid, &scheme(bands), terms, processes, rows_move);
            numbers.into_iter().sum::<u64>() as f64 / (size * size) as f64
        };
        let per_cell = of(with_source, (1, false));
        assert!((2.9..3.2).contains(&per_cell), "{size}: {per_cell}");
        // Without a source of each cell; and where either of two processes may come to have all
        // cells.
        let with_both = of(Terms::NONE, (2, true)) - of(Terms::NONE, (2, false));
        let constant = per_cell - of(Terms::NONE, (1, false));
        assert!([with_both, constant].iter().all(|one| (one - 1.0).abs() < 1e-9), "{size}");
    }
}
