//! `tresse solve`: one run, with a progress bar, a report, and files.

mod files;
mod progress;
mod summary;

use tresse_core::run::Report;

pub(super) use self::files::store_field;
use self::progress::Progress;
use super::{CommandError, interrupt, printed, warn};
use crate::args::{Resolved, SolveArgs, describe, resolve};
use crate::exit::Exit;
use crate::machine::{Machine, Placement};
use crate::recording::{Head, Recorder, Source};
use crate::report::output::{OutputDir, OutputFile};
use crate::report::summary::write_json;
use crate::solver::{self, Finished};
use crate::threads::{End, Job};

/// Solves, prints and stores.
pub fn run(args: &SolveArgs) -> Result<Exit, CommandError> {
    let machine = Machine::detect()?;
    let cores = u32::try_from(machine.cores.len()).unwrap_or(u32::MAX);
    let resolved = resolve(args, cores, machine.available_memory)?;
    let placement = Placement::plan(&machine, Some(resolved.config.workers), resolved.topology)?;
    for noise in &resolved.config.noise {
        placement.noisy_cores(noise)?;
    }
    let out = resolved.out.as_deref().map(OutputDir::prepare).transpose()?;
    let record = resolved.record.as_deref().map(|path| OutputFile::prepare("--record", path));
    let record = record.transpose()?;
    announce(&resolved, &placement)?;

    let job = Job {
        config: &resolved.config,
        problem: &resolved.problem,
        placement: &placement,
        interrupt: interrupt::flag(),
    };
    let mut progress = Progress::new(resolved.config.stop, resolved.json || resolved.quiet);
    let mut watch = |sample: &_| progress.show(sample);
    let (finished, recorded) = match record {
        Some(file) => solver::record(job, recorder(job, file)?, &mut watch)?,
        None => (solver::run(job, &mut watch)?, Ok(())),
    };
    progress.finish();

    let config = &resolved.config;
    let report = finished.record.report(config, placement.socket_count(), machine.report());
    for core in &finished.record.unpinned {
        warn(&format!("a worker could not be pinned to core {core}: its figures mean little"));
    }
    // What was computed is shown even where it cannot be stored, and stored even where it cannot
    // be shown.
    let shown = show(&resolved, &finished, &report);
    if let Some(out) = &out {
        files::store(out, &finished, &report)?;
    }
    recorded?;
    shown?;
    if let Some(path) = resolved.record.as_deref().filter(|_| !resolved.json && !resolved.quiet) {
        printed(|to| writeln!(to, "recorded    {}", path.display()))?;
    }
    if let Some(out) = out.filter(|_| !resolved.json && !resolved.quiet) {
        printed(|to| writeln!(to, "written     {}: {}", out.path().display(), files::NAMES))?;
    }
    Ok(exit(&finished, &report))
}

/// A recorder of a job that is about to begin.
fn recorder(job: Job<'_>, file: OutputFile) -> Result<Recorder, CommandError> {
    let noise = job.noisy_cores()?.into_iter().map(|(noise, core)| Source { noise, core });
    let head = Head::new(job.config, job.problem, job.placement, noise.collect());
    Ok(Recorder::start(head, file)?)
}

/// Warnings to standard error; the effective configuration unless it is to be quiet.
fn announce(resolved: &Resolved, placement: &Placement) -> Result<(), CommandError> {
    let placed = placement.warning();
    for warning in resolved.warnings.iter().chain(&placed) {
        warn(warning);
    }
    if !resolved.json && !resolved.quiet {
        printed(|out| writeln!(out, "{}\n", describe(&resolved.config)))?;
    }
    Ok(())
}

fn show(resolved: &Resolved, finished: &Finished, report: &Report<'_>) -> Result<(), CommandError> {
    if resolved.json {
        printed(|out| write_json(report, out))?;
    } else if !resolved.quiet {
        printed(|out| summary::write(&finished.record, report, out))?;
    } else if exit(finished, report) == Exit::NotReached {
        warn(&summary::verdict(&finished.record, report));
    }
    Ok(())
}

fn exit(finished: &Finished, report: &Report<'_>) -> Exit {
    match finished.record.end {
        End::Interrupted => Exit::Interrupted,
        End::Converged => Exit::Done,
        End::Iterations if report.converged.is_none() && finished.record.is_valid() => Exit::Done,
        End::Iterations | End::Stagnated | End::NotFinite => Exit::NotReached,
    }
}
