//! `tresse trace`: a recording as a trace for Perfetto.

use std::io;

use super::{CommandError, opened, printed};
use crate::args::TraceArgs;
use crate::exit::Exit;
use crate::machine::Machine;
use crate::recording::{TraceError, Traced, trace};
use crate::report::output::{Inputs, Outputs};

/// Writes the trace whole or not at all.
pub fn run(args: &TraceArgs) -> Result<Exit, CommandError> {
    let available = Machine::detect()?.available_memory;
    let mut recording = opened(&args.recording, available)?;
    let outputs = Outputs::new(Inputs::default().with("the recording", &args.recording));
    let file = outputs.file("--perfetto", &args.perfetto)?;
    let mut traced = Ok(Traced::default());
    let written = file.write(|to| match trace(&mut recording, to) {
        Ok(all) => {
            traced = Ok(all);
            Ok(())
        }
        Err(TraceError::Write(error)) => Err(error),
        Err(TraceError::Recording(error)) => {
            traced = Err(error);
            Err(io::Error::other("the recording cannot be used"))
        }
    });
    let Traced { tracks, events } = traced.map_err(CommandError::recording(&args.recording))?;
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
