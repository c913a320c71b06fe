//! `tresse balance --compare`: runs all methods side by side.

use std::io::{self, Write};
use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse_console::command::{CommandError, printed};
use tresse_console::exit::Exit;
use tresse_console::files::output::OutputDir;
use tresse_console::interrupt;
use tresse_console::runs_progress::Progress;
use tresse_console::summary::write_json;
use tresse_console::table::write_records;
use tresse_core::balance::grapevine::{Config, RunError};

use super::phase::PhaseReport;
use super::{BalanceError, Job, Selected, memory_flag, table};
use crate::balancing::{BalancingError, Contender, contenders};
use crate::commands::args::{BalanceArgs, flags};

/// The summary that `--json` prints and `summary.json` has.
#[derive(Serialize)]
struct Comparison<'a> {
    /// Seconds of balancing.
    seconds: f64,
    phases: Vec<ComparedPhase>,
    stem: &'a str,
    /// Parameters of the method called grapevine.
    config: Config,
    memory_limit: Option<u64>,
    interrupted: bool,
}

/// The results of all methods in one phase.
#[derive(Serialize)]
struct ComparedPhase {
    phase: u64,
    processors: u32,
    objects: usize,
    initial_imbalance: f64,
    least_imbalance: f64,
    methods: Vec<Compared>,
}

/// The result of one method in one phase; fields are `None` where the method was left out.
#[derive(Serialize)]
struct Compared {
    name: &'static str,
    /// Reason for which the method was left out.
    left_out: Option<String>,
    report: Option<PhaseReport>,
}

/// A line of `comparison.csv`.
#[derive(Serialize)]
struct Line {
    phase: u64,
    method: &'static str,
    imbalance: Option<f64>,
    iterations: Option<usize>,
    transfers: Option<u64>,
    rejected: Option<u64>,
    migrations: Option<usize>,
    messages: Option<u64>,
    gossip_bytes: Option<u64>,
    most_memory: Option<u64>,
    seconds: Option<f64>,
}

/// Compares the methods, and prints and stores the results.
pub(super) fn run(
    args: &BalanceArgs,
    job: &Job,
    stem: &str,
    out: Option<&OutputDir>,
) -> Result<Exit, CommandError> {
    let config = args.choices.resolve()?;
    let contenders = contenders(config);
    let steps: u64 = contenders.iter().map(|contender| contender.method.steps()).sum();
    let all = steps.saturating_mul(job.phases.len() as u64);
    let progress = Progress::late(usize::try_from(all).unwrap_or(usize::MAX), job.hidden);
    let phases = job.on_threads(|| phases(job, &contenders, &progress))??;
    progress.finish();
    let reports = phases.iter().flat_map(|phase| &phase.methods);
    let comparison = Comparison {
        seconds: reports.filter_map(|one| one.report.as_ref()).map(|report| report.seconds).sum(),
        phases,
        stem,
        config,
        memory_limit: args.memory_limit,
        interrupted: interrupt::flag().load(Ordering::Relaxed),
    };
    // The tables first: what was computed is shown even where it cannot be stored.
    if args.json {
        printed(|to| write_json(&comparison, to))?;
    } else if !args.quiet {
        printed(|to| {
            let limit = memory_flag(args);
            writeln!(to, "{stem}: --compare{limit}\n{}", flags(&config))?;
            comparison.phases.iter().try_for_each(|phase| write(phase, to))
        })?;
    }
    if let Some(out) = out {
        let lines = comparison.phases.iter().flat_map(ComparedPhase::lines);
        out.write("comparison.csv", |w| write_records(lines, w))?;
        out.write("summary.json", |w| write_json(&comparison, w))?;
        if !args.json && !args.quiet {
            printed(|to| writeln!(to, "written: {}", out.path().display()))?;
        }
    }
    Ok(if comparison.interrupted { Exit::Interrupted } else { Exit::Done })
}

/// Balances all phases by all methods, until it is interrupted.
fn phases(
    job: &Job,
    contenders: &[Contender],
    progress: &Progress,
) -> Result<Vec<ComparedPhase>, BalanceError> {
    let mut phases = Vec::with_capacity(job.phases.len());
    for phase in &job.phases {
        let mut methods = Vec::with_capacity(contenders.len());
        for contender in contenders {
            if interrupt::flag().load(Ordering::Relaxed) {
                break;
            }
            progress.show(&format!("phase {}, {}", phase.id, contender.name));
            methods.push(compared(job, phase, contender, progress)?);
        }
        phases.extend(ComparedPhase::of(phase, methods));
    }
    Ok(phases)
}

