//! The synchronous modes against serial loops, to the bit: whoever sweeps a cell, and however the
//! grid is cut, the same numbers are added in the same order.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use tresse::engine::solvers::Solver;
use tresse_core::field::stencil::Real;
use tresse_core::run::{Balance, GridSize, Imbalance, Mode, Precision, RunConfig};
use tresse_tests::problems::{
    Failure, config, heterogeneous, iterations, random, run_by, smallest_grid, stretched,
    with_holes,
};
use tresse_tests::reference::Reference;

#[derive(Clone, Copy, Debug)]
struct Case {
    seed: u64,
    workers: u32,
    split: u32,
    grid: GridSize,
    iterations: u64,
    with_source: bool,
    with_coefficient: bool,
    is_stretched: bool,
    precision: Precision,
    imbalance: Imbalance,
}

/// So uneven that the smallest part is a quarter of the mean.
const SMALLEST_QUARTER: u32 = 750_000;

prop_compose! {
    /// More workers than this machine has cores are welcome.
    fn cases()(
        seed in any::<u64>(),
        workers in 1_u32..=5,
        split in 1_u32..=6,
        (more_rows, more_columns) in (0_usize..24, 0_usize..24),
        iterations in 1_u64..80,
        with_source in any::<bool>(),
        with_coefficient in any::<bool>(),
        is_stretched in any::<bool>(),
        precision in prop_oneof![Just(Precision::F32), Just(Precision::F64)],
        millionths in prop_oneof![Just(0), 1..=SMALLEST_QUARTER],
    ) -> Case {
        let GridSize { rows, columns } = smallest_grid(workers, split);
        let rows = if millionths == 0 { rows } else { 4 * rows };
        let grid = GridSize { rows: rows + more_rows, columns: columns + more_columns };
        let imbalance = Imbalance { millionths };
        Case {
            seed, workers, split, grid, iterations, with_source, with_coefficient, is_stretched, precision, imbalance,
        }
    }
}

fn agrees(case: Case, solver: Solver, balance: Balance) -> Result<(), Failure> {
    let Case { workers, split, precision, imbalance, .. } = case;
    let method = (solver.mode(), balance);
    let config = config(case.grid, (workers, split), method, iterations(case.iterations));
    let config = RunConfig { precision, imbalance, ..config };
    match precision {
        Precision::F32 => compare::<f32>(case, solver, &config),
        Precision::F64 => compare::<f64>(case, solver, &config),
    }
}

fn compare<F: Real>(case: Case, solver: Solver, config: &RunConfig) -> Result<(), Failure> {
    let mut problem = random(case.seed, case.grid, case.with_source);
    if case.with_coefficient {
        problem = heterogeneous(case.seed, problem);
    }
    if case.with_coefficient && case.seed.is_multiple_of(3) {
        problem = with_holes(case.seed, problem);
    }
    if case.is_stretched {
        problem = stretched(problem);
    }
    let mut reference = Reference::<F>::new(&problem);
    for _ in 0..case.iterations {
        reference.sweep();
    }
    let (field, record) = run_by(solver, &problem, config, &AtomicBool::new(false))?;
    if record.progress.least != case.iterations || record.progress.most != case.iterations {
        return Err(format!("made {:?} of {} sweeps", record.progress, case.iterations).into());
    }
    for ((place, cell), expected) in field.indexed_iter().zip(&reference.field()) {
        if cell.to_bits() != expected.to_bits() {
            return Err(
                format!("cell {place:?} is {cell:?}, the reference has {expected:?}").into()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn sync_is_the_serial_reference_to_the_bit(case in cases()) {
        agrees(case, Mode::Sync.into(), Balance::None).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }

    #[test]
    fn rayon_is_the_serial_reference_to_the_bit(case in cases()) {
        agrees(case, Solver::Rayon, Balance::None).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }

    /// Without a barrier, and with whatever is ready borrowed.
    #[test]
    fn exact_is_the_serial_reference_to_the_bit(case in cases(), is_pulled in any::<bool>()) {
        let balance = if is_pulled { Balance::Pull(0) } else { Balance::None };
        agrees(case, Mode::Exact.into(), balance).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }
}

/// Checks that another order of additions shows in the first sweep, so that the comparison is worth
/// something.
#[test]
fn another_order_shows() {
    let problem = random(3, GridSize { rows: 9, columns: 9 }, false);
    let mut reference = Reference::<f64>::new(&problem);
    let old = reference.field();
    reference.sweep();
    let new = reference.field();
    let differs = |row: usize, column: usize| {
        let (up, left) = (old[(row - 1, column)], old[(row, column - 1)]);
        let (down, right) = (old[(row + 1, column)], old[(row, column + 1)]);
        let turned = (up + left + (down + right)) / 4.0;
        turned.to_bits() != new[(row, column)].to_bits()
    };
    assert!((1..8).any(|row| (1..8).any(|column| differs(row, column))));
}
