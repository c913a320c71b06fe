//! `--resume DIR`: opens the checkpoint that a run resumes from.

use std::path::{Path, PathBuf};

use tresse::commands::args::{MethodChoice, SolveArgs};
use tresse::commands::warn;
use tresse::files::checkpoint::{Checkpoint, MultigridState};
use tresse_core::id::RankId;
use tresse_core::run::RunConfig;

use super::error::SolveError;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};
use crate::rank::restored::whole_iterations;

/// Opens a checkpoint on all ranks: the first one finds the newest that is whole. Collective.
pub fn open(entry: &mut Entry, path: &Path) -> Result<Checkpoint, Refused> {
    let opened = (entry.rank() == RankId(0)).then(|| Checkpoint::open(path)).transpose();
    let opened = together(entry, opened.map_err(SolveError::from))?;
    let mut name = opened.as_ref().map_or_else(Vec::new, |opened| {
        if let Some(warning) = &opened.warning {
            warn(warning);
        }
        opened.checkpoint.path().display().to_string().into_bytes()
    });
    entry.broadcast(&mut name);
    let checkpoint = match opened {
        Some(opened) => Ok(opened.checkpoint),
        None => Checkpoint::index(&PathBuf::from(String::from_utf8_lossy(&name).into_owned())),
    };
    together(entry, checkpoint.map_err(SolveError::from))
}

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
        choices.coarse_visits.get_or_insert(saved.coarse_visits);
    }
    let has_grid = args.grid.is_some() || args.choices.cells_per_worker.is_some();
    if !has_grid && args.problem.is_none() {
        args.grid = Some(saved.grid);
    }
}

/// Refuses an end that the checkpoint has reached already; iterations are those of all runs together.
pub fn check(config: &RunConfig, checkpoint: &Checkpoint) -> Result<(), SolveError> {
    let made = whole_iterations(checkpoint);
    match config.stop.iterations {
        Some(asked) if asked <= made => Err(SolveError::Made { asked, made }),
        _ => Ok(()),
    }
}
