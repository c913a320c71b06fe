//! `tresse traces`: makes, shows, checks and converts load traces of applications.

mod convert;
mod generate;
mod info;
mod validate;

use std::path::PathBuf;

use tresse_console::command::CommandError;
use tresse_console::exit::Exit;
use tresse_console::files::output::OutputDir;
use tresse_console::interrupt;
use tresse_console::runs_progress::Progress;
use tresse_platform::Platform;

use super::TraceError;
use crate::commands::args::{TraceInput, TracesCommand};
use crate::load_traces::{self, Encoding, Limits, LoadTrace, WriteError};

/// Runs the subcommand.
pub fn run(command: &TracesCommand) -> Result<Exit, CommandError> {
    interrupt::ends_at_once();
    match command {
        TracesCommand::Generate(args) => generate::run(args),
        TracesCommand::Info(args) => info::run(args),
        TracesCommand::Validate(args) => validate::run(args),
        TracesCommand::Convert(args) => convert::run(args),
    }
}

/// Reads the trace that the command line names, and prints the names of its files.
pub(super) fn read(
    input: &TraceInput,
    hidden: bool,
) -> Result<(LoadTrace, Vec<PathBuf>), CommandError> {
    let limits = Limits::of_memory(Platform::detect()?.available_memory);
    let files = load_traces::select(&input.input, input.stem.as_deref());
    let files = files.map_err(TraceError::from)?;
    let progress = Progress::late(files.len(), hidden);
    progress.show("reading");
    let trace = load_traces::read(&input.input, input.stem.as_deref(), limits, &|| progress.end());
    progress.finish();
    Ok((trace.map_err(TraceError::from)?, files))
}

/// Writes a load trace into a folder that exists, until `goes_on` returns `false`.
pub(super) fn write(
    trace: &LoadTrace,
    out: &OutputDir,
    encoding: Encoding,
    hidden: bool,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Result<(), WriteError> {
    let progress = Progress::late(trace.ranks(), hidden);
    progress.show("writing");
    let written = load_traces::write(trace, out, encoding, goes_on, &|| progress.end());
    progress.finish();
    written
}

/// Returns text about the files written, for a person.
fn written(trace: &LoadTrace, out: &std::path::Path, encoding: Encoding) -> String {
    let (stem, ending) = (trace.stem(), encoding.ending());
    let files = out.join(format!("{stem}.*.{ending}"));
    format!(
        "written: {} ({} ranks, {} phases)",
        files.display(),
        trace.ranks(),
        trace.phases().len()
    )
}
