//! `tresse reproduce`: repeats an evaluation of the papers, with our figures beside the published
//! ones.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse_console::command::{CommandError, printed, warn};
use tresse_console::runs_progress::Progress;
use tresse_console::wording;

use crate::commands::args::ReproduceArgs;
use crate::{EXPERIMENTS, Experiment, Row, Runs, Statement, Watch, samples};
use tresse_console::exit::Exit;
use tresse_console::files::output::{OutputDir, OutputError, Outputs};
use tresse_console::interrupt;
use tresse_console::lines::{COLUMNS, filled, hanging, lines_of};
use tresse_console::plots::write_pair;
use tresse_console::summary::write_json;
use tresse_console::table::write_records;

/// Indentation of titles and sources in the list.
const INDENT: &str = "                      ";

/// The error about a name that no evaluation has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("reproduce {name}: there is no such evaluation{}; `tresse reproduce --list` names all", nearest(.name))]
pub struct UnknownExperiment {
    /// Name that was given.
    pub name: String,
}

/// The result that `--json` prints and `summary.json` has.
#[derive(Debug, Serialize)]
struct Reproduction<'a> {
    name: &'a str,
    title: &'a str,
    source: &'a str,
    replicates: u32,
    /// Description of the replicates.
    #[serde(skip)]
    kind: &'static str,
    /// Number of runs that did not end as they should, and are left out.
    failed: usize,
    /// Problems that were solved: boundary, start, grid.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    problems: &'a [String],
    /// Parameters of the balancing: split and thresholds.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    balancing: &'a [String],
    /// Our figures beside the published ones.
    rows: Vec<Row>,
    /// Statements of the paper, judged.
    statements: Vec<Statement>,
    /// Further remarks.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    remarks: &'a [String],
}

/// Runs one evaluation, or lists all.
pub fn run(args: &ReproduceArgs) -> Result<Exit, CommandError> {
    let Some(name) = &args.name else { return printed(list) };
    let experiment = EXPERIMENTS
        .iter()
        .find(|experiment| experiment.name == name)
        .ok_or_else(|| UnknownExperiment { name: name.clone() })?;
    let folder = args.out.as_deref().unwrap_or(Path::new(experiment.name));
    let out = Outputs::default().folder("--out", folder, ["summary.json"])?;
    let replicates = args.replicates.unwrap_or(experiment.replicates);
    let runs = make(experiment, replicates, args.json || args.quiet)?;
    if interrupt::flag().load(Ordering::Relaxed) {
        warn("interrupted: the evaluation needs all of its runs, so it shows nothing");
        return Ok(Exit::Interrupted);
    }
    let reproduction = Reproduction {
        name: experiment.name,
        title: experiment.title,
        source: experiment.source,
        replicates,
        kind: runs.kind(),
        failed: runs.failed(),
        problems: &runs.plan.problems,
        balancing: &runs.plan.balancing,
        rows: (experiment.rows)(&runs),
        statements: (experiment.statements)(&runs),
        remarks: &runs.plan.remarks,
    };
    // The table first: what was computed is shown even where it cannot be stored.
    if args.json {
        printed(|to| write_json(&reproduction, to))?;
    } else {
        printed(|to| print(&reproduction, to))?;
    }
    store(experiment, &runs, &reproduction, &out)?;
    if !args.json {
        printed(|to| writeln!(to, "written: {}", out.path().display()))?;
    }
    Ok(if reproduction.failed == 0 { Exit::Done } else { Exit::NotReached })
}

/// Returns a question with the experiment whose name is nearest, if one is near.
fn nearest(name: &str) -> String {
    wording::nearest(name, EXPERIMENTS.iter().map(|experiment| experiment.name))
        .map_or(String::new(), |nearest| format!(" (did you mean {nearest}?)"))
}

/// Lists all experiments: name, title, number of replicates and source.
fn list(out: &mut dyn Write) -> io::Result<()> {
    for Experiment { name, title, source, replicates, .. } in EXPERIMENTS {
        let about = lines_of(COLUMNS).initial_indent(INDENT).subsequent_indent(INDENT);
        let title = textwrap::fill(&format!("{title} ({replicates} replicates)"), &about);
        let source = textwrap::fill(source, about);
        writeln!(out, "{name:<width$}{}\n{source}", &title[INDENT.len()..], width = INDENT.len())?;
    }
    Ok(())
}

/// Makes all runs of an experiment, each as many times as it has replicates.
fn make(experiment: &Experiment, replicates: u32, hidden: bool) -> Result<Runs, CommandError> {
    let plan = (experiment.plan)()?;
    plan.warnings().iter().for_each(|warning| warn(warning));
    let progress = Progress::new(plan.settings.len() * replicates as usize, hidden);
    let watch = Watch {
        interrupt: interrupt::flag(),
        begins: &|what| progress.show(what),
        ended: &|| progress.end(),
    };
    let runs = Runs::make(plan, replicates, watch);
    progress.finish();
    Ok(runs?)
}

