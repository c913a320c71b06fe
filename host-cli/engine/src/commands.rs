//! The commands of runs and of this machine: their flags ([`args`]), and one file a subcommand.

pub mod args;
pub mod bench;
pub mod calibrate;
pub mod compare;
pub mod export_trace;
pub mod noise;
pub mod replay;
pub mod simulate;
pub mod solve;
pub mod topology;

mod error;

use std::fs::File;
use std::path::Path;

pub use error::{RecordingFailed, RunError};
use tresse_console::command::{CommandError, printed, warn};
use tresse_console::runs_progress;

use crate::files::recording::{self, Recording};

/// Opens a recording; the error names its path.
fn opened(path: &Path, available: u64) -> Result<Recording<File>, CommandError> {
    Ok(recording::open(path, available).map_err(RecordingFailed::of(path))?)
}
