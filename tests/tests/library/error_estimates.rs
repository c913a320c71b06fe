//! What a run says of its distance from the solution, beside a dense LU decomposition; and what
//! tolerances are relative to.

use std::sync::atomic::AtomicBool;

use tresse::engine::error_estimate::estimate;
use tresse::engine::solver::Field;
use tresse::files::problem::{CellValues, Problem};
use tresse_core::run::convergence::norm;
use tresse_core::run::{Balance, End, GridSize, Mode, Stop};
use tresse_tests::direct::solve_directly;
use tresse_tests::problems::{
    Failure, config, heterogeneous, placement, random, run, stretched, tolerance,
};

const ASYNC: (Mode, Balance) = (Mode::Async, Balance::None);

/// Returns ten problems of every kind.
fn problems() -> impl Iterator<Item = Problem> {
    (0..10).zip(9..).map(|(seed, rows)| {
        let grid = GridSize { rows, columns: 31 - rows };
        let problem = random(seed, grid, seed % 2 == 0);
        let problem = if seed % 3 == 1 { heterogeneous(seed, problem) } else { problem };
        if seed % 4 == 3 { stretched(problem) } else { problem }
    })
}

#[test]
fn an_error_is_estimated_within_a_factor_of_two() -> Result<(), Failure> {
    for (number, problem) in problems().enumerate() {
        for relative in [0.3, 1e-3] {
            let config = config(problem.grid, (2, 2), ASYNC, tolerance(relative));
            let (field, _) = run(&problem, &config)?;
            let exact = solve_directly::<f64>(&problem).ok_or("no solution")?;
            let errors = &field - &exact;
            let largest = errors.iter().fold(0.0, |largest: f64, error| largest.max(error.abs()));
            let l2 = errors.iter().map(|error| error * error).sum::<f64>().sqrt();
            let (field, threads) = (Field::F64(field), placement(4)?);
            let estimated = |interrupt: &AtomicBool| {
                estimate(&config, &problem, &field, &threads, u64::MAX, interrupt)
            };
            assert_eq!(estimated(&AtomicBool::new(true))?, None);
            let found = estimated(&AtomicBool::new(false))?.ok_or("no estimate")?;
            for (found, exact) in [(found.largest, largest), (found.l2, l2)] {
                let ratio = found / exact;
                assert!((0.5..=2.0).contains(&ratio), "problem {number}, {relative}: {ratio}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_norm_of_a_problem_is_the_residual_of_zeros() -> Result<(), Failure> {
    for problem in problems() {
        let zeros = Problem { initial: CellValues::Constant(0.0), ..problem };
        let config = config(zeros.grid, (2, 2), ASYNC, tolerance(0.5));
        let (_, record) = run(&zeros, &config)?;
        let ours = norm(zeros.norm_squared());
        assert!((ours / record.residual.initial - 1.0).abs() < 1e-12, "{ours}");
    }
    Ok(())
}

/// A start that is the solution already is not asked to become a thousand times better.
#[test]
fn a_tolerance_of_the_problem_does_not_depend_on_the_start() -> Result<(), Failure> {
    let problem = random(3, GridSize { rows: 14, columns: 12 }, true);
    let exact = solve_directly::<f64>(&problem).ok_or("no solution")?;
    let values = exact.iter().copied().collect();
    let solved = Problem { initial: CellValues::Values { columns: 12, values }, ..problem };
    let of_problem = Stop { reference: Some(norm(solved.norm_squared())), ..tolerance(1e-6) };
    let (_, record) = run(&solved, &config(solved.grid, (2, 2), ASYNC, of_problem))?;
    assert_eq!((record.end, record.progress.updates), (End::Converged, 0));
    let absolute = Stop { absolute_tolerance: Some(1e-6), ..Stop::NEVER };
    let (_, record) = run(&solved, &config(solved.grid, (2, 2), ASYNC, absolute))?;
    assert_eq!((record.end, record.progress.updates), (End::Converged, 0));
    let of_start = tolerance(1e-6);
    let (_, record) = run(&solved, &config(solved.grid, (2, 2), ASYNC, of_start))?;
    assert_eq!(record.end, End::Stagnated, "nothing is gained where nothing is left");
    Ok(())
}
