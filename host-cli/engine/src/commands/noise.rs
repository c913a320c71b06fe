//! `tresse noise`: runs one parasite on one core, and measures its effect.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use tresse_core::base::id::NodeId;
use tresse_core::run::NoiseReport;
use tresse_core::run::noise::{Noise, NoisePlace, Parasite};

use crate::report::summary::write_json;
use tresse_platform::Platform;
use tresse_platform::noise::{NoiseError, NoiseThreads, SlowDown, measure_slowdown, window_for};

/// Time between two looks at the stop flag.
const LOOK: Duration = Duration::from_millis(10);

/// Seed of the parasite's random choices.
const SEED: u64 = 1;

/// The options of `noise`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseOptions {
    /// Core, by the operating system's number.
    pub core: u32,
    /// Parasite to run on the core.
    pub parasite: Parasite,
    /// Duration in seconds; `None` until interrupted.
    pub seconds: Option<f64>,
    /// Whether one JSON object is printed at the end instead of lines for a person.
    pub json: bool,
}

/// The JSON object.
#[derive(Serialize)]
struct NoiseOutcome {
    /// Seconds for which the parasite ran, without the measurement.
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
    Platform::detect()?.check_core(core, || format!("--core {core}"))?;
    let source = Noise { place: NoisePlace::Core(core), parasite };

    let measured = measure_slowdown(&source, core, window_for(&parasite))?;
    if !json {
        let percent = measured.slow_down * 100.0;
        if measured.slow_down > 0.0 {
            writeln!(
                out,
                "{source} slows a thread on core {core} down by {percent:.1} % (measured)"
            )?;
        } else {
            writeln!(out, "{source}: no slow-down was measured, beside other work on core {core}")?;
        }
        match seconds {
            Some(seconds) => writeln!(out, "running for {seconds} s")?,
            None => writeln!(out, "running until interrupted (Ctrl-C)")?,
        }
        out.flush()?;
    }

    let start = Instant::now();
    let parasites = NoiseThreads::start(&[(source, core)], SEED, NodeId(0))?;
    wait(length, stop);
    let reports = parasites.stop()?;
    let seconds = start.elapsed().as_secs_f64();
    for report in reports {
        if json {
            let outcome = NoiseOutcome { seconds, report, measured };
            write_json(&outcome, &mut *out)?;
        } else {
            let percent = report.share * 100.0;
            writeln!(out, "took {percent:.1} % of core {core} over {seconds:.1} s")?;
        }
    }
    Ok(())
}

/// Turns seconds into a duration, which must be positive.
fn length(seconds: f64) -> Result<Duration, NoiseError> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|length| !length.is_zero())
        .ok_or(NoiseError::Seconds(seconds))
}

/// Waits for a length of time, or for ever, until `stop` is set.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn options(core: u32, seconds: Option<f64>, json: bool) -> NoiseOptions {
        NoiseOptions { core, parasite: Parasite::duty("0.3").unwrap(), seconds, json }
    }

    fn printed(options: &NoiseOptions, stopped: bool) -> Result<String, String> {
        let mut out = Vec::new();
        run(options, &AtomicBool::new(stopped), &mut out).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn bad_input_names_its_flag() {
        for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let error = printed(&options(0, Some(seconds), false), true).unwrap_err();
            assert!(error.starts_with("--seconds "), "{error}");
        }
        let error = printed(&options(999_999, None, false), true).unwrap_err();
        assert!(error.starts_with("--core 999999: not a core"), "{error}");
    }

    #[test]
    fn an_interrupt_ends_endless_noise_with_its_result() {
        let core = Platform::detect().unwrap().cores[0].id;
        let text = printed(&options(core, None, true), true).unwrap();
        let outcome: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(outcome["core"], core);
        assert_eq!(outcome["source"], format!("core={core},duty=0.3"));
        assert!((0.0..=1.0).contains(&outcome["share"].as_f64().unwrap()), "{text}");
        assert!(outcome["slow_down"].as_f64().unwrap() < 1.0, "{text}");
    }
}
