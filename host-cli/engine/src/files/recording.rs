//! The schedule of a run: recorded while it goes, and read again ([`tresse_files::recording`]).

mod messages;
mod parts;
mod recorder;
mod since;
mod writer;

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

pub use tresse_files::recording::parts::{graph_hash, hash as parts_hash};
pub use tresse_files::recording::{
    AnyRecording, Cursor, Event, ExportError, ExportedTrace, Head, PartsHead, PoolHead, Recording,
    RecordingError, Replayed, ReplayedParts, Source, Swept, What, export_trace, pool,
};

use crate::kernel::Kernel;

pub use parts::{JoinedHead, Part, join};
pub use recorder::{NoiseTrack, WorkerTrack};
#[cfg(feature = "program")]
pub(crate) use since::Since;
pub use writer::{Recorder, Unfinished};

/// Opens a file, see [`Recording::open`].
pub fn open(path: &Path, available: u64) -> Result<Recording<File>, RecordingError> {
    Recording::open(file(path)?, available)
}

/// Opens a file with a recording of parts of one's own, see [`Recording::open_parts`].
pub fn open_parts(path: &Path) -> Result<Recording<File, PartsHead>, RecordingError> {
    Recording::open_parts(file(path)?)
}

/// Opens a file with a recording of either kind.
pub fn open_any(path: &Path, available: u64) -> Result<AnyRecording<File>, RecordingError> {
    AnyRecording::open(file(path)?, available)
}

/// Opens a recording, which must be a regular file.
fn file(path: &Path) -> Result<File, RecordingError> {
    // Looked at before it is opened: opening a pipe would wait for its other end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(RecordingError::Foreign);
    }
    Ok(File::open(path)?)
}

/// Makes all sweeps of a recording again by the best kernels of this processor, and keeps at most
/// `available` bytes of edges.
pub fn replay<R: Read + Seek>(
    recording: &mut Recording<R>,
    available: u64,
) -> Result<Replayed, RecordingError> {
    tresse_files::recording::replay(recording, Kernel::best(), Kernel::best(), available)
}
