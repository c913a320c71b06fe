//! `tresse solve`: makes one run, with a progress bar, a report, and files.

pub mod checkpoints;
pub mod files;
pub mod matrix;
mod progress;
pub mod resume;
mod summary;

use serde::Serialize;
use tresse_console::progress_line::{ProgressLine, Shown};
use tresse_core::base::time::Duration;
use tresse_core::run::{MachineReport, RunConfig};

use self::checkpoints::Asked;
use self::progress::Progress;
use super::{CommandError, printed, warn};
use crate::checkpoints::Checkpoints;
use crate::commands::args::{Resolved, SolveHereArgs, describe, resolve};
use crate::error_estimate;
use crate::files::recording::{Head, PoolHead, Recorder, Source, pool};
use crate::report::history::HistorySample;
use crate::report::output::{OutputDir, OutputError, OutputFile, Outputs};
use crate::report::summary::write_json;
use crate::report::{MethodReport, RunReport};
use crate::solver::{self, Finished};
use crate::solvers::Method;
use crate::threads::{End, Job, RunRecord};
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Placement, Platform};

/// Solves the problem, and prints and stores the result.
pub fn run(
    SolveHereArgs { solve: args, checkpoints, matrix }: &SolveHereArgs,
) -> Result<Exit, CommandError> {
    if let Some(path) = &matrix.matrix {
        return matrix::solve(args, matrix, path);
    }
    let machine = Platform::detect()?;
    let mut args = args.clone();
    let saved = Asked::open(checkpoints, &mut args)?;
    let reading =
        args.problem.as_ref().map(|_| line(args.json || args.quiet, "reading the problem"));
    let resolved = resolve(&args, machine.default_workers().workers, machine.available_memory)?;
    drop(reading);
    let placement = Placement::plan(&machine, Some(resolved.config.workers), resolved.topology)?;
    let resolved = resolved.with_noise(&placement)?;
    for noise in &resolved.config.noise {
        placement.noisy_cores(noise)?;
    }
    let problem = saved.check(&resolved)?;
    let outputs = Outputs::new(saved.inputs(&resolved));
    let out = resolved.out.as_deref().map(|path| outputs.folder("--out", path, files::NAMES));
    let out = out.transpose()?;
    let record =
        resolved.record.as_deref().map(|path| outputs.file("--record", path)).transpose()?;
    let plan = saved.plan(&resolved, problem)?;
    saved.announce();
    announce(&resolved, placement.warning().as_deref(), &describe(&resolved))?;

    let job = Job {
        config: &resolved.config,
        problem: &resolved.problem,
        placement: &placement,
        interrupt: interrupt::flag_of_a_run(),
    };
    let checkpoints = Checkpoints { plan, resumed: saved.resumed.as_ref() };
    let made = finished(&resolved, (job, checkpoints), record, machine.report());
    let (mut finished, recorded) = made?;
    estimate_error(&resolved, &placement, &mut finished)?;

    let problem = resolved.about();
    let sockets = placement.socket_count();
    let report = finished.record.report(
        resolved.mode(),
        &resolved.config,
        &problem,
        sockets,
        machine.report(),
    );
    for core in &finished.record.unpinned {
        warn(&format!("a worker could not be pinned to core {core}: its figures mean little"));
    }
    let json = MethodReport::new(resolved.method, &resolved.problem, &finished.record, &report);
    let exit = conclude(&resolved, out.as_ref(), recorded, &finished, &report, &json)?;
    if let Some(folder) = saved.folder() {
        checkpoints::tell_newest(folder, resolved.json || resolved.quiet)?;
    }
    if let Some(hint) =
        hint(&resolved, &finished.record).filter(|_| !resolved.json && !resolved.quiet)
    {
        printed(|to| writeln!(to, "hint        {hint}"))?;
    }
    Ok(exit)
}

/// Estimates how far the field is from the solution, where memory is left for that and nobody
/// interrupts it.
pub(super) fn estimate_error(
    resolved: &Resolved,
    placement: &Placement,
    finished: &mut Finished,
) -> Result<(), CommandError> {
    let _estimating = line(resolved.json || resolved.quiet, "estimating the error");
    let available = Platform::detect()?.available_memory;
    let Finished { field, record } = finished;
    let (config, problem, interrupt) = (&resolved.config, &resolved.problem, interrupt::flag());
    record.error_estimate =
        error_estimate::estimate(config, problem, field, placement, available, interrupt)?;
    Ok(())
}

/// Makes the run, and stores the recording that is asked for; the run does not depend on its
/// success.
fn finished(
    resolved: &Resolved,
    (job, checkpoints): (Job<'_>, Checkpoints<'_>),
    record: Option<OutputFile>,
    machine: MachineReport<'_>,
) -> Result<(Finished, Result<(), OutputError>), CommandError> {
    let (method, by) = (resolved.method, resolved.solver);
    match (record, method) {
        (None, _) => {
            let run = |watch: &mut dyn FnMut(&HistorySample)| {
                solver::run_method(method, by, job, checkpoints, watch)
            };
            Ok((watched(resolved, false, run)?, Ok(())))
        }
        (Some(file), Method::Jacobi) => {
            let recorder = recorder(job, resolved, file)?;
            Ok(watched(resolved, false, |watch| solver::record(job, checkpoints, recorder, watch))?)
        }
        (Some(file), Method::Multigrid(choices)) => {
            let run = |watch: &mut dyn FnMut(&HistorySample)| {
                solver::record_multigrid(choices, job, checkpoints, watch)
            };
            let (finished, timeline) = watched(resolved, false, run)?;
            let head = tasks_head(job.config, job.placement.cores(), machine);
            Ok((finished, file.write(|to| pool::write(&head, &timeline, 0, to))))
        }
    }
}

