//! Figure 2: the braid of update counts.
//!
//! The figure does not say whose it is. Algorithm 1 balances all workers (*joint*) or those of each
//! socket (*split*), and a line can only cross the mean of those that it is balanced with: under
//! split that of its socket, while the sockets drift apart (section 5.1).

use tresse_core::sim::machine::Hardware;

use super::growth::{BOUNDED, PROPORTIONAL, growth};
use super::progress;
use crate::{
    Experiment, Plan, Row, Run, Runs, Setting, Simulation, Statement, above, says, shipped, spread,
};
use tresse_console::plots::{Picture, braid};
use tresse_draw::history::History;
use tresse_draw::statistics::median;
use tresse_engine::experiments::methods::{METHODS, Method};

pub(crate) const BRAID: Experiment = Experiment {
    name: "plb-braid",
    title: "Update counts around their mean: lines cross, and the spread stays bounded",
    source: "Zarins & Weiland 2017, Figure 2 and sections 3.3 and 5.1 (no numbers are printed)",
    replicates: 5,
    plan: || Ok(Plan::of(methods().map(setting), &[])),
    rows: |runs| methods().flat_map(|method| rows(runs, method.name)).collect(),
    statements: |runs| {
        let crosses = [JOINT, SPLIT].map(|label| crosses(runs, label));
        crosses.into_iter().chain(spreads(runs)).collect()
    },
    pictures,
};

/// Number of iterations that tells a bounded spread from one that grows.
const ITERATIONS: u64 = 2 * super::ITERATIONS;
const NONE: &str = "async(4)";
const SPLIT: &str = "async(4) + split(0.001)";
const JOINT: &str = "async(4) + joint(0.001)";
const HYBRID: &str = "async(4) + hybrid(0.001, 500)";

/// Lines in the pictures, on both sockets; 14 begins on the noisy core.
const SHOWN: [u32; 8] = [1, 14, 27, 40, 53, 66, 79, 92];
/// Number of crossings of a line that has gone there and back five times.
const IN_TURN: f64 = 10.0;
/// Seconds of a picture in which single lines can be followed.
const CLOSE: f64 = 0.15;

/// Returns the methods that split a worker's part.
fn methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.split > 1)
}

/// Returns the setting of a method, whose history is kept.
fn setting(method: &Method) -> Setting {
    let progress = progress(method, ITERATIONS);
    Simulation { keeps_history: true, ..progress }.labelled(method.name)
}

/// The figures of one line of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    /// Subdomain of the line.
    id: u32,
    /// Number of times that the line crossed the mean.
    crossings: f64,
    /// Mean time for which the line was on one side.
    residence: f64,
}

/// Returns all lines of a run, each measured against the mean of its group.
fn lines(run: &Run) -> Vec<Line> {
    let History { samples, counts, subdomains, .. } = &run.history;
    let seconds = samples.last().map_or(0.0, |sample| sample.seconds);
    let line = |group: &[usize], column: usize| {
        let ahead = counts.iter().filter_map(|counts| {
            let counts_of = group.iter().filter_map(|&column| counts.get(column));
            let mean = counts_of.map(|&count| count as f64).sum::<f64>() / group.len() as f64;
            counts.get(column).map(|&count| count as f64 - mean)
        });
        let crossings = f64::from(crossings(ahead));
        let id = subdomains.get(column).copied().unwrap_or_default();
        Line { id, crossings, residence: seconds / (crossings + 1.0) }
    };
    let groups = groups(run);
    groups.iter().flat_map(|group| group.iter().map(|&column| line(group, column))).collect()
}

/// Returns the number of times that a line crosses its mean; a count that is exactly at the mean is
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

