//! `tresse-mpi solve`: one run on all ranks.

use std::path::Path;
use tresse_core::base::real::Real;

use mpi::traits::Equivalence;
use tresse::commands::args::{Resolved, describe};
use tresse::commands::solve as one;
use tresse::commands::{RunError, printed, warn};
use tresse::engine::checkpoints::Plan;
use tresse::engine::threads::RunRecord;
use tresse::exit::Exit;
use tresse::files::checkpoint::Folder;
use tresse::files::stored_cell::StoredCell;
use tresse::interrupt;
use tresse::report::MethodReport;
use tresse::report::output::{OutputDir, Outputs};
use tresse::terminal;
use tresse_core::base::id::RankId;
use tresse_core::run::{End, Precision};

use super::error::SolveError;
use super::measure::Measured;
use super::output::{self, Fields};
use super::reach::Reach;
use super::ready::{Ready, prepare};
use super::recording::{Prepared, Recording, Told};
use super::{map, matrix};
use crate::commands::args::SolveRanksArgs;
use crate::commands::report::{RanksFigures, RanksReport};
use crate::mpi::Entry;
use crate::mpi::agreement::{Refused, agree, as_first, together};
use crate::mpi::window::Word;
use crate::rank::multigrid::estimate_error;

/// Solves on all ranks. Collective.
pub fn run(entry: &mut Entry, args: &SolveRanksArgs) -> Result<Exit, Refused> {
    let agreed = agree(entry, "the command line", args);
    together(entry, agreed)?;
    if let Some(path) = &args.matrix.matrix {
        return matrix::run(entry, args, path);
    }
    let ready = prepare(entry, args)?;
    let outputs = Outputs::new(ready.inputs());
    let out = ready.resolved.out.as_deref();
    let out = out.map(|path| outputs.folder("--out", path, output::names(entry))).transpose();
    let out = together(entry, out.map_err(SolveError::from))?;
    let plan = plan(entry, args, &ready)?;
    let record = ready.resolved.record.as_deref();
    let record = record.map(|path| (path, ready.resolved.method));
    let record = record.map(|to| Prepared::new(entry, &outputs, to)).transpose()?;
    let has_windows = !ready.resolved.is_bulk_synchronous();
    let reach = Reach::find(entry, args.reach, has_windows)?;
    let announced =
        if entry.rank() == RankId(0) { announce(entry, &ready, &reach) } else { Ok(()) };
    together(entry, announced)?;
    match ready.resolved.config.precision {
        Precision::F32 => solve::<f32>(entry, &ready, reach, (plan, record), out.as_ref()),
        Precision::F64 => solve::<f64>(entry, &ready, reach, (plan, record), out.as_ref()),
    }
}

/// Announces the configuration, and the places of the ranks.
fn announce(entry: &Entry, ready: &Ready, reach: &Reach) -> Result<(), SolveError> {
    let Ready { resolved, binding, resumed, .. } = ready;
    if let Some(checkpoint) = resumed {
        // What a person looks for when the run is gone before it leaves a checkpoint of its own:
        // not every launcher lets the ranks that are left name one.
        terminal::tell(&format!("resumed     {}", checkpoint.path().display()));
    }
    let map = map::describe(entry, binding, resolved, reach.only_gets);
    let text = format!("{}\n{map}\nreach    {reach}", describe(resolved));
    Ok(one::announce(resolved, ready.warning(entry).as_deref(), &text)?)
}