/// Returns the head of a recording of what workers are at during a run by multigrid; `cores` has
/// theirs.
pub fn tasks_head(config: &RunConfig, cores: Vec<u32>, machine: MachineReport<'_>) -> PoolHead {
    PoolHead {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        subject: format!("multigrid of {} cells", config.grid),
        config: None,
        workers: config.workers,
        managers: 0,
        has_own_cores: false,
        cores,
        machine: machine.to_string(),
        is_virtual: false,
    }
}

/// Returns advice about the method where Jacobi iteration took long.
fn hint(resolved: &Resolved, record: &RunRecord) -> Option<&'static str> {
    let is_long = record.elapsed > Duration::from_millis(1000);
    let words = if resolved.problem.terms().faces.is_none() {
        "--method multigrid takes five to nine cycles, at any size and tolerance 1e-8"
    } else {
        "--method multigrid takes ten to some hundred cycles, at any size"
    };
    (resolved.method == Method::Jacobi && is_long).then_some(words)
}

/// Returns a line that names a step that takes a while where the data are large; the line is wiped
/// when it is dropped.
fn line(hidden: bool, what: &str) -> ProgressLine {
    ProgressLine::new(hidden, Shown { what: what.to_owned(), ..Shown::default() })
}

/// Returns a recorder of a job that is about to begin.
fn recorder(job: Job<'_>, resolved: &Resolved, file: OutputFile) -> Result<Recorder, CommandError> {
    let noise = job.noisy_cores()?.into_iter().map(|(noise, core)| Source { noise, core });
    let head = Head::new(job.config, job.problem, job.placement.cores(), noise.collect());
    let head = Head { about: resolved.field.clone(), ..head };
    Ok(Recorder::start(head, file)?)
}

/// Prints warnings to standard error, and the effective configuration unless that is not wanted.
pub fn announce(
    resolved: &Resolved,
    warning: Option<&str>,
    configuration: &str,
) -> Result<(), CommandError> {
    for warning in resolved.warnings.iter().map(String::as_str).chain(warning) {
        warn(warning);
    }
    if !resolved.json && !resolved.quiet {
        printed(|out| writeln!(out, "{configuration}\n"))?;
    }
    Ok(())
}

/// Runs with a progress bar, unless that is not wanted; with `has_lines`, lines are printed now and
/// then where there is no terminal.
pub fn watched<T, E>(
    resolved: &Resolved,
    has_lines: bool,
    run: impl FnOnce(&mut dyn FnMut(&HistorySample)) -> Result<T, E>,
) -> Result<T, E> {
    let (grid, stop) = (resolved.config.grid, resolved.config.stop);
    let mut progress = Progress::new(grid, stop, resolved.json || resolved.quiet, has_lines);
    let finished = run(&mut |sample| {
        interrupt::has_begun();
        progress.show(sample);
    });
    interrupt::has_begun();
    let finished = finished?;
    progress.finish();
    Ok(finished)
}

/// Prints and stores the results; each is done even where the other fails. `recorded` is the
/// outcome of the recording, if there is one; `json` contains the report.
pub(super) fn conclude(
    resolved: &Resolved,
    out: Option<&OutputDir>,
    recorded: Result<(), OutputError>,
    finished: &Finished,
    report: &RunReport<'_>,
    json: &impl Serialize,
) -> Result<Exit, CommandError> {
    let record = &finished.record;
    let shown = show(resolved, record, report, json);
    if let Some(out) = out {
        let _writing = line(resolved.json || resolved.quiet, "writing results");
        files::store(out, resolved.method, record, report, json)?;
        files::store_field(out, &finished.field, &resolved.field, &resolved.problem)?;
    }
    recorded?;
    shown?;
    if let Some(path) = resolved.record.as_deref().filter(|_| !resolved.json && !resolved.quiet) {
        printed(|to| writeln!(to, "recorded    {}", path.display()))?;
    }
    if let Some(out) = out.filter(|_| !resolved.json && !resolved.quiet) {
        let names = files::shown(resolved.method);
        printed(|to| writeln!(to, "written     {}: {names}", out.path().display()))?;
    }
    Ok(exit(record, report))
}

/// Prints a run's report, or `json`, which contains it, where that is asked for.
pub fn show(
    resolved: &Resolved,
    record: &RunRecord,
    report: &RunReport<'_>,
    json: &impl Serialize,
) -> Result<(), CommandError> {
    if resolved.json {
        printed(|out| write_json(json, out))?;
    } else if !resolved.quiet {
        printed(|out| summary::write((resolved.method, &resolved.problem), record, report, out))?;
    } else if exit(record, report) == Exit::NotReached {
        warn(&summary::warning(report));
    }
    Ok(())
}

/// Returns the exit status of a program after this run: [`Exit::Done`] where it converged, or made
/// all its iterations where no tolerance was asked for; [`Exit::Interrupted`] where somebody ended
/// it; otherwise [`Exit::NotReached`].
pub fn exit(record: &RunRecord, report: &RunReport<'_>) -> Exit {
    match record.end {
        End::Interrupted => Exit::Interrupted,
        End::Converged => Exit::Done,
        End::Iterations if report.converged.is_none() && record.is_valid() => Exit::Done,
        End::Iterations | End::Stagnated | End::Stalled | End::Livelock | End::NotFinite => {
            Exit::NotReached
        }
    }
}
