//! Every run ends, and says why: whatever the mode, the balancer and what it is to end at.

use std::sync::atomic::AtomicBool;

use tresse::engine::solvers::Solver;
use tresse::engine::threads::{End, RunRecord};
use tresse_core::run::{Balance, GridSize, Mode, Precision, RunConfig, Stop};
use tresse_tests::problems::{
    Failure, config, iterations, methods_of_all_solvers, random, run_by, smallest_grid, tolerance,
    within_ten_minutes,
};

/// Small, and few iterations of it: beside other programs, a worker that waits for another one may
/// wait for a slice of the system's time in each of them.
const GRID: GridSize = GridSize { rows: 9, columns: 12 };
const PARTS: (u32, u32) = (3, 4);

fn run(by: Solver, config: RunConfig, interrupted: bool) -> Result<RunRecord, Failure> {
    let what = format!("{by} {config:?}");
    let problem = random(9, config.grid, true);
    let (_, record) = within_ten_minutes(&what, move || {
        run_by(by, &problem, &config, &AtomicBool::new(interrupted))
    })??;
    Ok(record)
}

/// Every method on a grid, with a stop; `interrupted` before it starts.
fn all_end(
    (grid, parts): (GridSize, (u32, u32)),
    stop: Stop,
    interrupted: bool,
    expected: &[End],
) -> Result<(), Failure> {
    for (solver, balance) in methods_of_all_solvers() {
        let method = (solver.mode(), balance);
        for precision in [Precision::F32, Precision::F64] {
            let config = RunConfig { precision, ..config(grid, parts, method, stop) };
            let record = run(solver, config, interrupted)?;
            if !expected.contains(&record.end) {
                return Err(format!("{solver} {balance} {precision}: {record:?}").into());
            }
            let made = record.progress.mean();
            if record.end == End::Iterations && made < stop.iterations.unwrap_or(0) as f64 {
                return Err(format!("{made} iterations of {:?}", stop.iterations).into());
            }
        }
    }
    Ok(())
}

#[test]
fn at_a_tolerance() -> Result<(), Failure> {
    all_end((GRID, PARTS), tolerance(0.1), false, &[End::Converged])
}

#[test]
fn after_one_iteration() -> Result<(), Failure> {
    all_end((GRID, PARTS), iterations(1), false, &[End::Iterations])
}

/// Workers that share a core are thousands of sweeps apart, and those of one that waits none.
#[test]
fn after_as_many_iterations_on_average_as_were_asked_for() -> Result<(), Failure> {
    all_end((GRID, PARTS), iterations(40), false, &[End::Iterations])
}

#[test]
fn at_whichever_comes_first() -> Result<(), Failure> {
    let first = Stop { tolerance: Some(1e-12), iterations: Some(20), ..Stop::NEVER };
    // A worker that others share their core with may be done before they start, and after.
    all_end((GRID, PARTS), first, false, &[End::Iterations])?;
    let second = Stop { tolerance: Some(0.5), iterations: Some(1_000_000_000), ..Stop::NEVER };
    all_end((GRID, PARTS), second, false, &[End::Converged])
}

#[test]
fn at_once_when_interrupted() -> Result<(), Failure> {
    all_end((GRID, PARTS), tolerance(1e-300), true, &[End::Interrupted])
}

#[test]
fn on_a_single_cell() -> Result<(), Failure> {
    let one = (GridSize { rows: 1, columns: 1 }, (1, 1));
    all_end(one, tolerance(1e-6), false, &[End::Converged])?;
    all_end(one, iterations(3), false, &[End::Iterations])
}

#[test]
fn on_as_many_subdomains_as_cells() -> Result<(), Failure> {
    let parts = (3, 6);
    let cells = (smallest_grid(parts.0, parts.1), parts);
    all_end(cells, tolerance(1e-3), false, &[End::Converged])?;
    all_end(cells, iterations(20), false, &[End::Iterations])
}

#[test]
fn below_what_single_precision_can_reach() -> Result<(), Failure> {
    for (solver, balance) in methods_of_all_solvers() {
        // A few cells are done after some dozen iterations.
        let grid = smallest_grid(PARTS.0, PARTS.1);
        let single = config(grid, PARTS, (solver.mode(), balance), tolerance(1e-12));
        let single = RunConfig { precision: Precision::F32, ..single };
        let record = run(solver, single, false)?;
        assert_eq!(record.end, End::Stagnated, "{solver} {balance}: {:?}", record.residual);
        // It stopped because there was nothing left to gain, not long before.
        assert!(record.residual.relative < 1e-5, "{solver} {balance}: {:?}", record.residual);
    }
    Ok(())
}

#[test]
fn on_numbers_that_overflow() -> Result<(), Failure> {
    for (mode, balance) in [(Mode::Sync, Balance::None), (Mode::Async, Balance::None)] {
        let mut problem = random(1, GRID, false);
        problem.initial = tresse::files::problem::CellValues::Constant(3e38);
        let config = config(GRID, PARTS, (mode, balance), tolerance(1e-3));
        let config = RunConfig { precision: Precision::F32, ..config };
        let (_, record) = within_ten_minutes("a run that overflows", move || {
            run_by(mode.into(), &problem, &config, &AtomicBool::new(false))
        })??;
        assert_eq!(record.end, End::NotFinite, "{mode}");
        assert!(!record.is_valid());
    }
    Ok(())
}
