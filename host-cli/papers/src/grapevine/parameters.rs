//! Judges the slides' findings on fan-out, rounds and the order of the objects (slide "Experimental
//! Findings", after the table of criterion 6).
//!
//! Each parameter is changed alone, all others are the slides' (k = 10, f = 6, 10⁴ objects on 16 of
//! 4096 processors, live loads). With fan-out and rounds as they are there, every overloaded
//! processor knows all underloaded ones: that is the "perfect information" of the slide.

use std::collections::BTreeSet;

use tresse_core::balance::grapevine::{Config, Criterion, Order};

use super::case::Case;
use crate::{Balancing, Experiment, Plan, Row, Run, Runs, Setting, Statement, joined, says};
use tresse_console::plots::{Curve, Picture, Titles, trends};
use tresse_draw::statistics::least;
use tresse_traces::balancing::Method;

pub(crate) const PARAMETERS: Experiment = Experiment {
    name: "grapevine-parameters",
    title: "Grapevine: what fan-out, rounds and the order of the objects change",
    source: "Pébaÿ & Lifflander 2019, slide \"Experimental Findings\" (no numbers are printed)",
    replicates: 20,
    plan: || {
        // A fan-out of 2 with 10 rounds is among both.
        let mut labels = BTreeSet::new();
        let mut is_new = |&(of, change): &(Criterion, Change)| labels.insert(change.label(of));
        let settings = all().into_iter().filter(|setting| is_new(setting));
        let settings = settings.filter_map(|(criterion, change)| change.setting(criterion));
        let problems = vec![Case::TenThousand.full_name().to_owned()];
        Ok(Plan { problems, ..Plan::of(settings, &[]) })
    },
    rows: |runs| all().into_iter().flat_map(|setting| rows(runs, setting)).collect(),
    statements: |runs| {
        vec![
            diminishing(runs, "fan-out", FANOUTS.map(Change::Fanout)),
            diminishing(runs, "rounds", ROUNDS.map(Change::Rounds)),
            perfect_information(runs),
            order(runs),
        ]
    },
    pictures: |runs| {
        let fanouts = FANOUTS.map(|fanout| (fanout, Change::Fanout(fanout)));
        let rounds = ROUNDS.map(|rounds| (rounds, Change::Rounds(rounds)));
        vec![
            ("fanout".to_owned(), picture(runs, "fan-out f (k = 10)", fanouts)),
            ("rounds".to_owned(), picture(runs, &format!("rounds k (f = {NARROW})"), rounds)),
        ]
    },
};

/// The parameter that is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Fanout(u32),
    Rounds(u32),
    Order(Order),
}

/// Fan-outs, from the least to the slides' and beyond.
const FANOUTS: [u32; 7] = [1, 2, 3, 4, 6, 10, 16];
const ROUNDS: [u32; 7] = [1, 2, 3, 4, 6, 10, 16];
const ORDERS: [Order; 6] = [
    Order::Arbitrary,
    Order::Id,
    Order::Ascending,
    Order::Descending,
    Order::FewestMigrations,
    Order::SmallObjects,
];
/// Fan-out while the rounds change: with the slides' 6, four rounds reach everybody.
const NARROW: u32 = 2;

const CRITERIA: [Criterion; 2] = [Criterion::Original, Criterion::Relaxed];

/// Returns the name of a criterion in labels.
const fn name(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Original => "criterion 6",
        Criterion::Relaxed => "criterion 6'",
    }
}

/// Returns words for the object that comes first.
const fn first(order: Order) -> &'static str {
    match order {
        Order::Arbitrary => "any",
        Order::Id => "lowest number",
        Order::Ascending => "smallest",
        Order::Descending => "largest",
        Order::FewestMigrations => "what makes up for the excess",
        Order::SmallObjects => "small ones together",
    }
}

/// Returns the changes of fan-out and rounds.
fn spreading() -> impl Iterator<Item = Change> {
    let rounds = ROUNDS.into_iter().map(Change::Rounds);
    FANOUTS.into_iter().map(Change::Fanout).chain(rounds)
}

/// Returns every change of a parameter, with either criterion.
fn all() -> Vec<(Criterion, Change)> {
    let changes = || spreading().chain(ORDERS.into_iter().map(Change::Order));
    let of = |criterion| changes().map(move |change| (criterion, change));
    CRITERIA.into_iter().flat_map(of).collect()
}

impl Change {
    /// Returns the label of the runs with this change.
    fn label(self, criterion: Criterion) -> String {
        let change = match self {
            Self::Fanout(fanout) => format!("f = {fanout}, k = 10"),
            Self::Rounds(rounds) => format!("f = {NARROW}, k = {rounds}"),
            Self::Order(order) => format!("f = 6, k = 10, {} first", first(order)),
        };
        format!("{}, {change}", name(criterion))
    }

    /// Returns the slides' configuration with this change.
    fn config(self, criterion: Criterion) -> Config {
        let slides = Config { criterion, ..Config::SLIDES };
        match self {
            Self::Fanout(fanout) => Config { fanout, ..slides },
            Self::Rounds(rounds) => Config { fanout: NARROW, rounds, ..slides },
            Self::Order(order) => Config { order, ..slides },
        }
    }

    /// Returns the setting of this change, for the ten thousand objects.
    fn setting(self, criterion: Criterion) -> Option<Setting> {
        let objects = Case::TenThousand.objects(None)?;
        let method = Method::Grapevine(self.config(criterion));
        let balancing = Balancing { objects, method, is_told_whole: false };
        Some(balancing.labelled(self.label(criterion)))
    }

    /// Returns the imbalances at the end.
    fn imbalances(self, runs: &Runs, criterion: Criterion) -> Vec<f64> {
        runs.figures(&self.label(criterion), imbalance)
    }