/// Solves with cells of `F`, and then writes recording, field and report. Collective; `record` is
/// the recording to make.
fn solve<F>(
    entry: &mut Entry,
    ready: &Ready,
    reach: Reach,
    (plan, record): (Option<Plan<'_>>, Option<Prepared>),
    out: Option<&OutputDir>,
) -> Result<Exit, Refused>
where
    F: Real<Shared: Word> + StoredCell + Equivalence + Into<f64>,
{
    let resolved = &ready.resolved;
    let saved = plan.as_ref().map(|plan| plan.path);
    let recorded = record.map(|prepared| prepared.start(entry, ready)).transpose()?;
    let (observers, recording) = recorded.unzip();
    let tracks = recording.as_ref().and_then(Recording::tracks);
    let told = Told { observers: observers.flatten(), tracks };
    let measured = if entry.rank() == RankId(0) {
        one::watched(resolved, true, |watch| ready.measure::<F>(entry, reach, plan, told, watch))
    } else {
        ready.measure::<F>(entry, reach, plan, told, &mut |_| {})
    };
    let Measured { mut record, per_rank, mut band } = match measured {
        Ok(measured) => measured,
        Err(refused) => {
            recording.into_iter().for_each(Recording::abandon);
            return Err(refused);
        }
    };
    let available = ready.machine.available_memory / u64::from(entry.node_ranks().max(1));
    if record.end != End::Interrupted {
        record.error_estimate =
            estimate_error(entry, &resolved.config, &resolved.problem, &band, available);
    }
    let recorded =
        recording.map_or(Ok(()), |recording| recording.finish(entry, ready, (&band, &record)));
    let stored = out.map_or(Ok(()), |out| {
        let about = &resolved.field;
        resolved.problem.clear_holes(band.first_row, &mut band.cells);
        Fields { out, config: &resolved.config, about }.store(entry, &band)
    });
    let left = Left {
        recorded: resolved.record.as_deref().filter(|_| recorded.is_ok()),
        out,
        has_field: stored.is_ok(),
        checkpoints: saved,
    };
    let concluded = per_rank.map_or(Ok(Exit::Done), |all| {
        let report = ready.report(&record);
        let report = MethodReport::new(resolved.method, &resolved.problem, &record, &report);
        let ranks = RanksFigures::new(entry.library(), &all);
        conclude(resolved, left, &record, &RanksReport { report, ranks })
    });
    recorded?;
    stored?;
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// Returns the plan of the checkpoints, if these are asked for. Collective.
fn plan<'a>(
    entry: &mut Entry,
    args: &'a SolveRanksArgs,
    ready: &'a Ready,
) -> Result<Option<Plan<'a>>, Refused> {
    let Some(path) = args.checkpoints.checkpoint.as_deref() else { return Ok(None) };
    // From here on a signal asks for an orderly end, which leaves no empty folder.
    interrupt::flag();
    let prepared = (entry.rank() == RankId(0))
        .then(|| Folder::prepare(path, ready.resumed.as_ref()))
        .transpose();
    let folder = together(entry, prepared.map_err(SolveError::from))?;
    let request = together(entry, interrupt::save_request().map_err(RunError::Signal))?;
    Ok(Some(Plan {
        path,
        every: args.checkpoints.every(),
        folder,
        request,
        config: &ready.resolved.config,
        problem: ready.problem,
        resumed: ready.resumed.as_ref(),
    }))
}

/// The files that the run leaves.
#[derive(Clone, Copy)]
struct Left<'a> {
    /// Recording, if it could be stored.
    recorded: Option<&'a Path>,
    out: Option<&'a OutputDir>,
    /// Whether the field could be stored.
    has_field: bool,
    /// Folder of the checkpoints.
    checkpoints: Option<&'a Path>,
}

/// Prints and stores the results besides the field; on the first rank.
fn conclude(
    resolved: &Resolved,
    left: Left<'_>,
    record: &RunRecord,
    report: &RanksReport<'_>,
) -> Result<Exit, SolveError> {
    for rank in report.ranks.per_rank {
        for core in &rank.unpinned {
            let rank = rank.rank;
            warn(&format!("a worker of rank {rank} could not be pinned to core {core}"));
        }
    }
    let run = report.report.run;
    let shown = one::show(resolved, record, run, report);
    let stored =
        left.out.map_or(Ok(()), |out| one::files::store(out, resolved.method, record, run, report));
    shown?;
    if let Some(folder) = left.checkpoints {
        one::checkpoints::tell_newest(folder, resolved.json || resolved.quiet)?;
    }
    if !resolved.json && !resolved.quiet {
        if !resolved.is_bulk_synchronous() {
            let transfers = report.report.run.transfers;
            printed(|to| to.write_all(map::summary(&report.ranks, transfers).as_bytes()))?;
        }
        if let Some(path) = left.recorded {
            printed(|to| writeln!(to, "recorded    {}", path.display()))?;
        }
        if let Some(out) = left.out.filter(|_| left.has_field && stored.is_ok()) {
            let names = output::shown(resolved.method);
            printed(|to| writeln!(to, "written     {}: {names}", out.path().display()))?;
        }
    }
    stored?;
    Ok(one::exit(record, run))
}
