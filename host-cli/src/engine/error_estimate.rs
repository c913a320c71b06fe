//! How far a field is from the solution, after a run.

use tresse_core::field::problem::Problem;
use tresse_core::multigrid::owned::{Alone, InTurn, Processes, error_estimate, gradients};
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
    if bytes_needed(config, problem) > available {
        return None;
    }
    match field {
        Field::F32(cells) => {
            estimate_among(config, problem, |row, column| cells[(row, column)].into(), Alone)
        }
        Field::F64(cells) => {
            estimate_among(config, problem, |row, column| cells[(row, column)], Alone)
        }
    }
}

/// Estimates it together with other processes, each on its calling thread, of which every one knows the whole field.
/// Collective.
pub fn estimate_among(
    config: &RunConfig,
    problem: &Problem,
    field: impl Fn(usize, usize) -> f64,
    processes: impl Processes<f64>,
) -> Option<ErrorEstimate> {
    let scheme = scheme(config, MultigridChoices::default())?;
    error_estimate(problem, field, scheme, (processes, &InTurn))
}

/// Bytes that each process needs for that, its copy of the field included.
pub fn bytes_needed(config: &RunConfig, problem: &Problem) -> u64 {
    let Some(scheme) = scheme(config, MultigridChoices::default()) else { return u64::MAX };
    let grid = (problem.grid, problem.cell_ratio, size_of::<f64>() as u64);
    let arrays = 3 * problem.grid.cells() * size_of::<f64>() as u64;
    gradients::bytes_needed(grid, &scheme, 1).saturating_add(arrays)
}
