//! How far a field is from the solution: the residual equation, solved by a few cycles.
//!
//! The residual says how well a field keeps the equation, in the equation's unit; a residual that
//! is small beside the one of the start may still belong to a smooth error that is large. The error
//! e of a field u solves A·e = f − A·u with zeros around it, which multigrid solves as it solves
//! the problem (Briggs et al., A Multigrid Tutorial, 2nd ed., chapter 2).

use alloc::vec::Vec;

use super::conjugate_gradients::ConjugateGradients;
use super::{Multigrid, Processes, Scheme, Workers};
use crate::field::grid::Side;
use crate::field::problem::{CellValues, Problem, side_length};
use crate::multigrid::Kernel;
use crate::run::{ErrorEstimate, GridSize};

/// Cycles after which the error is known to some percent: each leaves a tenth or less of what is
/// not known.
const CYCLES: u32 = 2;
/// As many with conjugate gradients, which a coefficient with jumps slows down; then more, until
/// the square of the residual has fallen to this share.
const CYCLES_WITH_CONJUGATE_GRADIENTS: u32 = 4;
const KNOWN: f64 = 1e-4;
const MOST_CYCLES: u32 = 60;

/// What solves for the error: who takes part, this process's threads, and their kernel.
#[derive(Debug)]
pub struct Numerics<'a, P, W, K> {
    /// All processes.
    pub processes: P,
    /// Threads of this one.
    pub workers: &'a W,
    /// What they do to rows.
    pub kernel: &'a K,
}

/// Estimates the error of a problem's field, which is `field` of (row, column) and which every
/// process knows; none for a field without cells, or one with numbers that are not finite, and
/// where `goes_on`, which every process answers alike, is false between two cycles. Collective.
pub fn error_estimate<P: Processes<f64>, W: Workers, K: Kernel<f64> + Sync>(
    problem: &Problem,
    field: impl Fn(usize, usize) -> f64,
    scheme: Scheme,
    by: Numerics<'_, P, W, K>,
    goes_on: impl Fn() -> bool,
) -> Option<ErrorEstimate> {
    let GridSize { rows, columns } = problem.grid;
    let around = |row: usize, column: usize| around(problem, &field, row, column);
    let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut residuals = Vec::with_capacity(rows.saturating_mul(columns));
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let (own, around) = (field(row, column), around(row, column));
        let faces = problem.faces(row, column);
        let differences = faces.into_iter().zip(around).map(|(face, other)| face * (other - own));
        residuals.push(problem.source.at(row, column) + differences.sum::<f64>());
        if problem.leaves_out(row, column) {
            continue;
        }
        // The start counts as well: where the solution is zero, rounding is all that is left.
        let beside = faces.into_iter().zip(around).filter(|(face, _)| *face > 0.0);
        let beside = beside.map(|(_, other)| other);
        for value in beside.chain([own, problem.initial.at(row, column)]) {
            (lowest, highest) = (lowest.min(value), highest.max(value));
        }
    }
    if residuals.is_empty() || !residuals.iter().all(|residual| residual.is_finite()) {
        return None;
    }
    let errors = Problem {
        boundary: problem.boundary.homogeneous(),
        initial: CellValues::Constant(0.0),
        source: CellValues::Values { columns, values: residuals },
        ..problem.clone()
    };
    let [largest, l2] = if errors.terms().faces.is_some() {
        let Numerics { processes, workers, .. } = by;
        let mut solver = ConjugateGradients::<f64, P>::among(&errors, scheme, processes, workers)?;
        let initial = solver.begin(workers);
        let mut squares = initial;
        for cycle in 0..MOST_CYCLES {
            if cycle >= CYCLES_WITH_CONJUGATE_GRADIENTS && squares <= KNOWN * initial {
                break;
            }
            squares = goes_on().then(|| solver.cycle(workers))?;
        }
        let own = norms(solver.cells());
        together(own, |said| solver.gather_each(said))
    } else {
        let Numerics { processes, workers, kernel } = by;
        let mut solver = Multigrid::<f64, P>::among(&errors, scheme, processes)?;
        solver.begin(kernel, workers);
        for _ in 0..CYCLES {
            goes_on().then(|| solver.cycle(kernel, workers))?;
        }
        let rows = solver.rows();
        let own = solver.cells().get(rows.start * columns..rows.end * columns);
        let own = norms(own.unwrap_or_default().iter().copied());
        together(own, |said| solver.gather_each(said))
    };
    Some(ErrorEstimate { largest, l2, range: highest - lowest })
}

/// Returns the largest of some errors, and the sum of their squares.
fn norms(errors: impl Iterator<Item = f64>) -> [f64; 2] {
    errors.fold([0.0, 0.0], |[largest, squares], error| {
        [f64::max(largest, error.abs()), squares + error * error]
    })
}

/// Returns the largest error and the l2 norm over all processes, from this one's largest error and
/// sum of squares. `gather` returns the bits of every process.
fn together(own: [f64; 2], mut gather: impl FnMut(u64) -> Vec<u64>) -> [f64; 2] {
    let [largest, squares] = own.map(|own| gather(own.to_bits()));
    let largest = largest.into_iter().map(f64::from_bits).fold(0.0, f64::max);
    [largest, libm::sqrt(squares.into_iter().map(f64::from_bits).sum())]
}

/// Returns the values of the neighbours above, below, left and right of a cell, or of the boundary.
fn around(
    problem: &Problem,
    field: &impl Fn(usize, usize) -> f64,
    row: usize,
    column: usize,
) -> [f64; 4] {
    let GridSize { rows, columns } = problem.grid;
    let beyond = |side, place| problem.boundary.value(side, place, side_length(side, problem.grid));
    let above = row.checked_sub(1);
    let left = column.checked_sub(1);
    let below = Some(row + 1).filter(|&below| below < rows);
    let right = Some(column + 1).filter(|&right| right < columns);
    [
        above.map_or_else(|| beyond(Side::Top, column), |row| field(row, column)),
        below.map_or_else(|| beyond(Side::Bottom, column), |row| field(row, column)),
        left.map_or_else(|| beyond(Side::Left, row), |column| field(row, column)),
        right.map_or_else(|| beyond(Side::Right, row), |column| field(row, column)),
    ]
}
