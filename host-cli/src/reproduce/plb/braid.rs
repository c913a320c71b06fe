//! Figure 2: the braid of update counts.
//!
//! The figure does not say whose it is. Algorithm 1 balances all workers (*joint*) or those of each
//! socket (*split*), and a line can only cross the mean of those that it is balanced with: under
//! split that of its socket, while the sockets drift apart (section 5.1).

use tresse_core::grid::Decomposition;
use tresse_core::id::SubdomainId;

use super::progress;
use super::trend::{
    BOUNDED, PROPORTIONAL, growth, histories, median, median_growth, median_of, of_histories,
    spread,
};
use crate::methods::{METHODS, Method};
use crate::report::history::History;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::braid::Braid;
use crate::report::plots::write_pair;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::runs::Runs;

pub(in crate::reproduce) const BRAID: Experiment = Experiment {
    name: "plb-braid",
    title: "Update counts around their mean: lines cross, and the spread stays bounded",
    source: "Zarins & Weiland 2017, Figure 2 and sections 3.3 and 5.1 (no numbers are printed)",
    replicates: 5,
    plan,
    evaluate,
    draw,
};

/// Long enough to tell a bounded spread from one that grows.
const ITERATIONS: u64 = 2 * progress::ITERATIONS;
const NONE: &str = "async(4)";
const SPLIT: &str = "async(4) + split(0.001)";
const JOINT: &str = "async(4) + joint(0.001)";
const HYBRID: &str = "async(4) + hybrid(0.001, 500)";

/// The lines in the pictures, on both sockets; 14 begins on the noisy core.
const SHOWN: [u32; 8] = [1, 14, 27, 40, 53, 66, 79, 92];
/// So many seconds are few enough to follow single lines.
const CLOSE: f64 = 0.15;

/// Those that split a worker's part.
fn methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.split > 1)
}

fn setting(method: &Method) -> Setting {
    let setting = progress::setting(method.name.to_owned(), method, ITERATIONS);
    Setting { keeps_history: true, ..setting }
}

fn plan() -> Plan {
    Plan { settings: methods().map(setting).collect() }
}

/// What one line did: the share of the looks at which it was above the mean, and its crossings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Line {
    above: f64,
    crossings: u32,
}

impl Line {
    /// Of counts less their mean; what is exactly at the mean is on the side where it was.
    fn of(ahead: impl Iterator<Item = f64>) -> Self {
        let mut was_above = None;
        let (mut looks, mut above, mut crossings) = (0_u32, 0_u32, 0);
        for ahead in ahead {
            let is_above = if ahead == 0.0 { was_above } else { Some(ahead > 0.0) };
            crossings += u32::from(was_above.is_some() && is_above != was_above);
            was_above = is_above;
            looks += u32::from(is_above.is_some());
            above += u32::from(is_above == Some(true));
        }
        Self { above: f64::from(above) / f64::from(looks.max(1)), crossings }
    }

    /// Whether it is above and below in turn: a quarter of the time at least on each side, and over
    /// and back five times.
    fn is_braided(self) -> bool {
        (0.25..=0.75).contains(&self.above) && self.crossings >= 10
    }
}

/// All lines of a run, each against the mean of its group.
fn lines(history: &History, groups: &[Vec<usize>]) -> Vec<Line> {
    let line = |group: &[usize], column: usize| {
        Line::of(history.counts.iter().filter_map(|counts| {
            let counts_of = group.iter().filter_map(|&column| counts.get(column));
            let mean = counts_of.map(|&count| count as f64).sum::<f64>() / group.len() as f64;
            counts.get(column).map(|&count| count as f64 - mean)
        }))
    };
    groups.iter().flat_map(|group| group.iter().map(|&column| line(group, column))).collect()
}

/// The columns of a history by the group whose mean counts: all together, or those of each socket.
///
/// Under split no subdomain ever leaves the socket on which it started.
fn groups(label: &str, history: &History) -> Vec<Vec<usize>> {
    let columns = 0..history.subdomains.len();
    let Some(method) = methods().find(|method| label == SPLIT && method.name == label) else {
        return vec![columns.collect()];
    };
    let Setting { config, hardware, .. } = setting(method);
    let Ok(decomposition) = Decomposition::new(&config) else { return Vec::new() };
    let is_on = |column: usize, socket: u32| {
        let id = history.subdomains.get(column).copied().unwrap_or_default();
        decomposition.first_owner(SubdomainId(id)).0 / hardware.cores == socket
    };
    let of_socket = |socket| columns.clone().filter(|&column| is_on(column, socket)).collect();
    (0..hardware.sockets).map(of_socket).collect()
}

/// All lines of all runs of a method, each with the seconds of its run.
fn all_lines(runs: &Runs, label: &str) -> Vec<(Line, f64)> {
    let of_run = |history: &History| {
        let seconds = history.samples.last().map_or(0.0, |sample| sample.seconds);
        let lines = lines(history, &groups(label, history));
        lines.into_iter().map(move |line| (line, seconds)).collect::<Vec<_>>()
    };
    histories(runs, label).flat_map(of_run).collect()
}

