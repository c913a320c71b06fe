//! Problems of any size with numbers that round, and solvers of them.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use tresse_core::base::rng::Rng;
use tresse_core::field::grid::Side;
use tresse_core::field::problem::{Boundary, CellValues, Problem, Profile};
use tresse_core::multigrid::Smoothing;
use tresse_core::multigrid::owned::{Multigrid, Scheme};
use tresse_core::run::GridSize;

/// A problem whose source, start and boundary are all random.
pub fn random(rows: usize, columns: usize, seed: u64) -> Problem {
    let mut rng = Rng::new(seed, 0);
    let mut numbers = |count: usize| (0..count).map(|_| number(&mut rng)).collect::<Vec<_>>();
    let mut boundary = Boundary::default();
    for side in Side::ALL {
        let length = if matches!(side, Side::Top | Side::Bottom) { columns } else { rows };
        boundary = boundary.with(side, Profile::Values(numbers(length)));
    }
    let initial = CellValues::Values { columns, values: numbers(rows * columns) };
    let source = CellValues::Values { columns, values: numbers(rows * columns) };
    let (grid, coefficient) = (GridSize { rows, columns }, CellValues::Constant(1.0));
    Problem { grid, boundary, initial, source, coefficient, cell_ratio: 1.0 }
}

/// Zero boundary and start, and a source of ones or of random numbers.
pub fn poisson(rows: usize, columns: usize, seed: Option<u64>) -> Problem {
    let source = match seed {
        None => CellValues::Constant(1.0),
        Some(seed) => {
            let mut rng = Rng::new(seed, 0);
            let values = (0..rows * columns).map(|_| number(&mut rng)).collect();
            CellValues::Values { columns, values }
        }
    };
    let (grid, initial) = (GridSize { rows, columns }, CellValues::Constant(0.0));
    let coefficient = CellValues::Constant(1.0);
    let boundary = Boundary::default();
    Problem { grid, boundary, initial, source, coefficient, cell_ratio: 1.0 }
}

/// From −1 to 1.
fn number(rng: &mut Rng) -> f64 {
    f64::from(rng.below(u32::MAX)) / f64::from(u32::MAX) * 2.0 - 1.0
}

/// A scheme of three steps, at most 64 unknowns and two cycles of the second level, in this many
/// bands, every level shared.
pub fn scheme(bands: usize) -> Scheme {
    let smoothing = Smoothing::chebyshev(3).unwrap();
    Scheme { smoothing, coarsest: 64, coarse_cycles: 2, bands, group: 1, shared_from: 1 }
}

/// A solver of it.
pub fn solver(problem: &Problem, scheme: Scheme) -> Multigrid<f64> {
    Multigrid::new(problem, scheme).unwrap()
}
