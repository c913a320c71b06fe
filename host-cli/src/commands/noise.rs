//! `tresse noise`: one parasite on one core, and what it really costs.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use tresse_core::noise::{Noise, Parasite, Place};
use tresse_core::run::NoiseReport;

use crate::machine::Machine;
use crate::noise::{NoiseError, NoiseThreads, SlowDown, WINDOW, measure_slowdown};

/// How often the stop flag is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseOptions {
    /// The core, by the operating system's number.
    pub core: u32,
    /// What to do there.
    pub parasite: Parasite,
    /// How long; until interrupted where absent.
    pub seconds: Option<f64>,
    /// One JSON object at the end instead of lines for a person.
    pub json: bool,
}

/// The JSON object.
#[derive(Serialize)]
struct Outcome {
    /// Seconds that the parasite ran, the measurement not counted.
    seconds: f64,
    #[serde(flatten)]
    report: NoiseReport,
    #[serde(flatten)]
    measured: SlowDown,
}

/// Measures and prints the slow-down, then makes noise for the time asked or until `stop`, then
/// prints the share of the core that it took.
pub fn run(
    options: &NoiseOptions,
    stop: &AtomicBool,
    out: &mut dyn Write,
) -> Result<(), NoiseError> {
    let &NoiseOptions { core, parasite, seconds, json } = options;
    let length = seconds.map(length).transpose()?;
    Machine::detect()?.check_core(core, || format!("--core {core}"))?;
    let source = Noise { place: Place::Core(core), parasite };

    let measured = measure_slowdown(&source, core, WINDOW)?;
    if !json {
        let percent = measured.slow_down * 100.0;
        writeln!(out, "{source} slows a thread on core {core} down by {percent:.1} % (measured)")?;
        match seconds {
            Some(seconds) => writeln!(out, "running for {seconds} s")?,
            None => writeln!(out, "running until interrupted (Ctrl-C)")?,
        }
        out.flush()?;
    }

    let start = Instant::now();
    let parasites = NoiseThreads::start(&[(source, core)])?;
    wait(length, stop);
    let reports = parasites.stop()?;
    let seconds = start.elapsed().as_secs_f64();
    for report in reports {
        if json {
            let outcome = Outcome { seconds, report, measured };
            writeln!(out, "{}", serde_json::to_string(&outcome).map_err(std::io::Error::from)?)?;
        } else {
            let percent = report.share * 100.0;
            writeln!(out, "took {percent:.1} % of core {core} over {seconds:.1} s")?;
        }
    }
    Ok(())
}

fn length(seconds: f64) -> Result<Duration, NoiseError> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|length| !length.is_zero())
        .ok_or(NoiseError::Seconds(seconds))
}

fn wait(length: Option<Duration>, stop: &AtomicBool) {
    let start = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let left = length.map_or(LOOK, |length| length.saturating_sub(start.elapsed()));
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(LOOK));
    }
}
