//! `tresse traces`: load traces of applications.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use tresse_console::args::values::{positive, real};
use tresse_core::base::grammar::count;

use crate::load_traces::Encoding;
use crate::load_traces::generate::Loads;

/// The flags of `traces`.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct TracesArgs {
    /// The action on a load trace.
    #[command(subcommand)]
    pub command: TracesCommand,
}

/// The actions on load traces.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum TracesCommand {
    /// Write a load trace with drawn loads: objects on a few of many processors
    #[command(
        after_help = "Example: tresse traces generate --processors 4096 --objects 10000 --on 16 \
        --loads uniform:1e-5,1e-1 --seed 1 --out slides"
    )]
    Generate(GenerateArgs),
    /// Show what is in a load trace: ranks, phases, objects, communications, loads
    Info(InfoArgs),
    /// Look for everything that balancing or vt's own readers would refuse
    Validate(ValidateArgs),
    /// Write a load trace in another form: JSON, compressed JSON, or comma-separated lines
    Convert(ConvertArgs),
}

/// The load trace that is read.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceInput {
    /// A folder with the files of a load trace, or the files: vt's load data, one JSON file a rank
    /// (stem.rank.json, plain or compressed with brotli, whatever the name says), or the older
    /// comma-separated lines (stem.rank.vom)
    #[arg(value_name = "INPUT", required = true)]
    pub input: Vec<PathBuf>,

    /// Read the files whose names begin so, of several load traces [default: the only one]
    #[arg(long, value_name = "STEM")]
    pub stem: Option<String>,
}

/// The flags of `traces generate`.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct GenerateArgs {
    /// Processors in all: a file each
    #[arg(long, value_name = "P", value_parser = positive, allow_negative_numbers = true)]
    pub processors: u32,

    /// Objects in all
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub objects: u32,

    /// Processors that have objects, drawn from all; each object is on one of them, with equal
    /// chances [default: all]
    #[arg(long, value_name = "P", value_parser = positive, allow_negative_numbers = true)]
    pub on: Option<u32>,

    /// Distribution of the objects' loads: uniform:LOW,HIGH (seconds), lognormal:MU,SIGMA (mean and
    /// deviation of the natural logarithm of the seconds), or bimodal:FIRST,SECOND,SHARE (each a
    /// number of seconds or LOW..HIGH, and the share of the second)
    #[arg(long, value_name = "LOADS", default_value = "uniform:1e-5,1e-1")]
    #[arg(value_parser = Loads::parse)]
    pub loads: Loads,

    /// Phases
    #[arg(long, value_name = "N", default_value = "1", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub phases: u32,

    /// From phase to phase each load becomes 1 - SHARE to 1 + SHARE times as large, with equal
    /// chances
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = real)]
    #[arg(allow_hyphen_values = true)]
    pub drift: f64,

    /// Seed of all draws: the same one makes the same trace
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = count)]
    pub seed: u64,

    /// A folder for the files; made where it is missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// Stem with which the names of the files begin
    #[arg(long, value_name = "STEM", default_value = "data", value_parser = new_stem)]
    pub stem: String,

    /// Compress the files with brotli (stem.rank.json.br)
    #[arg(long)]
    pub compress: bool,

    /// Print one JSON object in place of the report
    #[arg(long)]
    pub json: bool,

    /// No report and no progress bar
    #[arg(long)]
    pub quiet: bool,
}

/// The flags of `traces info`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct InfoArgs {
    /// The trace.
    #[command(flatten)]
    pub trace: TraceInput,

    /// Print one JSON object in place of the table
    #[arg(long)]
    pub json: bool,

    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
}

/// The flags of `traces validate`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidateArgs {
    /// The trace.
    #[command(flatten)]
    pub trace: TraceInput,

    /// Print one JSON object in place of the lines
    #[arg(long)]
    pub json: bool,

    /// No progress bar, and no line where nothing is wrong
    #[arg(long)]
    pub quiet: bool,
}

/// The flags of `traces convert`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvertArgs {
    /// The trace.
    #[command(flatten)]
    pub trace: TraceInput,

    /// A folder for the files; made where it is missing
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// The form of the new files.
    #[command(flatten)]
    pub form: FormArgs,

    /// Stem with which the names of the new files begin [default: that of the files that are read]
    #[arg(long, value_name = "STEM", value_parser = new_stem)]
    pub out_stem: Option<String>,

    /// No report and no progress bar
    #[arg(long)]
    pub quiet: bool,
}

/// The form that a load trace is written in.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormArgs {
    /// Write JSON as it is (stem.rank.json); this is the default
    #[arg(long, conflicts_with_all = ["compress", "csv"])]
    pub plain: bool,

    /// Write JSON compressed with brotli (stem.rank.json.br)
    #[arg(long, conflicts_with = "csv")]
    pub compress: bool,

    /// Write comma-separated lines (stem.rank.vom): phase,object,seconds and phase,from,to,bytes;
    /// homes, memory, and whether an object may move are lost
    #[arg(long)]
    pub csv: bool,
}

impl FormArgs {
    /// Returns the form and compression of the files.
    pub const fn encoding(self) -> Encoding {
        match (self.compress, self.csv) {
            (_, true) => Encoding::Comma,
            (true, _) => Encoding::Brotli,
            _ => Encoding::Plain,
        }
    }
}

/// Checks the beginning of the names of new files.
pub(super) fn new_stem(text: &str) -> Result<String, &'static str> {
    let is_name =
        !text.starts_with('.') && !text.contains(['/', '\\']) && !text.contains(char::is_control);
    if text.is_empty() || !is_name {
        return Err("expected what names of files can begin with, such as data");
    }
    Ok(text.to_owned())
}
