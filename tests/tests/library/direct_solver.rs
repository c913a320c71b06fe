//! Every mode and balancer against a dense LU decomposition of the same equations.

use std::sync::atomic::AtomicBool;

use tresse_core::field::stencil::Real;
use tresse_core::run::{GridSize, Precision, RunConfig};
use tresse_tests::direct::check;
use tresse_tests::problems::{
    Failure, config, heterogeneous, methods, methods_of_all_solvers, random, run, run_by, tolerance,
};

const GRIDS: [(usize, usize); 3] = [(13, 11), (8, 17), (15, 15)];

fn every_method_reaches_the_solution<F: Real>(
    precision: Precision,
    relative: f64,
) -> Result<(), Failure> {
    for (seed, (rows, columns)) in (0..).zip(GRIDS) {
        let grid = GridSize { rows, columns };
        let mut problem = random(seed, grid, seed != 1);
        if seed == 0 {
            problem = heterogeneous(seed, problem);
        }
        for (solver, balance) in methods_of_all_solvers() {
            for parts in [(3, 4), (2, 6), (4, 2)] {
                let method = (solver.mode(), balance);
                let config = config(grid, parts, method, tolerance(relative));
                let config = RunConfig { precision, ..config };
                let never = AtomicBool::new(false);
                let (field, record) = run_by(solver, &problem, &config, &never)?;
                check::<F>(&problem, &field, &record, relative).map_err(|error| {
                    format!("seed {seed}, {grid}, {parts:?}, {solver} {balance}: {error}")
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
