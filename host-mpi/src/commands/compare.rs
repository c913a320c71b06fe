//! `tresse-mpi compare`: what balancing between ranks brings, for real on these ranks: the
//! experiment of section 5 of Zarins & Weiland 2020.
//!
//! All ranks make all runs in the same order; the first one keeps what they came to.

mod bench;
mod method;
mod table;

use std::io::{self, Write};

use serde::Serialize;
use tresse::commands::{CommandError, printed};
use tresse::comparison::{ComparisonSample, Shown, exit, least_increase_percent};
use tresse::exit::Exit;
use tresse::report::output::{OutputDir, Outputs};
use tresse::report::summary::write_json;
use tresse_core::id::RankId;
use tresse_core::run::MachineReport;

use self::bench::{Bench, Common};
use self::table::{Effect, Row, TableRecord};
use super::error::SolveError;
use crate::Entry;
use crate::agreement::{Refused, agree, as_first, together};
use crate::args::CompareRanksArgs;

/// The result, as `--json` prints it and `summary.json` has it.
#[derive(Debug, Serialize)]
struct Comparison<'a> {
    config: &'a Common,
    /// That of all ranks; the processor is the first one's.
    machine: MachineReport<'a>,
    /// The MPI library.
    mpi: &'a str,
    version: &'static str,
    /// Whether runs are missing because a person ended it.
    interrupted: bool,
    runs: usize,
    /// What even perfect balance would cost with this noise, in percent of time.
    least_increase_percent: Option<f64>,
    rows: Vec<Row>,
    /// What balancing between ranks changes.
    effects: Vec<Effect>,
}

/// Compares, prints and stores. Collective.
pub fn run(entry: &mut Entry, args: &CompareRanksArgs) -> Result<Exit, Refused> {
    let agreed = agree(entry, "the command line", args);
    together(entry, agreed)?;
    let is_first = entry.rank() == RankId(0);
    let bench = Bench::prepare(entry, args)?;
    let out = args.compare.out.as_deref().filter(|_| is_first);
    let out = out.map(|path| Outputs::default().folder("--out", path, Shown::NAMES));
    let out = together(entry, out.transpose().map_err(SolveError::from))?;
    let announced = if is_first { bench.announce(entry, args) } else { Ok(()) };
    together(entry, announced)?;
    let samples = bench.measure(entry, args.compare.json || args.compare.quiet)?;
    let concluded = if is_first {
        conclude(entry, args, &bench, &samples, out.as_ref()).map_err(SolveError::from)
    } else {
        Ok(Exit::Done)
    };
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// Prints and stores, on the first rank.
fn conclude(
    entry: &Entry,
    args: &CompareRanksArgs,
    bench: &Bench,
    samples: &[ComparisonSample],
    out: Option<&OutputDir>,
) -> Result<Exit, CommandError> {
    let interrupted = samples.len() < bench.runs();
    let rows = table::rows(&bench.methods, samples);
    let comparison = Comparison {
        config: &bench.common,
        machine: bench.machine(),
        mpi: entry.library(),
        version: env!("CARGO_PKG_VERSION"),
        interrupted,
        runs: samples.len(),
        least_increase_percent: least_increase_percent(samples),
        effects: table::effects(&rows),
        rows,
    };
    // The table first: what was measured is shown even where it cannot be stored.
    if args.compare.json {
        printed(|to| write_json(&comparison, to))?;
    } else {
        printed(|to| print(&comparison, samples, to))?;
    }
    if let Some(out) = out {
        let methods = comparison.rows.iter().map(|row| row.method.name.as_str()).collect();
        let shown = Shown { samples, methods, size: bench.common.size() };
        shown.store(out, &comparison, TableRecord::of(&comparison.rows))?;
        if !args.compare.json {
            printed(|to| writeln!(to, "written: {}: {}", out.path().display(), Shown::SHOWN))?;
        }
    }
    Ok(exit(interrupted, samples))
}

fn print(
    comparison: &Comparison<'_>,
    samples: &[ComparisonSample],
    out: &mut dyn Write,
) -> io::Result<()> {
    table::write(&comparison.rows, out)?;
    table::write_effects(&comparison.effects, out)?;
    let sources: Vec<_> = comparison.config.noise.iter().map(ToString::to_string).collect();
    table::write_notes(samples, &sources, out)?;
    if comparison.interrupted {
        writeln!(out, "interrupted: {} runs were finished before", comparison.runs)?;
    }
    Ok(())
}
