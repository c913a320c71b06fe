//! `tresse-mpi solve`: one run on all ranks.

use std::io::{self, Write as _};

use mpi::traits::Equivalence;
use tresse::args::{Resolved, describe};
use tresse::checkpoint::Folder;
use tresse::commands::solve as one;
use tresse::commands::{printed, warn};
use tresse::exit::Exit;
use tresse::report::output::OutputDir;
use tresse::stored_cell::StoredCell;
use tresse::threads::Record;
use tresse_core::id::NodeId;
use tresse_core::run::Precision;
use tresse_core::shared::SharedReal;

use super::error::SolveError;
use super::map;
use super::measure::Measured;
use super::output::{self, Fields};
use super::reach::Reach;
use super::ready::{Ready, prepare};
use super::recording::{Prepared, Recording};
use crate::agreement::{Refused, agree, as_first, together};
use crate::args::SolveRanksArgs;
use crate::report::RanksReport;
use crate::saving::Plan;
use crate::window::Word;
use crate::{Entry, signals};

/// Solves on all ranks. Collective.
pub fn run(entry: &mut Entry, args: &SolveRanksArgs) -> Result<Exit, Refused> {
    let agreed = agree(entry, "the command line", args);
    together(entry, agreed)?;
    let ready = prepare(entry, args)?;
    let out = ready.resolved.out.as_deref().map(OutputDir::prepare).transpose();
    let out = together(entry, out.map_err(SolveError::from))?;
    let plan = plan(entry, args, &ready)?;
    let record = ready.resolved.record.as_deref();
    let record = record.map(|path| Prepared::new(entry, path)).transpose()?;
    let reach = Reach::find(entry, args.reach, ready.resolved.config.mode)?;
    let announced =
        if entry.rank() == NodeId(0) { announce(entry, &ready, &reach) } else { Ok(()) };
    together(entry, announced)?;
    match ready.resolved.config.precision {
        Precision::F32 => solve::<f32>(entry, &ready, reach, (plan, record), out.as_ref()),
        Precision::F64 => solve::<f64>(entry, &ready, reach, (plan, record), out.as_ref()),
    }
}

/// The configuration, and where ranks are.
fn announce(entry: &Entry, ready: &Ready, reach: &Reach) -> Result<(), SolveError> {
    let Ready { resolved, binding, resumed, .. } = ready;
    if let Some(checkpoint) = resumed {
        // What a person looks for when the run is gone before it leaves a checkpoint of its own: not
        // every launcher lets the ranks that are left name one.
        let _ = writeln!(io::stderr(), "resumed     {}", checkpoint.path().display());
    }
    let map = map::describe(entry, binding, &resolved.config);
    let text = format!("{}\n{map}\nreach    {reach}", describe(&resolved.config));
    Ok(one::announce(resolved, ready.warning(entry).as_deref(), &text)?)
}

fn solve<F>(
    entry: &mut Entry,
    ready: &Ready,
    reach: Reach,
    (plan, record): (Option<Plan<'_>>, Option<Prepared<'_>>),
    out: Option<&OutputDir>,
) -> Result<Exit, Refused>
where
    F: SharedReal<Shared: Word> + StoredCell + Equivalence,
{
    let resolved = &ready.resolved;
    let recorded = record.map(|prepared| prepared.start(entry, ready)).transpose()?;
    let (observers, recording) = recorded.unzip();
    let measured = if entry.rank() == NodeId(0) {
        one::watched(resolved, true, |watch| {
            ready.measure::<F>(entry, reach, plan, observers, watch)
        })
    } else {
        ready.measure::<F>(entry, reach, plan, observers, &mut |_| {})
    };
    let Measured { record, per_rank, band } = match measured {
        Ok(measured) => measured,
        Err(refused) => {
            recording.into_iter().for_each(Recording::abandon);
            return Err(refused);
        }
    };
    let recorded = recording.map_or(Ok(()), |recording| recording.finish(entry, ready, &band));
    let stored = out.map_or(Ok(()), |out| {
        Fields { out, config: &resolved.config, name: &resolved.field }.store(entry, &band)
    });
    let concluded = per_rank.map_or(Ok(Exit::Done), |all| {
        let report = ready.report(&record);
        conclude(resolved, out, &record, &RanksReport::new(&report, entry.library(), &all))
    });
    recorded?;
    stored?;
    let exit = together(entry, concluded)?;
    Ok(as_first(entry, exit))
}

/// What is saved, if that is asked for. Collective.
fn plan<'a>(
    entry: &mut Entry,
    args: &'a SolveRanksArgs,
    ready: &'a Ready,
) -> Result<Option<Plan<'a>>, Refused> {
    let Some(path) = args.checkpoints.checkpoint.as_deref() else { return Ok(None) };
    let prepared = (entry.rank() == NodeId(0))
        .then(|| Folder::prepare(path, ready.resumed.as_ref()))
        .transpose();
    let folder = together(entry, prepared.map_err(SolveError::from))?;
    let request = together(entry, signals::request().map_err(SolveError::Signal))?;
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

/// Prints and stores what there is besides the field; on the first rank.
fn conclude(
    resolved: &Resolved,
    out: Option<&OutputDir>,
    record: &Record,
    report: &RanksReport<'_>,
) -> Result<Exit, SolveError> {
    for rank in report.per_rank {
        for core in &rank.unpinned {
            let rank = rank.rank;
            warn(&format!("a worker of rank {rank} could not be pinned to core {core}"));
        }
    }
    let shown = one::show(resolved, record, report.report, report);
    if let Some(out) = out {
        one::files::store(out, record, report.report, report)?;
    }
    shown?;
    if !resolved.json && !resolved.quiet {
        printed(|to| map::summary(report, to))?;
        if let Some(path) = &resolved.record {
            printed(|to| writeln!(to, "recorded    {}", path.display()))?;
        }
        if let Some(out) = out {
            let names = output::NAMES;
            printed(|to| writeln!(to, "written     {}: {names}", out.path().display()))?;
        }
    }
    Ok(one::exit(record, report.report))
}
