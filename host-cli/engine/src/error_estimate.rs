//! How far a field is from the solution, after a run.

use std::sync::atomic::{AtomicBool, Ordering};

use tresse_core::field::problem::Problem;
use tresse_core::multigrid::owned::{
    Alone, InTurn, Numerics, Processes, Workers, conjugate_gradients, error_estimate,
};
use tresse_core::run::{ErrorEstimate, RunConfig};
use tresse_files::field::Field;

use crate::kernel::RowKernel;
use crate::multigrid::scheme;
use crate::solvers::MultigridChoices;
use crate::threads::{EngineError, on_pinned_threads};
use tresse_platform::Placement;

/// Estimates the error of the field of a run, with a pinned thread for each seat, within the
/// `available` bytes of memory; none where they are too few, the field has no numbers, or somebody
/// interrupts it.
pub fn estimate(
    config: &RunConfig,
    problem: &Problem,
    field: &Field,
    placement: &Placement,
    available: u64,
    interrupt: &AtomicBool,
) -> Result<Option<ErrorEstimate>, EngineError> {
    let goes_on = || !interrupt.load(Ordering::Relaxed);
    if bytes_needed(config, problem) > available || !goes_on() {
        return Ok(None);
    }
    let at = |row, column| match field {
        Field::F32(cells) => cells[(row, column)].into(),
        Field::F64(cells) => cells[(row, column)],
    };
    on_pinned_threads(placement, |threads| {
        of_field((config, problem), at, (Alone, threads), goes_on)
    })
}

/// Estimates the error of a field together with other processes, each of which knows the whole
/// field and works on its calling thread. Collective.
pub fn estimate_among(
    config: &RunConfig,
    problem: &Problem,
    field: impl Fn(usize, usize) -> f64,
    processes: impl Processes<f64>,
) -> Option<ErrorEstimate> {
    of_field((config, problem), field, (processes, &InTurn), || true)
}

/// Estimates the error of a field, given by row and column. `None` where no scheme suits it, or
/// where `goes_on` ends it.
fn of_field(
    (config, problem): (&RunConfig, &Problem),
    field: impl Fn(usize, usize) -> f64,
    (processes, workers): (impl Processes<f64>, &impl Workers),
    goes_on: impl Fn() -> bool,
) -> Option<ErrorEstimate> {
    let scheme = scheme(config, MultigridChoices::default())?;
    let by = Numerics { processes, workers, kernel: &RowKernel::best() };
    error_estimate(problem, field, scheme, by, goes_on)
}

/// Returns the bytes that each process needs to estimate the error, its copy of the field included.
pub fn bytes_needed(config: &RunConfig, problem: &Problem) -> u64 {
    let Some(scheme) = scheme(config, MultigridChoices::default()) else { return u64::MAX };
    let (grid, cell_bytes) = (problem.grid, size_of::<f64>() as u64);
    let arrays = 3 * grid.cells() * cell_bytes;
    conjugate_gradients::bytes_needed(grid, problem.cell_ratio, cell_bytes, &scheme, 1)
        .saturating_add(arrays)
}
