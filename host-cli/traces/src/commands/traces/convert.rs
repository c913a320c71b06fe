//! `tresse traces convert`.

use std::sync::atomic::Ordering;

use tresse_console::command::{CommandError, printed, warn};
use tresse_console::exit::Exit;
use tresse_console::files::output::{Inputs, Outputs};
use tresse_console::interrupt;

use crate::commands::args::ConvertArgs;
use crate::load_traces::{Encoding, LoadTrace, WriteError};

/// Writes a load trace in another form.
pub(super) fn run(args: &ConvertArgs) -> Result<Exit, CommandError> {
    let (trace, files) = super::read(&args.trace, args.quiet)?;
    let trace = match &args.out_stem {
        Some(stem) => trace.renamed(stem),
        None => trace,
    };
    let encoding = args.form.encoding();
    if encoding == Encoding::Comma && loses(&trace) {
        warn(
            "--csv: comma-separated lines have no homes, memory or subphases, no objects that must \
             stay, and bytes only between objects: these are lost",
        );
    }
    // Before there is a folder for what cannot be written.
    trace.check(encoding).map_err(WriteError::from)?;
    // From here on a signal asks for an orderly end, which leaves no part of a file.
    let interrupt = interrupt::flag();
    let outputs = Outputs::new(Inputs::default().with_all("the trace", &files));
    let out = outputs.folder("--out", &args.out, trace.names(encoding))?;
    let goes_on = || !interrupt.load(Ordering::Relaxed);
    super::write(&trace, &out, encoding, args.quiet, &goes_on)?;
    if args.quiet {
        return Ok(Exit::Done);
    }
    printed(|to| writeln!(to, "{}", super::written(&trace, &args.out, encoding)))
}

/// Reports whether the comma-separated lines do not hold all of a load trace.
fn loses(trace: &LoadTrace) -> bool {
    let plain = |rank: usize| {
        move |task: &crate::load_traces::Task| {
            task.migratable && task.memory.is_none() && task.home as usize == rank
        }
    };
    let ranks = trace.phases().iter().flat_map(|phase| phase.parts.iter().enumerate());
    ranks.into_iter().any(|(rank, part)| {
        let between = part.communications.iter().all(|one| one.from.is_some() && one.to.is_some());
        !between || !part.tasks.iter().all(plain(rank))
    })
}
