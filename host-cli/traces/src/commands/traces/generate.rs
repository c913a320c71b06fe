//! `tresse traces generate`.

use std::path::Path;
use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse_console::command::{CommandError, printed};
use tresse_console::exit::Exit;
use tresse_console::files::output::Outputs;
use tresse_console::interrupt;
use tresse_console::summary::write_json;

use super::super::TraceError;
use crate::commands::args::GenerateArgs;
use crate::load_statistics::LoadStatistics;
use crate::load_traces::Encoding;
use crate::load_traces::generate::{self, Setup};

/// The JSON object.
#[derive(Serialize)]
struct Generated<'a> {
    config: Settings<'a>,
    out: &'a Path,
    stem: &'a str,
    /// Statistics of the objects' loads in the first phase, in seconds.
    object_loads: Option<LoadStatistics>,
    /// Statistics of the processors' loads in the first phase, in seconds.
    processor_loads: Option<LoadStatistics>,
}

/// The effective settings.
#[derive(Serialize)]
struct Settings<'a> {
    #[serde(flatten)]
    setup: &'a Setup,
    phases: u32,
    drift: f64,
    seed: u64,
}

/// Draws a load trace and writes it.
pub(super) fn run(args: &GenerateArgs) -> Result<Exit, CommandError> {
    let GenerateArgs { processors, objects, loads, phases, drift, seed, .. } = *args;
    let setup = Setup { processors, objects, on: args.on.unwrap_or(processors), loads };
    let trace =
        generate::trace(&setup, phases, drift, seed, &args.stem).map_err(TraceError::from)?;
    let encoding = if args.compress { Encoding::Brotli } else { Encoding::Plain };
    // From here on a signal asks for an orderly end, which leaves no part of a file.
    let interrupt = interrupt::flag();
    let out = Outputs::default().folder("--out", &args.out, trace.names(encoding))?;
    let goes_on = || !interrupt.load(Ordering::Relaxed);
    super::write(&trace, &out, encoding, args.json || args.quiet, &goes_on)?;
    if args.quiet && !args.json {
        return Ok(Exit::Done);
    }
    let first = trace.phases().first();
    let of = |loads: Vec<f64>| LoadStatistics::of(&loads);
    let generated = Generated {
        config: Settings { setup: &setup, phases, drift, seed },
        out: &args.out,
        stem: &args.stem,
        object_loads: first.and_then(|phase| of(phase.seconds())),
        processor_loads: first.and_then(|phase| of(phase.rank_seconds())),
    };
    if args.json {
        return printed(|to| write_json(&generated, to));
    }
    printed(|to| {
        let imbalance = generated.processor_loads.map_or(0.0, |loads| loads.imbalance);
        writeln!(to, "{objects} objects on {} of {processors} processors, {loads}", setup.on)?;
        writeln!(to, "imbalance of the first phase: {imbalance:.6}")?;
        writeln!(to, "{}", super::written(&trace, &args.out, encoding))
    })
}
