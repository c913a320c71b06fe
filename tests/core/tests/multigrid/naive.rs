//! The cycles are the naive ones to the bit, for any number of bands.

use proptest::prelude::*;
use tresse_core::multigrid::owned::{InTurn, Scheme};
use tresse_core::multigrid::{Portable, Smoothing};
use tresse_core_tests::multigrid::NaiveMultigrid;

use super::problems::{random, scheme, solver};

/// Compares `cycles` cycles of a problem with as many naive ones, cell by cell, and the sums of
/// squares.
pub fn agrees(
    (rows, columns): (usize, usize),
    cycles: usize,
    scheme: Scheme,
) -> Result<(), String> {
    let problem = random(rows, columns, 7);
    let Scheme { coarsest, coarse_cycles, .. } = scheme;
    let steps = scheme.smoothing.weights().len();
    let mut naive = NaiveMultigrid::new(&problem, steps, coarsest, coarse_cycles);
    let mut tested = solver(&problem, scheme);
    let mut sum = tested.begin(&Portable, &InTurn);
    for cycle in 0..=cycles {
        let squares: f64 = naive.residual().iter().map(|row| in_lanes(row)).sum();
        let verified = tested.residual_squares(&InTurn);
        if (sum.to_bits(), verified.to_bits()) != (squares.to_bits(), squares.to_bits()) {
            return Err(format!(
                "sum {sum:e} ({verified:e}) in place of {squares:e} after {cycle}"
            ));
        }
        for (index, cell) in tested.cells().iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let expected = naive.cells[row + 1][column + 1];
            if cell.to_bits() != expected.to_bits() {
                return Err(format!(
                    "{cell:e} in place of {expected:e} at {row}, {column} after {cycle}"
                ));
            }
        }
        naive.cycle();
        sum = tested.cycle(&Portable, &InTurn);
    }
    Ok(())
}

/// Sixteen sums, by the column, added in order.
fn in_lanes(row: &[f64]) -> f64 {
    let mut lanes = [0.0; 16];
    for (column, value) in row.iter().enumerate() {
        lanes[column % 16] += value * value;
    }
    lanes.iter().sum()
}

#[test]
fn every_small_grid_is_that_of_the_naive_cycles() {
    for rows in 1..=13 {
        for columns in 1..=13 {
            for coarsest in [1, 20] {
                let scheme = Scheme { coarsest, ..scheme(2) };
                let result = agrees((rows, columns), 2, scheme);
                assert!(result.is_ok(), "{rows}x{columns}, {coarsest}: {result:?}");
            }
        }
    }
}

#[test]
fn larger_odd_and_thin_grids_are_those_of_the_naive_cycles() {
    for size in [
        (64, 64),
        (75, 99),
        (101, 50),
        (201, 133),
        (2, 400),
        (300, 3),
        (1, 257),
        (97, 1),
        (3, 1500),
    ] {
        for bands in [1, 3, 8] {
            let result = agrees(size, 3, scheme(bands));
            assert!(result.is_ok(), "{size:?} in {bands} bands: {result:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_scheme_is_the_naive_one(
        rows in 1_usize..120,
        columns in 1_usize..60,
        steps in 1_usize..=8,
        coarsest in 1_usize..200,
        (bands, group) in (1_usize..9, 1_usize..5),
        shared_from in 1_usize..2000,
        coarse_cycles in 1_usize..=4,
    ) {
        let smoothing = Smoothing::chebyshev(steps).unwrap();
        let scheme = Scheme { smoothing, coarsest, coarse_cycles, bands, group, shared_from };
        let result = agrees((rows, columns), 2, scheme);
        prop_assert!(result.is_ok(), "{result:?}");
    }
}