    /// Returns the median of the imbalances at the end.
    fn median(self, runs: &Runs, criterion: Criterion) -> f64 {
        runs.median(&self.label(criterion), imbalance)
    }
}

/// Returns the imbalance of the placement that was taken.
fn imbalance(run: &Run) -> f64 {
    run.balanced.taken
}

/// Returns the imbalance at the end, and the messages of gossip of the first iteration.
fn rows(runs: &Runs, (criterion, change): (Criterion, Change)) -> [Row; 2] {
    let label = change.label(criterion);
    let messages = runs.figures(&label, |run| run.balanced.step(1).told[0] as f64);
    let imbalances = change.imbalances(runs, criterion);
    let row = |figure: &str, unit, samples: &[f64]| {
        Row::of(format!("{label}: {figure}"), unit, None, samples).to_extremes(samples)
    };
    [
        row("imbalance at the end", "max/mean - 1", &imbalances),
        row("messages of gossip, iteration 1", "", &messages),
    ]
}

/// Judges whether the larger half of a parameter's values brings next to nothing.
fn diminishing(runs: &Runs, name: &str, changes: [Change; 7]) -> Statement {
    let medians = |criterion| changes.map(|change| change.median(runs, criterion));
    let [original, relaxed] = [Criterion::Original, Criterion::Relaxed].map(medians);
    let [_, _, _, middle, _, _, most] = original;
    let listed = |medians: [f64; 7]| joined(medians.map(|median| format!("{median:.3}")), ", ");
    says(format!(
        "increasing {name} has rapidly diminishing returns: from 4 to 16 the imbalance that \
         criterion 6 ends at falls by a tenth at most (limit ours)"
    ))
    .within([middle - most], ..=0.1 * middle)
    .shown(format!(
        "from 1 to 16, criterion 6: {}; criterion 6': {}",
        listed(original),
        listed(relaxed)
    ))
}

/// Judges whether more gossip makes criterion 6 as good as criterion 6'.
fn perfect_information(runs: &Runs) -> Statement {
    let best = least(spreading().map(|change| change.median(runs, Criterion::Original)));
    let relaxed = Change::Fanout(6).median(runs, Criterion::Relaxed);
    says(
        "increasing fan-out or rounds does not resolve the sub-optimal convergence, even with \
         perfect information: with all of them criterion 6 ends at ten times the imbalance of \
         criterion 6' and more (limit ours)",
    )
    .within([best], 10.0 * relaxed..)
    .shown(format!("criterion 6 at best {best:.1}, criterion 6' with f = 6, k = 10 {relaxed:.3}"))
}

/// Judges whether the order of the objects makes criterion 6 as good as criterion 6'.
fn order(runs: &Runs) -> Statement {
    let medians = |criterion| ORDERS.map(|order| Change::Order(order).median(runs, criterion));
    let [original, relaxed] = [Criterion::Original, Criterion::Relaxed].map(medians);
    let listed = |medians: [f64; 6], digits: usize| {
        let listed = ORDERS.into_iter().zip(medians);
        joined(listed.map(|(order, median)| format!("{} {median:.digits$}", first(order))), ", ")
    };
    let ([any, ..], [relaxed_any, ..]) = (original, relaxed);
    says(
        "changing which object is picked first does not help either: with every order criterion 6 \
         ends at half the imbalance of any order, or above, and at ten times that of criterion 6' \
         (limits ours)",
    )
    .within(original, any / 2.0..)
    .within(original, 10.0 * relaxed_any..)
    .shown(format!(
        "criterion 6: {}; criterion 6': {}",
        listed(original, 1),
        listed(relaxed, 3)
    ))
}

/// Draws the final imbalance of both criteria over the values of a parameter, named by `x`.
fn picture(runs: &Runs, x: &str, changes: [(u32, Change); 7]) -> Picture {
    let curves = CRITERIA.map(|criterion| {
        let imbalances =
            changes.map(|(value, change)| (value.into(), change.imbalances(runs, criterion)));
        Curve::of_samples(name(criterion), imbalances)
    });
    let title = format!("Grapevine: {}", Case::TenThousand.full_name());
    trends(&curves, Titles { title: &title, x, y: "imbalance at the end (max/mean − 1)" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Fault, check};

    /// Sets the figures of a run as the slides describe them.
    fn normal(run: &mut Run) {
        run.balanced.taken = match run.setting.as_str() {
            label if label.starts_with("criterion 6'") => 0.6,
            label if label.contains("f = 1,") || label.ends_with("k = 1") => 250.0,
            _ => 180.0,
        };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 4] = [
            ("criterion 6, f = 4, ", |run| run.balanced.taken = 210.0, &[0]),
            ("criterion 6, f = 2, k = 16", |run| run.balanced.taken = 100.0, &[1]),
            ("criterion 6, f = 2, k = 10", |run| run.balanced.taken = 5.0, &[2]),
            ("criterion 6, f = 6, k = 10, smallest", |run| run.balanced.taken = 89.0, &[3]),
        ];
        check(&PARAMETERS, 1, normal, &faults);
    }

    #[test]
    fn one_parameter_is_changed_at_a_time() {
        for (criterion, change) in all() {
            let config = change.config(criterion);
            config.check().unwrap();
            let slides = Config { criterion, ..Config::SLIDES };
            let undone = match change {
                Change::Fanout(_) => Config { fanout: slides.fanout, ..config },
                Change::Rounds(_) => {
                    Config { fanout: slides.fanout, rounds: slides.rounds, ..config }
                }
                Change::Order(_) => Config { order: slides.order, ..config },
            };
            assert_eq!((undone, config.iterations), (slides, 10));
        }
    }
}
