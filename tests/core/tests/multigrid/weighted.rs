//! Multigrid for coefficients: the number of cycles where they jump, the field, and that it is the
//! same to the bit for any number of bands.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use tresse_core::field::grid::Side;
use tresse_core::field::problem::{CellValues, Problem};
use tresse_core::field::stencil::Real;
use tresse_core::multigrid::owned::conjugate_gradients::ConjugateGradients;
use tresse_core::multigrid::owned::{InTurn, SolverState as _};
use tresse_core::multigrid::{Ending, Finding};

use super::problems::{poisson, random, scheme};

type Coefficient = fn(usize, usize, [usize; 2], f64) -> f64;

/// Jumps of a contrast, by row, column and the size of the grid.
const JUMPS: [(&str, Coefficient); 6] =
    [
        ("checkerboard of eighths", |row, column, [rows, _], contrast| {
            if (row / (rows / 8) + column / (rows / 8)).is_multiple_of(2) { 1.0 } else { contrast }
        }),
        (
            "checkerboard of cells",
            |row, column, _, contrast| {
                if (row + column).is_multiple_of(2) { 1.0 } else { contrast }
            },
        ),
        (
            "inclusion that conducts",
            |row, column, size, contrast| {
                if is_inside(row, column, size) { contrast } else { 1.0 }
            },
        ),
        ("inclusion that insulates", |row, column, size, contrast| {
            if is_inside(row, column, size) { 1.0 / contrast } else { 1.0 }
        }),
        ("channels", |row, _, _, contrast| if row % 16 < 3 { contrast } else { 1.0 }),
        (
            "slanted channels",
            |row, column, _, contrast| {
                if (row + column) % 23 < 2 { contrast } else { 1.0 }
            },
        ),
    ];

fn is_inside(row: usize, column: usize, [rows, columns]: [usize; 2]) -> bool {
    (rows * 3 / 10..rows * 7 / 10).contains(&row)
        && (columns * 3 / 10..columns * 7 / 10).contains(&column)
}

fn with_coefficient(problem: Problem, of: impl Fn(usize, usize) -> f64) -> Problem {
    let (rows, columns) = (problem.grid.rows, problem.grid.columns);
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let values = cells.map(|(row, column)| of(row, column)).collect();
    Problem { coefficient: CellValues::Values { columns, values }, ..problem }
}

/// Returns the cycles until the residual is a share of the initial one, or what else ended them.
fn cycles(problem: &Problem, relative: f64) -> Result<u32, Finding> {
    let mut solver = ConjugateGradients::<f64>::new(problem, scheme(1), &InTurn).unwrap();
    let initial = solver.begin(&InTurn);
    let mut ending = Ending::new(initial, &tresse_core_tests::configurations::tolerance(relative))
        .of_conjugate_gradients();
    for count in 1..200 {
        let sum = solver.cycle(&InTurn);
        match ending.judge(sum, || solver.rounding(&InTurn)) {
            Finding::GoOn => {}
            Finding::Reached => {
                let verified = solver.residual_squares(&InTurn);
                assert!(verified <= relative * relative * initial * (1.0 + 1e-9), "{verified}");
                return Ok(count);
            }
            other => return Err(other),
        }
    }
    Err(Finding::GoOn)
}

#[test]
fn jumps_of_ten_thousand_take_at_most_25_cycles_and_a_few_more_where_cells_are_not_square() {
    for (rows, columns) in [(64, 64), (99, 75), (128, 200)] {
        for (name, of) in JUMPS {
            for seed in [None, Some(1)] {
                let of = |row, column| of(row, column, [rows, columns], 1e4);
                let problem = with_coefficient(poisson(rows, columns, seed), of);
                for (cell_ratio, most) in [(1.0, 25), (0.25, 32), (4.0, 32)] {
                    let count = cycles(&Problem { cell_ratio, ..problem.clone() }, 1e-8);
                    let what = format!("{name} {rows}x{columns}, {cell_ratio}: {count:?}");
                    assert!(count.is_ok_and(|count| count <= most), "{what}");
                }
            }
        }
    }
}

