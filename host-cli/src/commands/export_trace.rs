//! `tresse export-trace`: a recording as a trace for Perfetto.

use std::io;

use super::{CommandError, opened, printed};
use crate::commands::args::ExportTraceArgs;
use crate::exit::Exit;
use crate::files::recording::{ExportError, ExportedTrace, export_trace};
use crate::platform::Platform;
use crate::report::output::{Inputs, Outputs};

/// Writes the trace whole or not at all.
pub fn run(args: &ExportTraceArgs) -> Result<Exit, CommandError> {
    let available = Platform::detect()?.available_memory;
    let mut recording = opened(&args.recording, available)?;
    let outputs = Outputs::new(Inputs::default().with("the recording", &args.recording));
    let file = outputs.file("--perfetto", &args.perfetto)?;
    let mut exported = Ok(ExportedTrace::default());
    let written = file.write(|to| match export_trace(&mut recording, to) {
        Ok(all) => {
            exported = Ok(all);
            Ok(())
        }
        Err(ExportError::Write(error)) => Err(error),
        Err(ExportError::Recording(error)) => {
            exported = Err(error);
            Err(io::Error::other("the recording cannot be used"))
        }
    });
    let ExportedTrace { tracks, events } =
        exported.map_err(CommandError::recording(&args.recording))?;
    written?;
    if args.quiet {
        return Ok(Exit::Done);
    }
    let path = args.perfetto.display();
    printed(|out| {
        writeln!(
            out,
            "{path}: {events} events on {tracks} tracks; open it at https://ui.perfetto.dev"
        )
    })
}
