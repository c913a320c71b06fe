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
    /// Another rank has failed, for this reason.
    #[error("{0}")]
    OtherRank(String),
}

/// Returns what this rank has read of a checkpoint if all have: one that cannot read its part does
/// not let the others wait. Collective.
pub(crate) fn all_restored<T>(
    entry: &mut Entry,
    restored: Result<T, CheckpointError>,
) -> Result<T, RankError> {
    let said = reason(entry, restored.as_ref().err().map(ToString::to_string));
    let restored = restored.map_err(RankError::Checkpoint)?;
    said.map_or(Ok(restored), |said| Err(RankError::OtherRank(said)))
}

/// Returns the reason of the first rank that has failed, with its number; none where all go on.
/// Every rank can tell it: the one that has it may be ended before it does. Collective.
pub(crate) fn reason(entry: &mut Entry, own: Option<String>) -> Option<String> {
    if entry.max_u64(u64::from(own.is_some())) == 0 {
        return None;
    }
    let all = entry.gather_bytes(own.unwrap_or_default().into_bytes()).unwrap_or_default();
    let first = all.iter().enumerate().find(|(_, said)| !said.is_empty());
    let text =
        |(rank, said): (usize, &Vec<u8>)| format!("rank {rank}: {}", String::from_utf8_lossy(said));
    let mut said = first.map_or_else(Vec::new, |first| text(first).into_bytes());
    entry.broadcast(&mut said);
    Some(String::from_utf8_lossy(&said).into_owned())
}