/// Whoever loses the digits in which the cells of the inclusion differ stagnates.
#[test]
fn a_large_inclusion_that_conducts_takes_as_few_cycles_as_a_small_one() {
    for cells in [64, 384] {
        let of = |row, column| JUMPS[2].1(row, column, [cells, cells], 1e4);
        let count = cycles(&with_coefficient(poisson(cells, cells, None), of), 1e-8);
        assert!(matches!(count, Ok(1..=8)), "{cells}: {count:?}");
    }
}

/// Whatever the unit that the coefficient is in, also where single precision has no such numbers.
#[test]
fn the_unit_of_the_coefficient_changes_no_cell() {
    let of = |row, column| JUMPS[5].1(row, column, [61, 45], 1e4);
    let random = random(61, 45, 3);
    let solved = |unit: f64| {
        let problem = with_coefficient(random.clone(), |row, column| unit * of(row, column));
        let cells = (0..61).flat_map(|row| (0..45).map(move |column| (row, column)));
        let values = cells.map(|(row, column)| unit * random.source.at(row, column)).collect();
        let source = CellValues::Values { columns: 45, values };
        let problem = Problem { source, ..problem };
        let mut solver = ConjugateGradients::<f64>::new(&problem, scheme(2), &InTurn).unwrap();
        let mut sums = vec![solver.begin(&InTurn)];
        sums.extend((0..4).map(|_| solver.cycle(&InTurn)));
        sums.push(solver.residual_squares(&InTurn));
        let sums = sums.into_iter().map(|sum| sum / (unit * unit));
        let last = solver.last_product().map(|last| last / unit);
        sums.chain(last).chain(solver.into_cells()).map(f64::to_bits).collect::<Vec<_>>()
    };
    let one = solved(1.0);
    for power in [-200, -1, 200] {
        assert!(solved(2_f64.powi(power)) == one, "2^{power}");
    }
}

#[test]
fn jumps_of_a_million_and_smooth_coefficients_converge() {
    let (rows, columns) = (99, 75);
    for (name, of) in JUMPS {
        let of = |row, column| of(row, column, [rows, columns], 1e6);
        let count = cycles(&with_coefficient(poisson(rows, columns, Some(2)), of), 1e-8);
        assert!(matches!(count, Ok(1..=25)), "{name}: {count:?}");
    }
    let smooth = |row: usize, column: usize| {
        let [y, x] = [(row, rows), (column, columns)].map(|(at, of)| at as f64 / of as f64);
        (4.6 * (9.0 * x).sin() * (7.0 * y).cos()).exp()
    };
    let count = cycles(&with_coefficient(poisson(rows, columns, None), smooth), 1e-8);
    assert!(matches!(count, Ok(1..=12)), "smooth: {count:?}");
}

/// However long cells are, with conjugate gradients they take no more cycles than square cells take
/// of multigrid alone.
#[test]
fn cells_need_not_be_square() {
    for (rows, columns) in [(64, 64), (99, 75), (128, 200), (300, 201)] {
        for seed in [None, Some(3)] {
            for (ratio, most) in [(1.3, 9), (2.0, 9), (3.0, 9), (10.0, 9), (1e3, 9)] {
                for cell_ratio in [ratio, 1.0 / ratio] {
                    let problem = Problem { cell_ratio, ..poisson(rows, columns, seed) };
                    let count = cycles(&problem, 1e-8);
                    assert!(
                        count.is_ok_and(|count| count <= most),
                        "{rows}x{columns}, {cell_ratio}: {count:?} of {most}"
                    );
                }
            }
        }
    }
}

