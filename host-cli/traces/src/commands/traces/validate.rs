//! `tresse traces validate`.

use serde::Serialize;
use tresse_console::command::{CommandError, printed};
use tresse_console::exit::Exit;
use tresse_console::runs_progress::Progress;
use tresse_console::summary::write_json;
use tresse_platform::Platform;

use super::super::TraceError;
use crate::commands::args::ValidateArgs;
use crate::load_traces::{self, Limits};

/// The JSON object.
#[derive(Serialize)]
struct Validated {
    files: usize,
    valid: bool,
    /// Problems, one line each.
    problems: Vec<String>,
}

/// Prints everything that is wrong, and returns an exit status that says whether anything is.
pub(super) fn run(args: &ValidateArgs) -> Result<Exit, CommandError> {
    let limits = Limits::of_memory(Platform::detect()?.available_memory);
    let (input, stem) = (&args.trace.input, args.trace.stem.as_deref());
    let files = load_traces::select(input, stem).map_err(TraceError::from)?;
    let progress = Progress::late(files.len(), args.json || args.quiet);
    progress.show("reading");
    let validation = load_traces::validate(input, stem, limits, &|| progress.end());
    progress.finish();
    let validation = validation.map_err(TraceError::from)?;
    let problems: Vec<_> = validation.problems.iter().map(ToString::to_string).collect();
    let validated = Validated { files: validation.files, valid: problems.is_empty(), problems };
    let exit = if validated.valid { Exit::Done } else { Exit::BadInput };
    if args.json {
        printed(|to| write_json(&validated, to))?;
        return Ok(exit);
    }
    printed(|to| {
        let Validated { files, problems, .. } = &validated;
        for problem in problems {
            writeln!(to, "{problem}")?;
        }
        match problems.len() {
            0 if args.quiet => Ok(()),
            0 => writeln!(to, "{files} files, nothing wrong"),
            count => writeln!(to, "{files} files, {count} problems"),
        }
    })?;
    Ok(exit)
}
