//! Load traces ([`tresse_files::load_traces`]) on the disk.

mod folder;
mod write;

use std::fs::File;
use std::path::{Path, PathBuf};

use tresse_files::load_traces as files;
pub use tresse_files::load_traces::{
    Communication, Encoding, EntityId, Fault, Finding, Inexpressible, Limits, Link, LoadTrace,
    LoadTraceError, ObjectMemory, Part, Phase, PhaseObjects, PlacementError, Source, Task,
    Validation, generate, read_sources, unit, validate_sources,
};

pub use folder::select;
pub use write::{WriteError, check_folder, write};

/// Reads the trace in `inputs`, a folder or files; `stem` chooses among several.
///
/// `ended` is called after each file, from any thread.
pub fn read(
    inputs: &[PathBuf],
    stem: Option<&str>,
    limits: Limits,
    ended: &(dyn Fn() + Sync),
) -> Result<LoadTrace, LoadTraceError> {
    files::read(select(inputs, stem)?, &|path| load(path, limits.file), limits, ended)
}

/// Reads the trace in `inputs`, as [`read`] does, and checks it, see [`files::validate()`].
pub fn validate(
    inputs: &[PathBuf],
    stem: Option<&str>,
    limits: Limits,
    ended: &(dyn Fn() + Sync),
) -> Result<Validation, LoadTraceError> {
    files::validate(select(inputs, stem)?, &|path| load(path, limits.file), limits, ended)
}

/// Returns the content of a regular file, up to the limit.
fn load(path: &Path, limit: u64) -> Result<Vec<u8>, Fault> {
    // A pipe is never opened: nothing may ever come out of it.
    if !std::fs::metadata(path).map_err(Fault::Unreadable)?.is_file() {
        return Err(Fault::Irregular);
    }
    let file = File::open(path).map_err(Fault::Unreadable)?;
    files::limited(file, limit)?.map_err(Fault::Unreadable)
}