/// What rounding does not let become small enough ends, and says so.
#[test]
fn what_rounding_keeps_from_the_tolerance_stagnates() {
    let of = |row, column| JUMPS[2].1(row, column, [96, 96], 1e9);
    let ended = cycles(&with_coefficient(poisson(96, 96, None), of), 1e-13);
    assert_eq!(ended, Err(Finding::Stagnates));
}

/// Sizes down to one cell, each against the residual from its definition.
#[test]
fn every_small_grid_is_solved() {
    for (rows, columns) in
        [(1, 1), (1, 2), (2, 1), (2, 2), (1, 90), (90, 1), (3, 50), (2, 67), (9, 8), (17, 31)]
    {
        let of =
            |row: usize, column: usize| if (row * 7 + column * 3) % 5 < 2 { 300.0 } else { 0.5 };
        let problem = with_coefficient(random(rows, columns, 5), of);
        let mut solver = ConjugateGradients::<f64>::new(&problem, scheme(1), &InTurn).unwrap();
        let initial = solver.begin(&InTurn);
        assert!((naive_residual(&problem, None) / initial - 1.0).abs() < 1e-12);
        for _ in 0..30 {
            solver.cycle(&InTurn);
        }
        let left = naive_residual(&problem, Some(&solver.into_cells()));
        assert!(left <= 1e-20 * initial, "{rows}x{columns}: {left} of {initial}");
    }
}

/// Returns the sum of squares of the residual of a field, or of the start, from its definition.
fn naive_residual(problem: &Problem, field: Option<&[f64]>) -> f64 {
    let (rows, columns) = (problem.grid.rows, problem.grid.columns);
    let k = |row: usize, column: usize| problem.coefficient.at(row, column);
    let u = |row: usize, column: usize| {
        field.map_or_else(|| problem.initial.at(row, column), |field| field[row * columns + column])
    };
    let mut sum = 0.0;
    for row in 0..rows {
        for column in 0..columns {
            let own = (k(row, column), u(row, column));
            let inside = |row: usize, column: usize| {
                let other = k(row, column);
                (2.0 * own.0 * other / (own.0 + other)) * (u(row, column) - own.1)
            };
            let outside =
                |side, index, length| own.0 * (problem.boundary.value(side, index, length) - own.1);
            let up =
                if row > 0 { inside(row - 1, column) } else { outside(Side::Top, column, columns) };
            let down = if row + 1 < rows {
                inside(row + 1, column)
            } else {
                outside(Side::Bottom, column, columns)
            };
            let left =
                if column > 0 { inside(row, column - 1) } else { outside(Side::Left, row, rows) };
            let right = if column + 1 < columns {
                inside(row, column + 1)
            } else {
                outside(Side::Right, row, rows)
            };
            let residual = up + down + left + right + problem.source.at(row, column);
            sum += residual * residual;
        }
    }
    sum
}

fn is_the_same_for_any_number_of_bands<F: Real>() {
    let of = |row: usize, column: usize| {
        if (row / 5 + column / 7).is_multiple_of(2) { 80.0 } else { 0.1 }
    };
    let problem = with_coefficient(random(61, 45, 3), of);
    let solved = |bands| {
        let mut solver = ConjugateGradients::<F>::new(&problem, scheme(bands), &InTurn).unwrap();
        let mut sums = vec![solver.begin(&InTurn)];
        sums.extend((0..4).map(|_| solver.cycle(&InTurn)));
        sums.push(solver.residual_squares(&InTurn));
        let cells = solver.into_cells().into_iter().map(Real::to_f64);
        sums.into_iter().chain(cells).map(f64::to_bits).collect::<Vec<_>>()
    };
    let whole = solved(1);
    for bands in [2, 3, 8, 61, 1000] {
        assert_eq!(solved(bands), whole, "{bands}");
    }
}

#[test]
fn the_field_is_the_same_to_the_bit_for_any_number_of_bands() {
    is_the_same_for_any_number_of_bands::<f64>();
    is_the_same_for_any_number_of_bands::<f32>();
}
