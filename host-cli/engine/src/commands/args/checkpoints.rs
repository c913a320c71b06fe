//! Flags for checkpoints, on this machine and on ranks.

use std::path::PathBuf;

use clap::Args;
use tresse_console::args::values::time_with_unit;
use tresse_core::base::time::Duration;

/// Flags for the checkpoints of the run.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct CheckpointArgs {
    /// A folder for checkpoints: every so often, and on SIGTERM or SIGUSR1; the last two are kept
    /// [default: none]
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,

    /// Time between two checkpoints, such as 30s, 10min or 1h [default: 60s]
    #[arg(long, value_name = "TIME", help_heading = "Checkpoints", value_parser = time_with_unit)]
    #[arg(allow_negative_numbers = true, requires = "checkpoint")]
    pub every: Option<Duration>,

    /// Go on from the newest checkpoint of this folder, or from this one, on any number of workers
    /// and ranks; the grid, the precision, the method and its --smoothing, --coarsest and
    /// --coarse-cycles are the checkpoint's where none are given, and iterations are those of all
    /// runs together [default: none]
    #[arg(long, value_name = "DIR", help_heading = "Checkpoints")]
    pub resume: Option<PathBuf>,
}

impl CheckpointArgs {
    /// Returns the time between two checkpoints.
    pub fn every(&self) -> Duration {
        self.every.unwrap_or(Duration::from_millis(60_000))
    }
}
