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
use crate::report::plots::braid::braid;
use crate::report::plots::write_pair;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::runs::{Runs, Simulated};

pub(in crate::reproduce) const BRAID: Experiment = Experiment {
    name: "plb-braid",
    title: "Update counts around their mean: lines cross, and the spread stays bounded",
    source: "Zarins & Weiland 2017, Figure 2 and sections 3.3 and 5.1 (no numbers are printed)",
    replicates: 5,
    evaluation: &Simulated { plan, evaluate, draw, remarks: &[] },
};

/// Long enough to tell a bounded spread from one that grows.
const ITERATIONS: u64 = 2 * progress::ITERATIONS;
const NONE: &str = "async(4)";
const SPLIT: &str = "async(4) + split(0.001)";
const JOINT: &str = "async(4) + joint(0.001)";
const HYBRID: &str = "async(4) + hybrid(0.001, 500)";

/// The lines in the pictures, on both sockets; 14 begins on the noisy core.
const SHOWN: [u32; 8] = [1, 14, 27, 40, 53, 66, 79, 92];
/// There and back five times.
const IN_TURN: f64 = 10.0;

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

/// How often a line crosses its mean, given as counts less that; what is exactly at the mean is
/// still on the side where it was.
fn crossings(ahead: impl Iterator<Item = f64>) -> u32 {
    let mut was_above = None;
    let mut crossings = 0;
    for is_above in ahead.filter(|&ahead| ahead != 0.0).map(|ahead| ahead > 0.0) {
        crossings += u32::from(was_above.is_some_and(|was_above| was_above != is_above));
        was_above = Some(is_above);
    }
    crossings
}

/// What one line of a run did.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    /// The subdomain.
    id: u32,
    /// How often it crossed the mean.
    crossings: f64,
    /// For how long, on average, it was on one side.
    residence: f64,
}

