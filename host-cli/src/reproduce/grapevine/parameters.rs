//! What the slides say of fan-out, rounds and the order of the objects (slide "Experimental
//! Findings", after the table of criterion 6).
//!
//! Each parameter is changed alone, all others are the slides' (k = 10, f = 6, 10⁴ objects on 16 of
//! 4096 processors, live loads). With fan-out and rounds as they are there, every overloaded
//! processor knows all underloaded ones: that is the "perfect information" of the slide.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use serde::Serialize;
use tresse_core::balance::grapevine::{Config, Criterion, Iteration, Order};

use super::case::Case;
use crate::balancing::{Method, balance};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::lines::{Curve, trends};
use crate::report::plots::{Titles, write_pair};
use crate::report::statistics::Quartiles;
use crate::report::table::write_records;
use crate::reproduce::experiment::{
    Evaluation, EvaluationError, Experiment, Made, Planned, Replicate, Watch,
};
use crate::reproduce::outcome::{Outcome, Row, Statement};

pub(in crate::reproduce) const PARAMETERS: Experiment = Experiment {
    name: "grapevine-parameters",
    title: "Grapevine: what fan-out, rounds and the order of the objects change",
    source: "Pébaÿ & Lifflander 2019, slide \"Experimental Findings\" (no numbers are printed)",
    replicates: 20,
    evaluation: &Parameters,
};

/// The experiment.
#[derive(Clone, Copy, Debug)]
struct Parameters;

/// What is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Fanout(u32),
    Rounds(u32),
    Order(Order),
}

/// From the least to the slides' and beyond.
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

const fn name(criterion: Criterion) -> &'static str {
    match criterion {
        Criterion::Original => "criterion 6",
        Criterion::Relaxed => "criterion 6'",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    criterion: Criterion,
    change: Change,
}

impl Setting {
    fn all() -> Vec<Self> {
        let changes = || {
            let fanouts = FANOUTS.into_iter().map(Change::Fanout);
            let rounds = ROUNDS.into_iter().map(Change::Rounds);
            fanouts.chain(rounds).chain(ORDERS.into_iter().map(Change::Order))
        };
        let of = |criterion| changes().map(move |change| Self { criterion, change });
        CRITERIA.into_iter().flat_map(of).collect()
    }

    fn label(self) -> String {
        let change = match self.change {
            Change::Fanout(fanout) => format!("f = {fanout}, k = 10"),
            Change::Rounds(rounds) => format!("f = {NARROW}, k = {rounds}"),
            Change::Order(order) => format!("f = 6, k = 10, {} first", first(order)),
        };
        format!("{}, {change}", name(self.criterion))
    }

    fn config(self, seed: u64) -> Config {
        let slides = Config { criterion: self.criterion, seed, ..Config::SLIDES };
        match self.change {
            Change::Fanout(fanout) => Config { fanout, ..slides },
            Change::Rounds(rounds) => Config { fanout: NARROW, rounds, ..slides },
            Change::Order(order) => Config { order, ..slides },
        }
    }
}

/// Which object comes first.
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

impl Evaluation for Parameters {
    fn plan(&self) -> Result<Box<dyn Planned>, EvaluationError> {
        Ok(Box::new(Plan))
    }
}

struct Plan;

impl Planned for Plan {
    fn settings(&self) -> usize {
        Setting::all().len()
    }

    fn make(&self, replicates: u32, watch: &Watch<'_>) -> Result<Box<dyn Made>, EvaluationError> {
        let settings = Setting::all();
        let jobs: Vec<(Replicate, Setting)> = Replicate::all(replicates)
            .flat_map(|replicate| settings.iter().map(move |&setting| (replicate, setting)))
            .collect();
        let run = |&(replicate, setting): &(Replicate, Setting)| {
            let instance = Case::TenThousand.instance(replicate, None)?;
            let method = Method::Grapevine(setting.config(replicate.seed));
            let mut glance = |_: &Iteration| {
                if watch.interrupt.load(Ordering::Relaxed) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let made = balance(&method, &instance, u64::MAX, &mut glance)?;
            let first = made.iterations.first();
            Ok(Run {
                setting,
                replicate,
                imbalance: instance.imbalance(made.outcome.final_max),
                messages: first.map_or(0, |iteration| iteration.told.messages),
            })
        };
        let runs = watch.each(&jobs, |(_, setting)| setting.label(), run);
        Ok(Box::new(Runs(runs?)))
    }
}

/// What one run came to.
#[derive(Clone, Copy, Debug)]
struct Run {
    setting: Setting,
    replicate: Replicate,
    /// At the end.
    imbalance: f64,
    /// Of the gossip, in the first iteration.
    messages: u64,
}

/// A line of `samples.csv`.
#[derive(Serialize)]
struct Sample {
    setting: String,
    replicate: u32,
    seed: u64,
    imbalance: f64,
    gossip_messages: u64,
}

#[derive(Default)]
struct Runs(Vec<Run>);

impl Made for Runs {
    fn kind(&self) -> &'static str {
        "seeds, low and high the least and the greatest"
    }

