//! `tresse reproduce`.

use std::path::PathBuf;

use clap::Args;
use tresse_console::args::values::positive;

/// The flags of `reproduce`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct ReproduceArgs {
    /// Name of the evaluation; --list names all
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,

    /// List the evaluations and end
    #[arg(long, conflicts_with_all = ["name", "json"])]
    pub list: bool,

    /// Runs of each setting, each with a seed of its own [default: the evaluation's]
    #[arg(long, value_name = "N", value_parser = positive)]
    #[arg(allow_negative_numbers = true)]
    pub replicates: Option<u32>,

    /// A folder for the pictures (SVG and PNG), table.csv, samples.csv and summary.json; made
    /// where it is missing [default: a folder of the evaluation's name]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Print one JSON object in place of the table
    #[arg(long)]
    pub json: bool,

    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
}
