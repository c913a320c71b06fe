//! Writes the results into the folder: the balanced trace, figures and pictures.

use std::collections::BTreeSet;

use serde::Serialize;
use tresse_console::command::CommandError;
use tresse_console::files::output::OutputDir;
use tresse_console::summary::write_json;
use tresse_console::table::write_records;
use tresse_core::base::id::ObjectId;

use super::super::traces;
use super::phase::IterationReport;
use super::{BalanceError, Placed, Selected, Summary, pictures};
use crate::commands::args::BalanceArgs;
use crate::load_traces::{LoadTrace, Phase};

/// A line of `iterations.csv`.
#[derive(Serialize)]
struct Line {
    phase: u64,
    trial: u32,
    iteration: u32,
    transfers: u64,
    rejected: u64,
    rejection_rate: Option<f64>,
    refused: u64,
    exchanges: u64,
    messages: u64,
    gossip_bytes: u64,
    imbalance: f64,
}

impl Line {
    /// Returns the line of one iteration.
    fn of(phase: u64, made: &IterationReport) -> Self {
        let IterationReport { trial, iteration, transfers, rejected, rejection_rate, .. } = *made;
        let IterationReport { refused, exchanges, messages, gossip_bytes, imbalance, .. } = *made;
        Self {
            phase,
            trial,
            iteration,
            transfers,
            rejected,
            rejection_rate,
            refused,
            exchanges,
            messages,
            gossip_bytes,
            imbalance,
        }
    }
}

/// A line of `mapping.csv`.
#[derive(Serialize)]
struct Mapped {
    phase: u64,
    /// Name of the object in the trace.
    object: String,
    from: u32,
    to: u32,
    /// Seconds that the object took.
    load: f64,
    /// Bytes of the object on its way; nothing where the trace does not say.
    bytes: Option<u64>,
}

/// Returns the lines of a phase, one for each object, in the order of their names.
fn mapping<'a>(
    trace: &LoadTrace,
    placed: &'a Placed<'_>,
) -> impl Iterator<Item = Mapped> + use<'a> {
    let Selected { index, id: phase, instance } = placed.phase;
    let names = trace.phases().get(*index).map(Phase::names).unwrap_or_default();
    let owners = instance.owners().iter().zip(placed.owners());
    let objects = (0..).map(ObjectId).zip(names).zip(instance.seconds()).zip(owners);
    objects.map(move |(((object, name), load), (from, to))| Mapped {
        phase: *phase,
        object: name.to_string(),
        from: from.0,
        to: to.0,
        load,
        bytes: instance.bytes_of(object),
    })
}

/// Returns the files of a run but its pictures.
pub(super) fn names(args: &BalanceArgs, trace: &LoadTrace) -> BTreeSet<String> {
    let (own, figures) = if args.compare {
        (BTreeSet::new(), &["comparison.csv", "summary.json"][..])
    } else {
        (trace.names(args.files.encoding()), &["iterations.csv", "mapping.csv", "summary.json"][..])
    };
    own.into_iter().chain(figures.iter().map(ToString::to_string)).collect()
}

/// Writes all results of a run.
pub(super) fn store(
    args: &BalanceArgs,
    out: &OutputDir,
    trace: &LoadTrace,
    summary: &Summary<'_>,
    placements: &[Placed<'_>],
) -> Result<(), CommandError> {
    let placed = placements.iter().try_fold(trace.clone(), |trace, placed| {
        trace.with_owners(placed.phase.index, placed.owners()).map_err(BalanceError::from)
    })?;
    let (encoding, hidden) = (args.files.encoding(), args.json || args.quiet);
    let (written, drawn) = rayon::join(
        // What was balanced before an interrupt is kept.
        || traces::write(&placed, out, encoding, hidden, &|| true),
        || pictures::store(args.files.plots, out, summary, placements),
    );
    written?;
    drawn?;
    let phases = summary.phases.iter();
    let lines =
        phases.flat_map(|phase| phase.iterations.iter().map(|made| Line::of(phase.phase, made)));
    out.write("iterations.csv", |w| write_records(lines, w))?;
    let mapped = placements.iter().flat_map(|placed| mapping(trace, placed));
    out.write("mapping.csv", |w| write_records(mapped, w))?;
    Ok(out.write("summary.json", |w| write_json(summary, w))?)
}
