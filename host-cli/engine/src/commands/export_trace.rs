//! `tresse export-trace`: writes a recording as a trace for Perfetto.

use std::io::{self, Write};

use super::{CommandError, RecordingFailed, printed};
use crate::commands::args::ExportTraceArgs;
use crate::files::recording::{AnyRecording, ExportError, ExportedTrace, export_trace, open_any};
use crate::report::output::{Inputs, Outputs};
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::Platform;

/// Writes the trace whole or not at all.
pub fn run(args: &ExportTraceArgs) -> Result<Exit, CommandError> {
    interrupt::ends_at_once();
    let available = Platform::detect()?.available_memory;
    let opened = open_any(&args.recording, available);
    let mut recording = opened.map_err(RecordingFailed::of(&args.recording))?;
    let outputs = Outputs::new(Inputs::default().with("the recording", &args.recording));
    let file = outputs.file("--perfetto", &args.perfetto)?;
    let mut exported = Ok(ExportedTrace::default());
    let mut export = |to: &mut dyn Write| match &mut recording {
        AnyRecording::Run(recording) => export_trace(recording, to),
        AnyRecording::Pool(recording) => Ok(recording.export_trace(to)?),
    };
    let written = file.write(|to| match export(to) {
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
        exported.map_err(RecordingFailed::of(&args.recording))?;
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