/// Writes the tables, the judged statements and the remarks for a person.
fn print(reproduction: &Reproduction<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Reproduction { title, source, replicates, kind, failed, problems, .. } = reproduction;
    let source = format!("{source}; ours: medians of {replicates} {kind}");
    writeln!(out, "{}\n{}", filled(title), filled(&source))?;
    for problem in *problems {
        writeln!(out, "{}", hanging(&format!("problem: {problem}")))?;
    }
    match reproduction.balancing {
        [] => {}
        few @ ([_] | [_, _] | [_, _, _]) => {
            writeln!(out, "{}", hanging(&format!("balancing: {}", few.join("; "))))?;
        }
        // Where they are what is varied.
        _ => writeln!(out, "balancing: as each row says")?,
    }
    writeln!(out)?;
    let tables = reproduction.rows.chunk_by(|one, other| one.table == other.table);
    for (number, rows) in tables.enumerate() {
        print_table(number, rows, out)?;
    }
    if *failed > 0 {
        writeln!(out, "\n{failed} runs did not end as they should, and count for nothing")?;
    }
    writeln!(out)?;
    for Statement { text, holds, why, reason } in &reproduction.statements {
        let verdict = if *holds { "trend holds" } else { "trend does not hold" };
        let text = format!("{verdict}: {text}");
        let why = format!("    {why}");
        writeln!(out, "{}\n{}", hanging(&text), hanging(&why))?;
        if let Some(reason) = reason {
            writeln!(out, "{}", hanging(&format!("    reason: {reason}")))?;
        }
    }
    for remark in reproduction.remarks {
        writeln!(out, "{}", hanging(&format!("note: {remark}")))?;
    }
    Ok(())
}

/// A line of a table.
struct Line<'a> {
    name: &'a str,
    figures: [String; 5],
    unit: &'a str,
}

/// Writes one table, the `number`-th from 0, with columns as wide as their figures.
fn print_table(number: usize, rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    if number > 0 {
        writeln!(out)?;
    }
    let title = rows.first().map_or("", |row| &row.table);
    let head = ["published", "ours", "low", "high", "difference"].map(str::to_owned);
    let figures = |row: &Row| {
        [row.published, row.ours, row.low, row.high, row.difference()]
            .map(|figure| figure.map_or("-".into(), figure_text))
    };
    let mut lines = vec![Line { name: title, figures: head, unit: "" }];
    lines.extend(rows.iter().map(|row| Line {
        name: row.figure(),
        figures: figures(row),
        unit: row.unit,
    }));
    let widest = |width: &dyn Fn(&Line) -> usize| lines.iter().map(width).max().unwrap_or(0);
    let widths: [usize; 5] =
        std::array::from_fn(|column| 2 + widest(&|line| line.figures[column].len()));
    let unit = 2 + widest(&|line| line.unit.chars().count());
    let room = COLUMNS.saturating_sub(widths.iter().sum::<usize>() + unit);
    let width = widest(&|line| line.name.chars().count()).min(room);
    for Line { name, figures, unit } in &lines {
        // The figures stand beside the last line of a name that is too long for one.
        let names = lines_of(width).subsequent_indent("  ");
        let mut name = textwrap::fill(name, names);
        let last = name.lines().last().map_or(0, |line| line.chars().count());
        name.extend(std::iter::repeat_n(' ', width.saturating_sub(last)));
        for (figure, width) in figures.iter().zip(widths) {
            write!(name, "{figure:>width$}").map_err(io::Error::other)?;
        }
        writeln!(out, "{}", format!("{name}  {unit}").trim_end())?;
    }
    Ok(())
}

/// Returns a figure with four significant digits, whatever its size.
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

/// Writes samples, table, summary and pictures into the folder.
fn store(
    experiment: &Experiment,
    runs: &Runs,
    reproduction: &Reproduction<'_>,
    out: &OutputDir,
) -> Result<(), OutputError> {
    out.write("samples.csv", |w| samples::write(runs, w))?;
    out.write("table.csv", |w| write_records(&reproduction.rows, w))?;
    out.write("summary.json", |w| write_json(reproduction, w))?;
    let pictures = (experiment.pictures)(runs);
    pictures.iter().try_for_each(|(stem, picture)| write_pair(picture, out, stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> String {
        let mut bytes = Vec::new();
        print(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn assert_narrow(text: &str) {
        for line in text.lines() {
            assert!(line.chars().count() <= COLUMNS && line.trim_end() == line, "{line:?}");
        }
    }

    #[test]
    fn the_list_ends_at_the_last_column() {
        let list = printed(list);
        assert_narrow(&list);
        assert!(EXPERIMENTS.iter().all(|experiment| list.contains(experiment.name)));
    }

    #[test]
    fn tables_and_statements_end_at_the_last_column() {
        let words = "a name of several words ".repeat(8);
        let long = words.trim();
        let row = |label: &str| Row {
            label: label.to_owned(),
            table: String::new(),
            unit: "percentage points",
            published: Some(-123_456.0),
            ours: Some(1.0),
            low: None,
            high: Some(0.000_1),
        };
        let statement =
            Statement { text: long.into(), holds: true, why: long.into(), reason: None };
        let texts = [long.to_owned()];
        let reproduction = Reproduction {
            name: "name",
            title: long,
            source: long,
            replicates: 3,
            kind: "runs",
            failed: 0,
            problems: &texts,
            balancing: &texts,
            rows: vec![row("short"), row(long)],
            statements: vec![statement],
            remarks: &texts,
        };
        let text = printed(|to| print(&reproduction, to));
        assert_narrow(&text);
        // The figures of both rows are below each other.
        let ends: Vec<_> = text.lines().filter_map(|line| line.find("-123456")).collect();
        assert!(ends.len() == 2 && ends[0] == ends[1], "{text}");
        assert_eq!(text.matches("percentage points").count(), 2, "{text}");
    }
}
