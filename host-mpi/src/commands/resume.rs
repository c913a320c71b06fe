//! `--resume DIR`: opens the checkpoint that a run resumes from.

use std::path::{Path, PathBuf};

use tresse::commands::warn;
use tresse::files::checkpoint::Checkpoint;
use tresse_core::base::id::RankId;

use super::error::SolveError;
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, together};

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
