//! `tresse calibrate`: measures the costs of a run's pieces on this machine, and writes a machine
//! file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use tresse_console::runs_progress::Progress;

use super::{CommandError, printed, warn};
use crate::commands::args::CalibrateArgs;
use crate::experiments::calibrate::{Calibration, Description, Plan};
use crate::report::output::Outputs;
use tresse_console::exit::Exit;
use tresse_console::interrupt;
use tresse_platform::{Placement, Platform};

/// Duration of each run.
///
/// As long as runs to a solution: virtual cores are slower at first, by a third for a fifth of a
/// second.
pub(super) const WINDOW: Duration = Duration::from_millis(750);
/// Number of times that everything is measured.
const ROUNDS: u32 = 5;
const QUICK: u32 = 2;

/// Measures the machine, prints the figures and writes the file.
pub fn run(args: &CalibrateArgs) -> Result<Exit, CommandError> {
    let machine = Platform::detect()?;
    let placement = Placement::plan(&machine, args.workers, None)?;
    let out = args.out.as_deref().map(|path| Outputs::default().file("--out", path)).transpose()?;
    let rounds = if args.quick { QUICK } else { ROUNDS };
    let plan = Plan {
        machine: &machine,
        placement: &placement,
        rounds,
        window: WINDOW,
        interrupt: interrupt::flag(),
    };
    let measured = measure(&plan, args.quiet);
    if interrupt::flag().load(Ordering::Relaxed) {
        warn("interrupted: a machine file needs all of its runs, so none is written");
        return Ok(Exit::Interrupted);
    }
    let calibration = measured?;
    let text = machine_file(&calibration, &plan, name(args.out.as_deref()));
    printed(|to| print(&calibration, to))?;
    match &out {
        Some(out) => out.write(|to| to.write_all(text.as_bytes()))?,
        None => drop(printed(|to| write!(to, "\n{text}"))?),
    }
    if let Some(path) = &args.out {
        printed(|to| writeln!(to, "written: {}", path.display()))?;
    }
    if let Some(warning) = calibration.warning() {
        warn(&warning);
        return Ok(Exit::NotReached);
    }
    Ok(Exit::Done)
}

/// Returns the machine file of a calibration.
pub(super) fn machine_file(calibration: &Calibration, plan: &Plan<'_>, name: &str) -> String {
    calibration.machine_file(&Description {
        name,
        cpu: &plan.machine.cpu,
        sockets: plan.placement.socket_count(),
        cores: most_on_a_socket(plan.placement),
        date: &httpdate::fmt_http_date(SystemTime::now()),
        rounds: plan.rounds,
    })
}

/// Makes all runs of the calibration, with progress unless it is hidden.
fn measure(plan: &Plan<'_>, hidden: bool) -> Result<Calibration, CommandError> {
    let progress = Progress::new(plan.runs(), hidden);
    let calibration = plan.calibrate(&mut progress.one_by_one());
    progress.finish();
    Ok(calibration?)
}

/// Writes the median and the quartiles of each figure.
fn print(calibration: &Calibration, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:<36}{:>12}{:>24}", "", "median", "quartiles")?;
    for (figure, found) in calibration.figures().iter() {
        let digits = if found.median.abs() >= 100.0 { 0 } else { 3 };
        let number = |value: f64| format!("{value:.digits$} {}", figure.unit());
        let range = format!("{} to {}", number(found.low), number(found.high));
        writeln!(out, "{figure:<36}{:>12}{range:>24}", number(found.median))?;
    }
    Ok(())
}

/// Returns the machine's name: the file's name without its ending.
fn name(out: Option<&Path>) -> &str {
    let stem = out.and_then(Path::file_stem).and_then(|stem| stem.to_str());
    stem.filter(|stem| !stem.trim().is_empty()).unwrap_or("here")
}

/// Returns the number of workers on the fullest socket.
fn most_on_a_socket(placement: &Placement) -> u32 {
    let mut sockets = BTreeMap::new();
    for socket in placement.sockets() {
        *sockets.entry(socket).or_insert(0) += 1;
    }
    sockets.into_values().max().unwrap_or(0)
}
