//! Errors that keep a rank from iterating.

use tresse::files::checkpoint::CheckpointError;
use tresse_core::run::RunConfigError;

use crate::mpi::{Entry, WindowError};

/// A run that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RankError {
    /// The configuration is not valid.
    #[error(transparent)]
    Config(#[from] RunConfigError),
    /// MPI lends no memory.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The checkpoint is not one to go on from, or has changed since it was opened.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Another rank has failed, and reports the reason.
    #[error("")]
    OtherRank,
}

/// Returns what this rank has read of a checkpoint if all have: one that cannot read its part does
/// not let the others wait. Collective.
pub(crate) fn all_restored<T>(
    entry: &mut Entry,
    restored: Result<T, CheckpointError>,
) -> Result<T, RankError> {
    let is_lost = entry.max_u64(u64::from(restored.is_err())) > 0;
    let restored = restored.map_err(RankError::Checkpoint)?;
    if is_lost { Err(RankError::OtherRank) } else { Ok(restored) }
}
