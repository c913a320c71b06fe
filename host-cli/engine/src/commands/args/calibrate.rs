//! `tresse calibrate`.

use std::path::PathBuf;

use clap::Args;
use tresse_console::args::values::positive;

const AFTER_HELP: &str = "\
Example: what another balancer would come to here, without running it
  tresse calibrate --out here.toml
  tresse simulate --machine here.toml --cells-per-worker 300x300 --balance joint:0.001

Let nothing else run meanwhile: what others take of the cores is measured with the rest. Where that is
too much for the figures, the file is written all the same, with a warning and exit code 1.";

/// The flags of `calibrate`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(after_help = AFTER_HELP)]
pub struct CalibrateArgs {
    /// The machine file, for `simulate --machine`; its name ends in .toml [default: standard
    /// output, after the figures]
    #[arg(long, value_name = "FILE.toml", value_parser = machine_file)]
    pub out: Option<PathBuf>,

    /// Threads, each pinned to a core of its own [default: one for each physical core, as far as
    /// affinity mask and CPU quota allow]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub workers: Option<u32>,

    /// Two repetitions instead of five: about 25 seconds instead of a minute
    #[arg(long)]
    pub quick: bool,

    /// No progress bar
    #[arg(long)]
    pub quiet: bool,
}

/// Returns a path that `simulate --machine` takes for a file.
fn machine_file(text: &str) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(text);
    let is_file = path.extension().is_some_and(|extension| extension == "toml");
    is_file.then_some(path).ok_or("a machine file's name ends in .toml, such as here.toml")
}