    fn failed(&self) -> usize {
        0
    }

    fn evaluate(&self) -> Outcome {
        let statements = vec![
            self.diminishing("fan-out", FANOUTS.map(Change::Fanout)),
            self.diminishing("rounds", ROUNDS.map(Change::Rounds)),
            self.perfect_information(),
            self.order(),
        ];
        Outcome { rows: self.rows(), statements }
    }

    fn problems(&self) -> Vec<String> {
        vec![Case::TenThousand.full_name().to_owned()]
    }

    fn write_samples(&self, to: &mut dyn Write) -> io::Result<()> {
        write_records(
            self.0.iter().map(|run| Sample {
                setting: run.setting.label(),
                replicate: run.replicate.number,
                seed: run.replicate.seed,
                imbalance: run.imbalance,
                gossip_messages: run.messages,
            }),
            to,
        )
    }

    fn draw(&self, out: &OutputDir) -> Result<(), OutputError> {
        let fanouts = FANOUTS.map(|fanout| (fanout, Change::Fanout(fanout)));
        let rounds = ROUNDS.map(|rounds| (rounds, Change::Rounds(rounds)));
        self.draw_trend("fanout", "fan-out f (k = 10)", fanouts, out)?;
        self.draw_trend("rounds", &format!("rounds k (f = {NARROW})"), rounds, out)
    }
}

impl Runs {
    fn of(&self, criterion: Criterion, change: Change) -> impl Iterator<Item = &Run> + Clone {
        self.0.iter().filter(move |run| run.setting == Setting { criterion, change })
    }

    fn imbalances(&self, criterion: Criterion, change: Change) -> Vec<f64> {
        self.of(criterion, change).map(|run| run.imbalance).collect()
    }

    fn median(&self, criterion: Criterion, change: Change) -> f64 {
        let imbalances = self.imbalances(criterion, change);
        Quartiles::of(&imbalances).map_or(f64::NAN, |quartiles| quartiles.median)
    }

    fn rows(&self) -> Vec<Row> {
        let rows = Setting::all().into_iter().flat_map(|setting| {
            let Setting { criterion, change } = setting;
            let messages: Vec<f64> =
                self.of(criterion, change).map(|run| run.messages as f64).collect();
            let (label, imbalances) = (setting.label(), self.imbalances(criterion, change));
            [
                Row::within(&label, "imbalance at the end", "max/mean - 1", None, &imbalances),
                Row::within(&label, "messages of gossip, iteration 1", "", None, &messages),
            ]
            .map(|row| Row { table: String::new(), ..row })
        });
        rows.collect()
    }

    /// Whether the larger half of a parameter's values brings next to nothing.
    fn diminishing(&self, name: &str, changes: [Change; 7]) -> Statement {
        let original = changes.map(|change| self.median(Criterion::Original, change));
        let relaxed = changes.map(|change| self.median(Criterion::Relaxed, change));
        let [_, _, _, middle, _, _, most] = original;
        let listed = |medians: [f64; 7]| medians.map(|median| format!("{median:.3}")).join(", ");
        Statement::new(
            format!(
                "increasing {name} has rapidly diminishing returns: from 4 to 16 the imbalance that \
                 criterion 6 ends at falls by a tenth at most (limit ours)"
            ),
            middle - most <= 0.1 * middle,
            format!(
                "from 1 to 16, criterion 6: {}; criterion 6': {}",
                listed(original),
                listed(relaxed)
            ),
        )
    }

