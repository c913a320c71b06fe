//! Writes load traces: a file for each rank, each whole or not at all.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use tresse_console::files::output::{OutputDir, OutputError};
use tresse_files::load_traces::{Encoding, Inexpressible, LoadTrace, stem_of};

use crate::wording;

/// A load trace that cannot be written; prints as one line.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The comma-separated form cannot hold the load trace.
    #[error("{}", wording::inexpressible(.0))]
    Inexpressible(#[from] Inexpressible),
    /// Files of the same stem would stay among the new ones.
    #[error(
        "--out {}: {name} is of another trace of the same stem, and would be read as part of the \
         new one: name another folder, or another --stem", .folder.display()
    )]
    Stale {
        /// Folder for the new files.
        folder: PathBuf,
        /// Name of one of the old files.
        name: String,
    },
    /// Not all files are wanted any more.
    #[error("interrupted: --out {} has the files of some ranks only", .0.display())]
    Interrupted(PathBuf),
    /// The files cannot be written.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// Writes a file for each rank, `<stem>.<rank>.<ending>`, with the stem of the trace.
///
/// Nothing is written where files of another trace of the same name would stay among them.
/// `goes_on` is asked before each file whether that is wanted, and `ended` is called after it, both
/// from any thread.
pub fn write(
    trace: &LoadTrace,
    out: &OutputDir,
    encoding: Encoding,
    goes_on: &(dyn Fn() -> bool + Sync),
    ended: &(dyn Fn() + Sync),
) -> Result<(), WriteError> {
    trace.check(encoding)?;
    check_folder(trace, out.path(), encoding)?;
    let written = (0..trace.ranks()).into_par_iter().map(|rank| {
        if !goes_on() {
            return Err(WriteError::Interrupted(out.path().to_owned()));
        }
        out.write(trace.name(rank, encoding), |to| trace.write_rank(rank, encoding, to))?;
        ended();
        Ok(())
    });
    // Of several failures the one of the lowest rank is told, whichever came first.
    written.collect::<Vec<Result<(), WriteError>>>().into_iter().collect()
}

/// Checks, before there is anything to write, whether [`write()`] would refuse the folder.
pub fn check_folder(
    trace: &LoadTrace,
    folder: &Path,
    encoding: Encoding,
) -> Result<(), WriteError> {
    let names = trace.names(encoding);
    let mut entries: Vec<_> = folder.read_dir().into_iter().flatten().flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = stem_of(&entry.path()).as_deref() == Some(trace.stem());
        if is_ours && !names.contains(&name) {
            return Err(WriteError::Stale { folder: folder.into(), name });
        }
    }
    Ok(())
}