/// Returns the columns of a history by the group whose mean counts: all together, or those of each
/// socket.
///
/// Under split no subdomain ever leaves the socket on which it started.
fn groups(run: &Run) -> Vec<Vec<usize>> {
    let workers = &run.history.first_workers;
    if run.setting != SPLIT {
        return vec![(0..workers.len()).collect()];
    }
    let Hardware { sockets, cores, .. } = shipped("archer");
    let of_socket = |socket| {
        let columns = workers.iter().enumerate().filter(|(_, worker)| *worker / cores == socket);
        columns.map(|(column, _)| column).collect()
    };
    (0..sockets).map(of_socket).collect()
}

/// Returns the figures of a method: spreads, their growth, and how its lines cross the mean.
fn rows(runs: &Runs, label: &str) -> [Row; 5] {
    let lines: Vec<Line> = runs.of(label).flat_map(lines).collect();
    let of_lines = |figure: fn(&Line) -> f64| lines.iter().map(figure).collect::<Vec<_>>();
    let row = |what: &str, unit, figures: &[f64]| {
        Row::of(format!("{label}, {what}"), unit, None, figures)
    };
    let largest = runs.figures(label, |run| run.solved.spread_max as f64);
    [
        row("spread at the end", "updates", &runs.figures(label, spread)),
        row("largest spread", "updates", &largest),
        row("growth: 1 bounded, 3 as time", "", &runs.figures(label, growth)),
        row("crossings of a line", "", &of_lines(|line| line.crossings)),
        row("mean time on a side", "ms", &of_lines(|line| line.residence * 1e3)),
    ]
}

/// Judges whether the lines of a method braid: each that is shown crosses the mean often.
fn crosses(runs: &Runs, label: &str) -> Statement {
    let lines: Vec<Line> = runs.of(label).flat_map(lines).collect();
    let all: Vec<f64> = lines.iter().map(|line| line.crossings).collect();
    let shown = lines.iter().filter(|line| SHOWN.contains(&line.id));
    let shown: Vec<f64> = shown.map(|line| line.crossings).collect();
    let braided = |all: &[f64]| all.iter().filter(|&&crossings| crossings >= IN_TURN).count();
    let of = if label == SPLIT { "its socket" } else { "all" };
    let why = format!(
        "{} of {} lines; of all subdomains {} of {}, {:.0} crossings in the median",
        braided(&shown),
        shown.len(),
        braided(&all),
        all.len(),
        median(&all)
    );
    says(format!(
        "{label}: every line of the picture is above and below the mean of {of} in turn, with at \
         least {IN_TURN} crossings (section 3.3, Figure 2; limit ours)"
    ))
    .within(shown, IN_TURN..)
    .shown(why)
}

/// Judges how the spread grows: bounded under joint, slowly under split, as time without.
fn spreads(runs: &Runs) -> [Statement; 3] {
    let all = [JOINT, SPLIT, NONE];
    let [joint_growth, split_growth, none_growth] = all.map(|label| runs.median(label, growth));
    let [joint, split, none] = all.map(|label| runs.median(label, spread));
    [
        says(format!(
            "{JOINT}: the spread stays bounded (section 5.1): growth below {BOUNDED} (limit ours)"
        ))
        .within([joint_growth], ..BOUNDED)
        .shown(format!("growth {joint_growth:.2}, spread {joint:.0} at the end")),
        says(format!(
            "{SPLIT}: the spread grows slowly (section 5.1): growth from {BOUNDED} on, and at the \
             end above joint's, but a fifth of the unbalanced one at most (limits ours)"
        ))
        .within([split_growth], BOUNDED..)
        .within([split], above(joint))
        .within([split], ..=none / 5.0)
        .shown(format!(
            "growth {split_growth:.2}, spread at the end {split:.0}; joint {joint:.0}, unbalanced \
             {none:.0}"
        )),
        says(format!(
            "{NONE}: without a balancer the spread grows in proportion to time: growth from \
             {PROPORTIONAL} on"
        ))
        .within([none_growth], PROPORTIONAL..)
        .shown(format!("growth {none_growth:.2}, spread {none:.0} at the end")),
    ]
}