fn evaluate(runs: &Runs) -> Outcome {
    let rows = runs.labels.iter().flat_map(|label| rows(runs, label)).collect();
    let statements =
        vec![crosses(runs, JOINT), crosses(runs, SPLIT), stays(runs), drifts(runs), grows(runs)];
    Outcome { rows, statements }
}

fn rows(runs: &Runs, label: &str) -> [Row; 5] {
    let lines = all_lines(runs, label);
    let crossings: Vec<f64> = lines.iter().map(|(line, _)| f64::from(line.crossings)).collect();
    let residence =
        |(line, seconds): &(Line, f64)| seconds * 1e3 / (f64::from(line.crossings) + 1.0);
    let residences: Vec<f64> = lines.iter().map(residence).collect();
    let largest = runs.figures(label, |sample| sample.spread_max as f64);
    let growths = of_histories(runs, label, growth);
    let row = |what: &str, unit, figures: &[f64]| {
        Row::of(format!("{label}, {what}"), unit, None, figures)
    };
    [
        row("spread at the end", "updates", &runs.figures(label, spread)),
        row("largest spread", "updates", &largest),
        row("growth: 1 bounded, 3 as time", "", &growths),
        row("crossings of a line", "", &crossings),
        row("mean time on a side", "ms", &residences),
    ]
}

fn crosses(runs: &Runs, label: &str) -> Statement {
    let lines = all_lines(runs, label);
    let braided = lines.iter().filter(|(line, _)| line.is_braided()).count();
    let shares: Vec<f64> = lines.iter().map(|(line, _)| line.above).collect();
    let of = if label == SPLIT { "its socket" } else { "all" };
    Statement::new(
        format!(
            "{label}: every line is above and below the mean of {of} in turn, a quarter of the time \
             at least on each side (section 3.3, Figure 2)"
        ),
        !lines.is_empty() && braided == lines.len(),
        format!(
            "{braided} of {} lines; a line is above for {:.0} % of the time in the median",
            lines.len(),
            median(&shares) * 100.0
        ),
    )
}

fn stays(runs: &Runs) -> Statement {
    let growth = median_growth(runs, JOINT);
    Statement::new(
        format!("{JOINT}: the spread stays bounded (section 5.1): growth below {BOUNDED}"),
        growth < BOUNDED,
        format!("growth {growth:.2}, spread {:.0} at the end", median_of(runs, JOINT, spread)),
    )
}

fn drifts(runs: &Runs) -> Statement {
    let growth = median_growth(runs, SPLIT);
    let [joint, split, none] = [JOINT, SPLIT, NONE].map(|label| median_of(runs, label, spread));
    Statement::new(
        format!(
            "{SPLIT}: the spread grows slowly (section 5.1): growth from {BOUNDED} on, and at the end \
             above joint's, but a fifth of the unbalanced one at most"
        ),
        growth >= BOUNDED && split > joint && split <= none / 5.0,
        format!(
            "growth {growth:.2}, spread at the end {split:.0}; joint {joint:.0}, unbalanced {none:.0}"
        ),
    )
}

fn grows(runs: &Runs) -> Statement {
    let growth = median_growth(runs, NONE);
    Statement::new(
        format!(
            "{NONE}: without a balancer the spread grows in proportion to time: growth from \
             {PROPORTIONAL} on"
        ),
        growth >= PROPORTIONAL,
        format!("growth {growth:.2}, spread {:.0} at the end", median_of(runs, NONE, spread)),
    )
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    for (label, name) in [(NONE, "none"), (SPLIT, "split"), (JOINT, "joint"), (HYBRID, "hybrid")] {
        // The first run stands for all.
        let Some(history) = histories(runs, label).next() else { continue };
        let plot = |until: f64, what: &str, stem: &str| {
            let title = format!("{label}: {} of 96 subdomains, {what}", SHOWN.len());
            write_pair(&Braid { history: &shown(history, until), title: &title }, out, stem)
        };
        plot(f64::INFINITY, "the whole run", &format!("run-{name}"))?;
        plot(CLOSE, "the beginning", &format!("braid-{name}"))?;
    }
    Ok(())
}

/// The lines of a picture.
fn shown(history: &History, until: f64) -> History {
    let columns: Vec<usize> = SHOWN
        .iter()
        .filter_map(|shown| history.subdomains.iter().position(|id| id == shown))
        .collect();
    let of_shown = |counts: &Vec<u64>| {
        columns.iter().filter_map(|&column| counts.get(column)).copied().collect()
    };
    let samples = history.samples.iter().take_while(|sample| sample.seconds <= until);
    History {
        samples: samples.copied().collect(),
        counts: history.counts.iter().map(of_shown).collect(),
        subdomains: SHOWN.to_vec(),
    }
}