/// Balances a phase by one method. A method that needs too much is left out, with the reason.
fn compared(
    job: &Job,
    phase: &Selected,
    contender: &Contender,
    progress: &Progress,
) -> Result<Compared, BalanceError> {
    let name = contender.name;
    let balanced = match job.attempt(&contender.method, phase, progress) {
        Ok(balanced) => balanced,
        // What takes too much is left out; so is what cannot keep the bounds on memory.
        Err(
            error @ (BalancingError::Memory { .. }
            | BalancingError::Excessive { .. }
            | BalancingError::Grapevine(RunError::Unbounded)),
        ) => {
            let left_out = Some(error.to_string());
            return Ok(Compared { name, left_out, report: None });
        }
        Err(error) => {
            let phase = phase.id;
            return Err(BalanceError::Phase { phase, error });
        }
    };
    let report = PhaseReport::of(phase.id, &phase.instance, &balanced);
    Ok(Compared { name, left_out: None, report: Some(report) })
}

impl ComparedPhase {
    /// Returns the results of a phase, or `None` where no method was run.
    fn of(phase: &Selected, methods: Vec<Compared>) -> Option<Self> {
        let first = methods.iter().find_map(|one| one.report.as_ref())?;
        Some(Self {
            phase: phase.id,
            processors: first.processors,
            objects: first.objects,
            initial_imbalance: first.initial_imbalance,
            least_imbalance: first.least_imbalance,
            methods,
        })
    }

    /// Returns a line for each method; counts are sums over its iterations.
    fn lines(&self) -> impl Iterator<Item = Line> {
        self.methods.iter().map(|one| {
            let report = one.report.as_ref();
            let sum = |of: fn(&super::phase::IterationReport) -> u64| {
                report.map(|report| report.iterations.iter().map(of).sum())
            };
            Line {
                phase: self.phase,
                method: one.name,
                imbalance: report.map(|report| report.final_imbalance),
                iterations: report.map(|report| report.iterations.len()),
                transfers: sum(|made| made.transfers),
                rejected: sum(|made| made.rejected),
                migrations: report.map(|report| report.migrations),
                messages: report.map(|report| report.messages),
                gossip_bytes: report.map(|report| report.gossip_bytes),
                most_memory: report.and_then(|report| report.most_memory).map(|[_, after]| after),
                seconds: report.map(|report| report.seconds),
            }
        })
    }
}

/// Writes the table of a phase: a row for each method, and then those that are left out.
fn write(phase: &ComparedPhase, out: &mut dyn Write) -> io::Result<()> {
    let Some(first) = phase.methods.iter().find_map(|one| one.report.as_ref()) else {
        return Ok(());
    };
    table::write_head(first, out)?;
    let heads = ["iterations", "transfers", "rejected", "migrations", "messages", "seconds"];
    write!(out, "{:<16}{:>14}", "method", "imbalance")?;
    heads.iter().try_for_each(|head| write!(out, "{head:>12}"))?;
    writeln!(out)?;
    for (one, line) in phase.methods.iter().zip(phase.lines()) {
        let Some(imbalance) = line.imbalance else { continue };
        write!(out, "{:<16}{imbalance:>14.6}", one.name)?;
        let has_iterations = line.iterations.is_some_and(|count| count > 0);
        let counts = [line.iterations.map(|count| count as u64), line.transfers, line.rejected];
        let count = |count: Option<u64>| count.map_or("-".into(), |count| count.to_string());
        for number in counts.map(|number| number.filter(|_| has_iterations)) {
            write!(out, "{:>12}", count(number))?;
        }
        write!(out, "{:>12}", count(line.migrations.map(|count| count as u64)))?;
        write!(out, "{:>12}", count(line.messages.filter(|_| has_iterations)))?;
        write!(out, "{:>12.6}", line.seconds.unwrap_or_default())?;
        if one.report.as_ref().and_then(|report| report.exceeds_memory) == Some(true) {
            write!(out, "  {}", table::EXCEEDS)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{:<16}{:>14.6}", "(lower bound)", phase.least_imbalance)?;
    for one in &phase.methods {
        if let Some(why) = &one.left_out {
            writeln!(out, "{} is left out: {why}", one.name)?;
        }
    }
    Ok(())
}
