//! `tresse reproduce`: an evaluation of the papers, ours beside the published figures.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::runs_progress::Progress;
use super::{CommandError, interrupt, printed, warn};
use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::report::output::{OutputDir, OutputError};
use crate::report::summary::write_json;
use crate::report::table::write_records;
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::{EXPERIMENTS, Experiment, Made, Watch};

/// A name that no evaluation has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reproduce {name}: there is no such evaluation{}; `tresse reproduce --list` names all", nearest(.name))]
pub struct UnknownExperiment {
    /// As it was given.
    pub name: String,
}

/// Everything, as `--json` prints it and `summary.json` has it.
#[derive(Debug, Serialize)]
struct Reproduction<'a> {
    name: &'a str,
    title: &'a str,
    source: &'a str,
    replicates: u32,
    /// What those are.
    #[serde(skip)]
    kind: &'static str,
    /// Runs that did not end as they should, and count for nothing.
    failed: usize,
    #[serde(flatten)]
    outcome: Outcome,
    /// What else there is to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
    version: &'static str,
}

/// Runs one evaluation, or lists all.
pub fn run(args: &ReproduceArgs) -> Result<Exit, CommandError> {
    let Some(name) = &args.name else { return printed(list) };
    let experiment = EXPERIMENTS
        .iter()
        .find(|experiment| experiment.name == name)
        .ok_or_else(|| UnknownExperiment { name: name.clone() })?;
    let folder = args.out.as_deref().unwrap_or(Path::new(experiment.name));
    let out = OutputDir::prepare(folder)?;
    let replicates = args.replicates.unwrap_or(experiment.replicates);
    let made = make(experiment, replicates, args.json || args.quiet)?;
    if interrupt::flag().load(Ordering::Relaxed) {
        warn("interrupted: the evaluation needs all of its runs, so it shows nothing");
        return Ok(Exit::Interrupted);
    }
    let reproduction = Reproduction {
        name: experiment.name,
        title: experiment.title,
        source: experiment.source,
        replicates,
        kind: made.kind(),
        failed: made.failed(),
        outcome: made.evaluate(),
        remarks: made.remarks(),
        version: env!("CARGO_PKG_VERSION"),
    };
    // The table first: what was computed is shown even where it cannot be stored.
    if args.json {
        printed(|to| write_json(&reproduction, to))?;
    } else {
        printed(|to| print(&reproduction, to))?;
    }
    store(&reproduction, &*made, &out)?;
    if !args.json {
        printed(|to| writeln!(to, "written: {}", out.path().display()))?;
    }
    Ok(if reproduction.failed == 0 { Exit::Done } else { Exit::NotReached })
}

fn nearest(name: &str) -> String {
    EXPERIMENTS
        .iter()
        .map(|experiment| experiment.name)
        .max_by(|one, other| {
            strsim::jaro_winkler(name, one).total_cmp(&strsim::jaro_winkler(name, other))
        })
        .map_or(String::new(), |nearest| format!(" (did you mean {nearest}?)"))
}

fn list(out: &mut dyn Write) -> io::Result<()> {
    for Experiment { name, title, source, replicates, .. } in EXPERIMENTS {
        writeln!(out, "{name:<18}{title} ({replicates} replicates)\n{:<18}{source}", "")?;
    }
    Ok(())
}

fn make(
    experiment: &Experiment,
    replicates: u32,
    hidden: bool,
) -> Result<Box<dyn Made>, CommandError> {
    let planned = experiment.evaluation.plan()?;
    let progress = Progress::new(planned.settings() * replicates as usize, hidden);
    progress.show(experiment.name);
    let ended = || {
        progress.end();
        progress.show(experiment.name);
    };
    let made = planned.make(replicates, &Watch { interrupt: interrupt::flag(), ended: &ended });
    progress.finish();
    Ok(made?)
}

fn print(reproduction: &Reproduction<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Reproduction { title, source, replicates, kind, failed, outcome, remarks, .. } =
        reproduction;
    writeln!(out, "{title}\n{source}; ours: medians of {replicates} {kind}\n")?;
    for (number, rows) in outcome.rows.chunk_by(|one, other| one.table == other.table).enumerate() {
        print_table(number, rows, out)?;
    }
    if *failed > 0 {
        writeln!(out, "\n{failed} runs did not end as they should, and count for nothing")?;
    }
    writeln!(out)?;
    for Statement { text, holds, why } in &outcome.statements {
        let verdict = if *holds { "trend holds" } else { "trend does not hold" };
        writeln!(out, "{verdict}: {text}\n    {why}")?;
    }
    for remark in remarks {
        writeln!(out, "note: {remark}")?;
    }
    Ok(())
}

fn print_table(number: usize, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    if number > 0 {
        writeln!(out)?;
    }
    let title = rows.first().map_or("", |row| &row.table);
    let names = rows.iter().map(Row::figure).chain([title]);
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    write!(out, "{title:width$}")?;
    let head = ["published", "ours", "low", "high", "difference"];
    head.iter().try_for_each(|name| write!(out, "{name:>12}"))?;
    writeln!(out)?;
    for row in rows {
        write!(out, "{:width$}", row.figure())?;
        for figure in [row.published, row.ours, row.low, row.high, row.difference()] {
            write!(out, "{:>12}", figure.map_or("-".into(), figure_text))?;
        }
        writeln!(out, "  {}", row.unit)?;
    }
    Ok(())
}

/// Four digits that mean something, whatever the size.
fn figure_text(figure: f64) -> String {
    match figure.abs() {
        size if size >= 1_000.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        size if size >= 1.0 || size == 0.0 => format!("{figure:.2}"),
        size if size >= 0.01 => format!("{figure:.4}"),
        size if size >= 1e-3 => format!("{figure:.5}"),
        _ => format!("{figure:.1e}"),
    }
}

fn store(
    reproduction: &Reproduction<'_>,
    made: &dyn Made,
    out: &OutputDir,
) -> Result<(), OutputError> {
    out.write("samples.csv", |w| made.write_samples(w))?;
    out.write("table.csv", |w| write_records(&reproduction.outcome.rows, w))?;
    out.write("summary.json", |w| write_json(reproduction, w))?;
    made.draw(out)
}
