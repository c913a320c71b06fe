//! `tresse replay` and `tresse export-trace`, which read recordings.

use std::path::PathBuf;

use clap::Args;

/// The flags of `replay`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ReplayArgs {
    /// Recording that `solve --record FILE` has written
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,

    /// A folder for the field: field.npy, field.vti and field.png; made where it is missing
    /// [default: none]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print one JSON object in place of the report
    #[arg(long)]
    pub json: bool,

    /// No report
    #[arg(long)]
    pub quiet: bool,
}

/// The flags of `export-trace`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ExportTraceArgs {
    /// Recording that `solve --record FILE` or `uts --record FILE` has written
    #[arg(value_name = "FILE")]
    pub recording: PathBuf,

    /// File for the trace, as JSON that <https://ui.perfetto.dev> opens: a track for each worker,
    /// each manager, and each source of noise, but with multigrid
    #[arg(long, value_name = "OUT")]
    pub perfetto: PathBuf,

    /// No report
    #[arg(long)]
    pub quiet: bool,
}