/// All lines of a run, each with the mean of its group.
fn lines(label: &str, history: &History) -> Vec<Line> {
    let seconds = history.samples.last().map_or(0.0, |sample| sample.seconds);
    let line = |group: &[usize], column: usize| {
        let ahead = history.counts.iter().filter_map(|counts| {
            let counts_of = group.iter().filter_map(|&column| counts.get(column));
            let mean = counts_of.map(|&count| count as f64).sum::<f64>() / group.len() as f64;
            counts.get(column).map(|&count| count as f64 - mean)
        });
        let crossings = f64::from(crossings(ahead));
        let id = history.subdomains.get(column).copied().unwrap_or_default();
        Line { id, crossings, residence: seconds / (crossings + 1.0) }
    };
    let groups = groups(label, history);
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

/// The lines of all runs of a method.
fn all_lines(runs: &Runs, label: &str) -> Vec<Line> {
    histories(runs, label).flat_map(|history| lines(label, history)).collect()
}

fn evaluate(runs: &Runs) -> Outcome {
    let rows = runs.labels.iter().flat_map(|label| rows(runs, label)).collect();
    let statements =
        vec![crosses(runs, JOINT), crosses(runs, SPLIT), stays(runs), drifts(runs), grows(runs)];
    Outcome { rows, statements }
}

fn rows(runs: &Runs, label: &str) -> [Row; 5] {
    let lines = all_lines(runs, label);
    let crossings: Vec<f64> = lines.iter().map(|line| line.crossings).collect();
    let residences: Vec<f64> = lines.iter().map(|line| line.residence * 1e3).collect();
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
    let all = all_lines(runs, label);
    let shown: Vec<Line> = all.iter().copied().filter(|line| SHOWN.contains(&line.id)).collect();
    let braided = |lines: &[Line]| lines.iter().filter(|line| line.crossings >= IN_TURN).count();
    let crossings: Vec<f64> = all.iter().map(|line| line.crossings).collect();
    let of = if label == SPLIT { "its socket" } else { "all" };
    Statement::new(
        format!(
            "{label}: every line of the picture is above and below the mean of {of} in turn, with at \
             least {IN_TURN} crossings (section 3.3, Figure 2; limit ours)"
        ),
        !shown.is_empty() && braided(&shown) == shown.len(),
        format!(
            "{} of {} lines; of all subdomains {} of {}, {:.0} crossings in the median",
            braided(&shown),
            shown.len(),
            braided(&all),
            all.len(),
            median(&crossings)
        ),
    )
}

fn stays(runs: &Runs) -> Statement {
    let growth = median_growth(runs, JOINT);
    Statement::new(
        format!(
            "{JOINT}: the spread stays bounded (section 5.1): growth below {BOUNDED} (limit ours)"
        ),
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
             above joint's, but a fifth of the unbalanced one at most (limits ours)"
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
            write_pair(&braid(&shown(history, until), &title), out, stem)
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
    let first_workers = columns.iter().filter_map(|&column| history.first_workers.get(column));
    History {
        first_workers: first_workers.copied().collect(),
        samples: samples.copied().collect(),
        counts: history.counts.iter().map(of_shown).collect(),
        subdomains: SHOWN.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::history::Sample;
    use crate::reproduce::plb::trend::tests::{ended, spreads};

    /// A run whose 96 lines are at 1000 ± 1, on the other side of the mean after every `every`
    /// samples.
    fn history(every: usize, spread: impl Fn(f64) -> f64) -> History {
        let samples: Vec<Sample> = spreads(spread);
        let side = move |step: usize, column: usize| (step / every + column).is_multiple_of(2);
        let counts = |step| (0..96).map(move |column| 1_000 + u64::from(side(step, column)));
        History {
            counts: (0..samples.len()).map(|step| counts(step).collect()).collect(),
            subdomains: (0..96).collect(),
            first_workers: (0..96).map(|id| id / 4).collect(),
            samples,
        }
    }

    struct World {
        joint: History,
        split: History,
        none: History,
        split_end: u64,
    }

    fn world() -> World {
        World {
            joint: history(5, |_| 50.0),
            split: history(5, |t| 20.0 + 100.0 * t),
            none: history(1_000, |t| 2_000.0 * t),
            split_end: 120,
        }
    }

    fn verdicts(world: World) -> Vec<bool> {
        let ends = [(JOINT, 50), (SPLIT, world.split_end), (NONE, 2_000)];
        let histories = [(JOINT, world.joint), (SPLIT, world.split), (NONE, world.none)];
        let runs = Runs {
            samples: ends.iter().map(|&(label, spread)| ended(label, 1.0, spread)).collect(),
            histories: histories.map(|(label, history)| (label.to_owned(), history)).to_vec(),
            labels: ends.iter().map(|(label, _)| (*label).to_owned()).collect(),
            ..Runs::default()
        };
        let outcome = evaluate(&runs);
        assert_eq!(outcome.rows.len(), 15);
        assert!(outcome.rows.iter().all(|row| row.ours.is_some()));
        outcome.statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(world()), [true; 5]);
        let lazy = |spread: fn(f64) -> f64| history(30, spread);
        let faults = [
            World { joint: lazy(|_| 50.0), ..world() },
            World { split: lazy(|t| 20.0 + 100.0 * t), ..world() },
            World { joint: history(5, |t| 50.0 * t), ..world() },
            World { split_end: 401, ..world() },
            World { none: history(1_000, |t| 2_000.0 * t.sqrt()), ..world() },
        ];
        for (place, fault) in faults.into_iter().enumerate() {
            let found = verdicts(fault);
            let expected: Vec<bool> = (0..5).map(|other| other != place).collect();
            assert_eq!(found, expected, "{place}");
        }
        let nothing = evaluate(&Runs::default());
        assert!(nothing.statements.iter().all(|statement| !statement.holds));
    }

    #[test]
    fn crossings_are_counted_once() {
        assert_eq!(crossings([0.0, 1.0, 0.0, 2.0, -1.0, 0.0, -0.5, 3.0].into_iter()), 2);
        assert_eq!(crossings([0.0; 3].into_iter()), 0);
    }

    #[test]
    fn sockets_have_half_of_the_lines_each() {
        let history = history(5, |_| 1.0);
        let sockets = groups(SPLIT, &history);
        assert_eq!(sockets.iter().map(Vec::len).collect::<Vec<_>>(), [48, 48]);
        // The first rows of the grid are of the first workers.
        assert!(sockets[0].contains(&0) && sockets[1].contains(&95));
        assert_eq!(groups(JOINT, &history).len(), 1);
    }

    #[test]
    fn the_runs_are_those_of_the_figure() {
        let plan = plan();
        assert_eq!(plan.settings.len(), 4);
        for setting in plan.settings {
            assert_eq!((setting.config.workers, setting.config.subdomains()), (24, 96));
            assert!(setting.problem.is_none() && setting.config.noise.len() == 1);
        }
    }

    #[test]
    fn the_pictures_have_eight_lines() {
        let shown = shown(&history(5, |_| 1.0), CLOSE);
        assert_eq!(shown.subdomains, SHOWN);
        assert!(shown.counts.iter().all(|counts| counts.len() == 8));
        assert_eq!(shown.samples.len(), 15);
    }
}
