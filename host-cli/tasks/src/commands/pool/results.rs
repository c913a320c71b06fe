//! Writes the results of a pool: files, and a recording.

use serde::Serialize;
use tresse_console::command::CommandError;
use tresse_console::files::output::{Inputs, OutputDir, OutputError, OutputFile, Outputs};
use tresse_console::plots::{self, write_pair};
use tresse_console::summary::write_json;
use tresse_console::table::write_records;
use tresse_core::sim::owned::timeline::Timeline;
use tresse_core::tasks::sharing::{Activity, SharingConfig, SharingStatistics};
use tresse_files::recording::PoolHead;
use tresse_files::recording::pool;

use super::{Place, Subject};
use crate::commands::args::PoolOutputArgs;
use crate::pool::{Managing, PoolReport, WorkerReport};

/// Names of the files of `--out`.
const NAMES: [&str; 5] =
    ["summary.json", "workers.csv", "timeline.csv", "timeline.svg", "timeline.png"];

/// Names of the files as they are shown to a person.
const SHOWN: &str = "summary.json, workers.csv, timeline.{csv,svg,png}";

/// The files for a pool's results.
#[derive(Debug, Default)]
pub struct Results {
    out: Option<OutputDir>,
    record: Option<(OutputFile, String)>,
}

impl Results {
    /// Proves that all files can be written, and that none is a file that the run reads.
    pub fn prepare(args: &PoolOutputArgs, inputs: Inputs) -> Result<Self, CommandError> {
        let outputs = Outputs::new(inputs);
        let out = args.out.as_deref().map(|path| outputs.folder("--out", path, NAMES));
        let record = args.record.as_deref().map(|path| {
            let file = outputs.file("--record", path)?;
            Ok::<_, OutputError>((file, path.display().to_string()))
        });
        Ok(Self { out: out.transpose()?, record: record.transpose()? })
    }

    /// Writes the files, if they are asked for.
    pub(super) fn store(
        &self,
        title: &str,
        report: &PoolReport,
        json: &impl Serialize,
    ) -> Result<(), OutputError> {
        let Some(out) = &self.out else { return Ok(()) };
        out.write("summary.json", |w| write_json(json, w))?;
        out.write("workers.csv", |w| write_records((0..).zip(&report.workers).map(Row::of), w))?;
        out.write("timeline.csv", |w| write_records(spans(report), w))?;
        write_pair(&plots::timeline(&report.timeline, title), out, "timeline")
    }

    /// Writes the recording, if it is asked for.
    pub(super) fn record(
        &self,
        subject: &Subject,
        config: &SharingConfig,
        report: &PoolReport,
        place: &Place,
    ) -> Result<(), OutputError> {
        let Some((file, _)) = &self.record else { return Ok(()) };
        let number = |tracks: usize| u32::try_from(tracks).unwrap_or(u32::MAX);
        let head = PoolHead {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            subject: format!("{} {}", subject.kind, subject.name),
            config: Some(*config),
            workers: number(report.timeline.workers.len()),
            managers: number(report.timeline.managers.len()),
            has_own_cores: place.managing == Managing::Dedicated,
            cores: place.worker_cores.clone(),
            machine: place.machine.clone(),
            is_virtual: place.simulated.is_some(),
        };
        file.write(|to| pool::write(&head, &report.timeline, report.messages, to))
    }

    /// Returns lines that name the files written, for a person.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let recorded = self.record.as_ref().map(|(_, path)| format!("recorded    {path}"));
        let written = self.out.as_ref();
        let written = written.map(|out| format!("written     {}: {SHOWN}", out.path().display()));
        recorded.into_iter().chain(written)
    }
}

/// A line of `workers.csv`.
#[derive(Serialize)]
struct Row {
    worker: u32,
    busy: f64,
    speculating: f64,
    searching: f64,
    idle: f64,
    managing: f64,
    messaging: f64,
    executed: u64,
    speculated: u64,
    committed: u64,
    rolled_back: u64,
    asked: u64,
    failed: u64,
    chunks: u64,
    released: u64,
    copies: u64,
    steals: u64,
    failed_steals: u64,
}

impl Row {
    /// Returns the row of a worker, times in seconds.
    fn of((worker, report): (u32, &WorkerReport)) -> Self {
        let WorkerReport { busy, speculating, searching, idle, managing, messaging, statistics } =
            *report;
        let SharingStatistics { executed, speculated, committed, rolled_back, asked, .. } =
            statistics;
        let SharingStatistics { failed, chunks, released, copies, steals, failed_steals, .. } =
            statistics;
        Self {
            worker,
            busy,
            speculating,
            searching,
            idle,
            managing,
            messaging,
            executed,
            speculated,
            committed,
            rolled_back,
            asked,
            failed,
            chunks,
            released,
            copies,
            steals,
            failed_steals,
        }
    }
}

/// A line of `timeline.csv`: a worker or a manager, and seconds.
#[derive(Serialize)]
struct SpanRow {
    worker: Option<usize>,
    manager: Option<usize>,
    start: f64,
    end: f64,
    busy: f64,
    speculating: f64,
    searching: f64,
    idle: f64,
    managing: f64,
    messaging: f64,
}

/// Returns a row for each span of workers and then of managers, times in seconds.
fn spans(report: &PoolReport) -> impl Iterator<Item = SpanRow> {
    let Timeline { workers, managers } = &report.timeline;
    let workers = (0..).zip(workers).map(|(worker, track)| ((Some(worker), None), track));
    let managers = (0..).zip(managers).map(|(manager, track)| ((None, Some(manager)), track));
    workers.chain(managers).flat_map(|((worker, manager), track)| {
        track.spans().map(move |span| {
            // Divided, so that a nanosecond is the number that is read as one.
            let seconds = |nanoseconds: u64| nanoseconds as f64 / 1e9;
            let with = |activity| seconds(span.spent.with(activity).0);
            SpanRow {
                worker,
                manager,
                start: seconds(span.start.0),
                end: seconds(span.end.0),
                busy: with(Activity::Tasks),
                speculating: with(Activity::Copies),
                searching: with(Activity::Searching),
                idle: with(Activity::Idle),
                managing: with(Activity::Managing),
                messaging: with(Activity::Messages),
            }
        })
    })
}
