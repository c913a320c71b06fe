//! `--resume DIR`: what a run takes over from the checkpoint that it goes on from, and what it does
//! not.

use tresse_core::run::RunConfig;

use crate::checkpoints::whole_iterations;
use crate::commands::args::{MethodChoice, SolveArgs};
use crate::commands::{CommandError, RunError};
use crate::files::checkpoint::{Checkpoint, MultigridState, ProblemHash};
use crate::solvers::Method;

/// Fills in the choices that a person has left open with those of the checkpoint.
pub fn complete(args: &mut SolveArgs, checkpoint: &Checkpoint) {
    let state = &checkpoint.manifest().state;
    let (saved, choices) = (&state.config, &mut args.choices);
    choices.precision.get_or_insert(saved.precision);
    let by = if state.multigrid.is_some() { MethodChoice::Multigrid } else { MethodChoice::Jacobi };
    let is_same = *choices.method.get_or_insert(by) == by;
    if let Some(MultigridState { choices: saved, .. }) = state.multigrid.filter(|_| is_same) {
        choices.smoothing.get_or_insert(saved.smoothing);
        choices.coarsest.get_or_insert(saved.coarsest);
        choices.coarse_cycles.get_or_insert(saved.coarse_cycles);
    }
    let has_grid = args.grid.is_some() || args.choices.cells_per_worker.is_some();
    if !has_grid && args.problem.is_none() {
        args.grid = Some(saved.grid);
    }
}

/// Refuses a run that cannot go on from the checkpoint, and an end that this has reached already;
/// iterations are those of all runs together.
pub fn check(
    checkpoint: &Checkpoint,
    method: Method,
    config: &RunConfig,
    problem: &ProblemHash,
) -> Result<(), CommandError> {
    checkpoint.check(method, config, problem)?;
    let made = whole_iterations(checkpoint);
    match config.stop.iterations {
        Some(asked) if asked <= made => Err(RunError::Made { asked, made }.into()),
        _ => Ok(()),
    }
}
