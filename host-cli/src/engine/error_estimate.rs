//! How far a field is from the solution, after a run.

use tresse_core::owned::multigrid::{InTurn, error_estimate, gradients};
use tresse_core::problem::Problem;
use tresse_core::run::{ErrorEstimate, RunConfig};
use tresse_files::field::Field;

use crate::engine::multigrid::scheme;
use crate::engine::solvers::MultigridChoices;

/// Estimates the error of the field of a run, on the calling thread, within the `available` bytes of memory; none where
/// they are too few, or the field has no numbers.
pub fn estimate(
    config: &RunConfig,
    problem: &Problem,
    field: &Field,
    available: u64,
) -> Option<ErrorEstimate> {
    let scheme = scheme(config, MultigridChoices::default())?;
    let grid = (problem.grid, problem.cell_ratio, size_of::<f64>() as u64);
    let arrays = 3 * problem.grid.cells() * size_of::<f64>() as u64;
    if gradients::bytes_needed(grid, &scheme, 1).saturating_add(arrays) > available {
        return None;
    }
    match field {
        Field::F32(cells) => {
            let at = |row, column| f64::from(cells[(row, column)]);
            error_estimate(problem, at, scheme, &InTurn)
        }
        Field::F64(cells) => {
            let at = |row, column| cells[(row, column)];
            error_estimate(problem, at, scheme, &InTurn)
        }
    }
}
