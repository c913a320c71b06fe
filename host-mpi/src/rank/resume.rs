//! Opening the checkpoint that a run goes on from, on all ranks.

use std::path::{Path, PathBuf};

use tresse::files::checkpoint::Checkpoint;
use tresse::terminal;
use tresse_core::base::id::RankId;

use super::error::{RankError, all_restored};
use crate::mpi::Entry;

/// Opens a checkpoint: the first rank finds the newest that is whole, and says so where it is not
/// the newest. Collective.
pub fn open(entry: &mut Entry, path: &Path) -> Result<Checkpoint, RankError> {
    let opened = (entry.rank() == RankId(0)).then(|| Checkpoint::open(path)).transpose();
    let opened = all_restored(entry, opened)?;
    let mut name = opened.as_ref().map_or_else(Vec::new, |opened| {
        if let Some(warning) = &opened.warning {
            terminal::tell(&format!("warning: {warning}"));
        }
        opened.checkpoint.path().display().to_string().into_bytes()
    });
    entry.broadcast(&mut name);
    let checkpoint = match opened {
        Some(opened) => Ok(opened.checkpoint),
        None => Checkpoint::index(&PathBuf::from(String::from_utf8_lossy(&name).into_owned())),
    };
    all_restored(entry, checkpoint)
}
