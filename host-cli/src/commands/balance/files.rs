//! Writes the results into the folder: the balanced trace, figures and pictures.

use std::collections::BTreeSet;

use serde::Serialize;

use super::super::{CommandError, traces};
use super::phase::IterationReport;
use super::{BalanceError, Placed, Summary, pictures};
use crate::commands::args::BalanceArgs;
use crate::files::load_traces::LoadTrace;
use crate::report::output::OutputDir;
use crate::report::summary::write_json;
use crate::report::table::write_records;

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

/// Returns the files of a run but its pictures.
pub(super) fn names(args: &BalanceArgs, trace: &LoadTrace) -> BTreeSet<String> {
    let (own, figures) = if args.compare {
        (BTreeSet::new(), "comparison.csv")
    } else {
        (trace.names(args.files.encoding()), "iterations.csv")
    };
    own.into_iter().chain([figures, "summary.json"].map(str::to_owned)).collect()
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
    Ok(out.write("summary.json", |w| write_json(summary, w))?)
}