    fn perfect_information(&self) -> Statement {
        let changes = || {
            let rounds = ROUNDS.into_iter().map(Change::Rounds);
            FANOUTS.into_iter().map(Change::Fanout).chain(rounds)
        };
        let best = changes().map(|change| self.median(Criterion::Original, change));
        let best = best.fold(f64::NAN, f64::min);
        let relaxed = self.median(Criterion::Relaxed, Change::Fanout(6));
        Statement::new(
            "increasing fan-out or rounds does not resolve the sub-optimal convergence, even with \
             perfect information: with all of them criterion 6 ends at ten times the imbalance of \
             criterion 6' and more (limit ours)",
            best >= 10.0 * relaxed,
            format!("criterion 6 at best {best:.1}, criterion 6' with f = 6, k = 10 {relaxed:.3}"),
        )
    }

    fn order(&self) -> Statement {
        let medians =
            ORDERS.map(|order| (order, self.median(Criterion::Original, Change::Order(order))));
        let [(_, any), ..] = medians;
        let listed = medians.map(|(order, median)| format!("{} {median:.1}", first(order)));
        let relaxed = ORDERS.map(|order| {
            format!("{} {:.3}", first(order), self.median(Criterion::Relaxed, Change::Order(order)))
        });
        let relaxed_any = self.median(Criterion::Relaxed, Change::Order(Order::Arbitrary));
        Statement::new(
            "changing which object is picked first does not help either: with every order criterion \
             6 ends at half the imbalance of any order, or above, and at ten times that of criterion \
             6' (limits ours)",
            medians.iter().all(|&(_, median)| median >= any / 2.0 && median >= 10.0 * relaxed_any),
            format!("criterion 6: {}; criterion 6': {}", listed.join(", "), relaxed.join(", ")),
        )
    }

    fn draw_trend(
        &self,
        stem: &str,
        x: &str,
        changes: [(u32, Change); 7],
        out: &OutputDir,
    ) -> Result<(), OutputError> {
        let curves = CRITERIA.map(|criterion| {
            let imbalances =
                changes.map(|(value, change)| (value.into(), self.imbalances(criterion, change)));
            Curve::of_samples(name(criterion), imbalances)
        });
        let title = format!("Grapevine: {}", Case::TenThousand.full_name());
        let y = "imbalance at the end (max/mean − 1)";
        write_pair(&trends(&curves, Titles { title: &title, x, y }), out, stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(imbalance: impl Fn(Setting) -> f64) -> Vec<bool> {
        let runs = Setting::all().into_iter().map(|setting| Run {
            setting,
            replicate: Replicate { number: 0, seed: 1 },
            imbalance: imbalance(setting),
            messages: 1,
        });
        let outcome = Runs(runs.collect()).evaluate();
        assert_eq!(outcome.rows.len(), 2 * 2 * (7 + 7 + 6));
        outcome.statements.iter().map(|statement| statement.holds).collect()
    }

    /// As the slides say.
    fn normal(Setting { criterion, change }: Setting) -> f64 {
        match (criterion, change) {
            (Criterion::Relaxed, _) => 0.6,
            (_, Change::Fanout(1) | Change::Rounds(1)) => 250.0,
            (_, _) => 180.0,
        }
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(normal), [true; 4]);
        let with = |change: Change, imbalance: f64| {
            verdicts(move |setting| {
                let is_it = setting == Setting { criterion: Criterion::Original, change };
                if is_it { imbalance } else { normal(setting) }
            })
        };
        assert_eq!(with(Change::Fanout(4), 210.0), [false, true, true, true]);
        assert_eq!(with(Change::Rounds(16), 100.0), [true, false, true, true]);
        assert_eq!(with(Change::Rounds(10), 5.0), [true, true, false, true]);
        assert_eq!(with(Change::Order(Order::Ascending), 89.0), [true, true, true, false]);
        assert!(Runs::default().evaluate().statements.iter().all(|statement| !statement.holds));
    }

    #[test]
    fn one_parameter_is_changed_at_a_time() {
        for setting in Setting::all() {
            let config = setting.config(7);
            config.check().unwrap();
            assert_eq!((config.iterations, config.seed), (10, 7));
            let Setting { criterion, change } = setting;
            let slides = Config { criterion, seed: 7, ..Config::SLIDES };
            match change {
                Change::Fanout(fanout) => assert_eq!(config, Config { fanout, ..slides }),
                Change::Rounds(rounds) => {
                    assert_eq!(config, Config { fanout: NARROW, rounds, ..slides });
                }
                Change::Order(order) => assert_eq!(config, Config { order, ..slides }),
            }
        }
    }
}
