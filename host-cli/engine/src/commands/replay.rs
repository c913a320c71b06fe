//! `tresse replay`: makes a recorded run once more, on one thread, to the same field.

use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use tresse_core::run::{Balance, End, GridSize, Mode, Precision};

use super::solve::files::{FIELD, store_field};
use super::{CommandError, RecordingFailed, opened, printed};
use crate::commands::args::ReplayArgs;
use crate::files::recording::{Replayed, replay};
use crate::report::output::{Inputs, Outputs};
use crate::report::summary::write_json;
use crate::wording::advice;
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::Platform;

/// The JSON object.
#[derive(Serialize)]
struct ReplayReport<'a> {
    recording: &'a Path,
    /// Version of the program that made the recording.
    recorded_by: &'a str,
    mode: Mode,
    balance: Balance,
    grid: GridSize,
    precision: Precision,
    workers: u32,
    /// Reason for which the run ended, with advice where it did not end as asked; absent where the
    /// recording has no reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<End>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
    /// Sweeps of subdomains in all.
    updates: u64,
    /// Hashes of the recorded field.
    recorded: String,
    replayed: String,
    equal: bool,
    seconds: f64,
}

/// Replays the recording, and prints and stores the result.
pub fn run(args: &ReplayArgs) -> Result<Exit, CommandError> {
    interrupt::ends_at_once();
    let available = Platform::detect()?.available_memory;
    let mut recording = opened(&args.recording, available)?;
    let outputs = Outputs::new(Inputs::default().with("the recording", &args.recording));
    let out = args.out.as_deref().map(|path| outputs.folder("--out", path, FIELD)).transpose()?;
    let start = Instant::now();
    let Replayed { field, sweeps } =
        replay(&mut recording, available).map_err(RecordingFailed::of(&args.recording))?;
    let seconds = start.elapsed().as_secs_f64();
    let (recorded, replayed) = (recording.field(), field.hash());
    let end = recording.why_ended();
    let head = recording.head();
    let config = &head.config;
    let report = ReplayReport {
        recording: &args.recording,
        recorded_by: &head.program,
        mode: config.mode,
        balance: config.balance,
        grid: config.grid,
        precision: config.precision,
        workers: config.workers,
        end,
        advice: end.and_then(|end| advice(end, &config.stop, config.precision)),
        updates: sweeps,
        recorded: recorded.to_string(),
        replayed: replayed.to_string(),
        equal: recorded == replayed,
        seconds,
    };
    let shown = if args.json {
        printed(|to| write_json(&report, to))
    } else if args.quiet {
        Ok(Exit::Done)
    } else {
        printed(|to| write(&report, to))
    };
    if let Some(out) = &out {
        store_field(out, &field, &head.about, &head.problem)?;
    }
    shown?;
    if let Some(out) = out.filter(|_| !args.json && !args.quiet) {
        let names = "field.{npy,vti,png}";
        printed(|to| writeln!(to, "written    {}: {names}", out.path().display()))?;
    }
    Ok(if report.equal { Exit::Done } else { Exit::NotReached })
}

/// Writes the report for a person.
fn write(report: &ReplayReport<'_>, to: &mut dyn Write) -> io::Result<()> {
    let ReplayReport { mode, balance, grid, precision, workers, recorded_by, .. } = report;
    let mut line = |name: &str, value: String| writeln!(to, "{name:<11}{value}");
    line("run", format!("{mode} + {balance}, {grid} cells, {precision}, tresse {recorded_by}"))?;
    if let Some(end) = report.end {
        let advice = report.advice.map(|advice| format!(": {advice}"));
        line("end", format!("{end}{}", advice.unwrap_or_default()))?;
    }
    line("sweeps", format!("{} by {workers} workers", report.updates))?;
    line("recorded", format!("field {}", report.recorded))?;
    line("replayed", format!("field {}", report.replayed))?;
    line("equal", if report.equal { "yes, to the bit".into() } else { "NO".into() })?;
    line("time", format!("{:.3} s", report.seconds))
}