/// Draws the braids of all methods, of the whole run and of its beginning.
fn pictures(runs: &Runs) -> Vec<(String, Picture)> {
    let all = [(NONE, "none"), (SPLIT, "split"), (JOINT, "joint"), (HYBRID, "hybrid")];
    let of_method = |(label, name): (&'static str, &str)| {
        let kinds = [("run", f64::INFINITY, "the whole run"), ("braid", CLOSE, "the beginning")];
        // The first run stands for all.
        let run = runs.of(label).next();
        let pictures = run.into_iter().flat_map(|run| {
            kinds.map(|(kind, until, what)| {
                let title = format!("{label}: {} of 96 subdomains, {what}", SHOWN.len());
                (format!("{kind}-{name}"), braid(&shown(&run.history, until), &title))
            })
        });
        pictures.collect::<Vec<_>>()
    };
    all.into_iter().flat_map(of_method).collect()
}

/// Returns the history of the lines in a picture, up to a time in seconds.
fn shown(history: &History, until: f64) -> History {
    let column = |shown: &u32| history.subdomains.iter().position(|id| id == shown);
    let columns: Vec<usize> = SHOWN.iter().filter_map(column).collect();
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
    use crate::plb::growth::tests::spreads;
    use crate::tests::{Fault, check};
    use tresse_draw::history::HistorySample;

    /// Returns a run whose 96 lines are at 1000 ± 1, on the other side of the mean after every
    /// `every` samples.
    fn history(every: usize, spread: impl Fn(f64) -> f64) -> History {
        let samples: Vec<HistorySample> = spreads(spread);
        let side = move |step: usize, column: usize| (step / every + column).is_multiple_of(2);
        let counts = |step| (0..96).map(move |column| 1_000 + u64::from(side(step, column)));
        History {
            counts: (0..samples.len()).map(|step| counts(step).collect()).collect(),
            subdomains: (0..96).collect(),
            first_workers: (0..96).map(|id| id / 4).collect(),
            samples,
        }
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let normal = |run: &mut Run| {
            let (history, end) = match run.setting.as_str() {
                NONE => (history(1_000, |t| 2_000.0 * t), 2_000),
                SPLIT => (history(5, |t| 20.0 + 100.0 * t), 120),
                _ => (history(5, |_| 50.0), 50),
            };
            (run.history, run.solved.spread_end) = (history, end);
        };
        let faults: [Fault; 5] = [
            (JOINT, |run| run.history = history(30, |_| 50.0), &[0]),
            (SPLIT, |run| run.history = history(30, |t| 20.0 + 100.0 * t), &[1]),
            (JOINT, |run| run.history = history(5, |t| 50.0 * t), &[2]),
            (SPLIT, |run| run.solved.spread_end = 401, &[3]),
            (NONE, |run| run.history = history(1_000, |t| 2_000.0 * t.sqrt()), &[4]),
        ];
        check(&BRAID, 1, normal, &faults);
    }

    #[test]
    fn crossings_are_counted_once() {
        assert_eq!(crossings([0.0, 1.0, 0.0, 2.0, -1.0, 0.0, -0.5, 3.0].into_iter()), 2);
        assert_eq!(crossings([0.0; 3].into_iter()), 0);
    }

    #[test]
    fn sockets_have_half_of_the_lines_each() {
        let run = |setting: &str| Run {
            setting: setting.to_owned(),
            history: history(5, |_| 1.0),
            ..Run::default()
        };
        let sockets = groups(&run(SPLIT));
        assert_eq!(sockets.iter().map(Vec::len).collect::<Vec<_>>(), [48, 48]);
        assert!(sockets[0].contains(&0) && sockets[1].contains(&95));
        assert_eq!(groups(&run(JOINT)).len(), 1);
    }

    #[test]
    fn the_pictures_have_eight_lines() {
        let shown = shown(&history(5, |_| 1.0), CLOSE);
        assert_eq!(shown.subdomains, SHOWN);
        assert!(shown.counts.iter().all(|counts| counts.len() == 8));
        assert_eq!(shown.samples.len(), 15);
    }
}
