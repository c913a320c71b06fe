//! Figure 3: iteration rate against spread, quiet and with noise on one core.

use tresse_core::run::{Balance, Mode, Stop};
use tresse_core::time::Duration;

use super::{Machine, label, median, setting};
use crate::methods::Method;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::points::{LandscapePoint, Samples, landscape};
use crate::report::plots::write_pair;
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::published::{self, Printed};
use crate::reproduce::runs::{Runs, Simulated};

pub(in crate::reproduce) const LANDSCAPE: Experiment = Experiment {
    name: "plb-landscape",
    title: "Iteration rate and spread of the methods, quiet and with 19 % noise on one core",
    source: published::LANDSCAPE_SOURCE,
    replicates: 20,
    evaluation: &Simulated { plan, evaluate, draw, remarks: &[] },
};

/// The iterations of section 4.2.
const STOP: Stop = Stop { tolerance: None, iterations: Some(5_000) };

const OFTEN: Duration = Duration::from_millis(1);
const SELDOM: Duration = Duration::from_millis(10);

const fn balanced(name: &'static str, balance: Balance) -> Method {
    Method { name, mode: Mode::Async, split: 4, balance }
}

const METHODS: [Method; 11] = [
    Method { name: "sync", mode: Mode::Sync, split: 1, balance: Balance::None },
    Method { name: "ssync(1)", mode: Mode::SemiSync(1), split: 1, balance: Balance::None },
    Method { name: "ssync(30)", mode: Mode::SemiSync(30), split: 1, balance: Balance::None },
    Method { name: "async(1)", mode: Mode::Async, split: 1, balance: Balance::None },
    balanced("async(4)", Balance::None),
    balanced("split(0.001)", Balance::Split(OFTEN)),
    balanced("joint(0.001)", Balance::Joint(OFTEN)),
    balanced("hybrid(0.001, 500)", Balance::Hybrid(OFTEN, 500)),
    balanced("split(0.01)", Balance::Split(SELDOM)),
    balanced("joint(0.01)", Balance::Joint(SELDOM)),
    balanced("hybrid(0.01, 50)", Balance::Hybrid(SELDOM, 50)),
];
const WAITING: [&str; 3] = ["sync", "ssync(1)", "ssync(30)"];
/// Each policy often and seldom.
const BALANCED: [[&str; 2]; 3] = [
    ["split(0.001)", "split(0.01)"],
    ["joint(0.001)", "joint(0.01)"],
    ["hybrid(0.001, 500)", "hybrid(0.01, 50)"],
];

fn plan() -> Plan {
    let settings = Machine::ALL.into_iter().flat_map(|machine| {
        METHODS.iter().flat_map(move |method| {
            [false, true].map(|noisy| setting(machine, method, STOP, noisy))
        })
    });
    Plan { settings: settings.collect() }
}

/// All runs of one machine.
#[derive(Clone, Copy)]
struct View<'a> {
    runs: &'a Runs,
    machine: Machine,
}

impl View<'_> {
    fn rate(self, method: &str, noisy: bool) -> f64 {
        median(self.runs, self.machine, method, noisy, |sample| sample.iteration_rate)
    }

    fn spread(self, method: &str, noisy: bool) -> f64 {
        median(self.runs, self.machine, method, noisy, |sample| sample.spread_end as f64)
    }

    /// What noise does to the rate, in percent.
    fn slower(self, method: &str) -> f64 {
        (1.0 - self.rate(method, true) / self.rate(method, false)) * 100.0
    }

    /// By what factor noise changes the spread.
    fn widened(self, method: &str) -> f64 {
        self.spread(method, true) / self.spread(method, false)
    }

    fn listed<'m>(
        self,
        methods: impl IntoIterator<Item = &'m str>,
        figure: impl Fn(Self, &str) -> String,
    ) -> String {
        let figures =
            methods.into_iter().map(|method| format!("{method} {}", figure(self, method)));
        figures.collect::<Vec<_>>().join(", ")
    }

    fn statement(self, text: &str, holds: bool, why: String) -> Statement {
        Statement::new(format!("on {}, {text}", self.machine.name()), holds, why)
    }
}

fn often() -> impl Iterator<Item = &'static str> + Clone {
    BALANCED.into_iter().map(|[often, _]| often)
}

fn evaluate(runs: &Runs) -> Outcome {
    let mut outcome = Outcome::default();
    for (place, machine) in Machine::ALL.into_iter().enumerate() {
        let view = View { runs, machine };
        outcome.rows.extend(rows(view, place));
        outcome.statements.extend([
            balancing_bounds_spread(view),
            often_is_tighter(view),
            joint_is_tightest(view),
            noise_moves_balanced_least(view),
            noise_slows_waiting(view),
            joint_is_slowest(view),
        ]);
    }
    outcome
}

fn rows(view: View<'_>, place: usize) -> Vec<Row> {
    let View { runs, machine } = view;
    let name = machine.name();
    let mut rows = Vec::new();
    for method in &METHODS {
        for noisy in [false, true] {
            let label = label(machine, method.name, noisy);
            let rates = runs.figures(&label, |sample| sample.iteration_rate);
            let spreads = runs.figures(&label, |sample| sample.spread_end as f64);
            rows.push(Row::of(format!("{label}: rate"), "iterations/s", None, &rates));
            rows.push(Row::of(format!("{label}: spread"), "updates", None, &spreads));
        }
    }
    let value = |printed: [Option<Printed>; 2]| printed[place].map(|printed| printed.value);
    for (method, printed) in published::OVERHEADS {
        let [method_label, alone] = [method, "async(1)"].map(|name| label(machine, name, false));
        let pairs = runs.pairs(&alone, &method_label, |sample| sample.iteration_rate);
        let costs: Vec<f64> =
            pairs.iter().map(|(alone, rate)| (1.0 - rate / alone) * 100.0).collect();
        rows.push(Row::of(
            format!("{name}, cost of {method}, quiet"),
            "% of rate",
            value(printed),
            &costs,
        ));
    }
    for (method, printed) in published::SPREAD_CHANGES {
        let [quiet, noisy] = [false, true].map(|noisy| label(machine, method, noisy));
        let changes = runs.increases(&quiet, &noisy, |sample| sample.spread_end as f64);
        rows.push(Row::of(
            format!("{name}, spread of {method} with noise"),
            "%",
            value(printed),
            &changes,
        ));
    }
    let pairs = runs.pairs(
        &label(machine, "split(0.001)", true),
        &label(machine, "sync", true),
        |sample| sample.iteration_rate,
    );
    let slower: Vec<f64> = pairs.iter().map(|(split, sync)| (1.0 - sync / split) * 100.0).collect();
    let printed = published::WAITING_SLOWER[place].value;
    rows.push(Row::of(
        format!("{name}, sync behind split, noisy"),
        "% of rate",
        Some(printed),
        &slower,
    ));
    rows
}

fn balancing_bounds_spread(view: View<'_>) -> Statement {
    let holds = [false, true].into_iter().all(|noisy| {
        often().all(|method| view.spread(method, noisy) <= 1.25 * view.spread("ssync(30)", noisy))
    });
    let both = |view: View<'_>, method: &str| {
        format!("{:.0} and {:.0}", view.spread(method, false), view.spread(method, true))
    };
    view.statement(
        "the spread of the methods balanced each millisecond is comparable to that of ssync(30) \
         or lower, within 25 % (section 5.1; limit ours)",
        holds,
        format!("quiet and noisy: {}", view.listed(["ssync(30)"].into_iter().chain(often()), both)),
    )
}

fn often_is_tighter(view: View<'_>) -> Statement {
    let pairs = || BALANCED.into_iter().flat_map(|pair| [false, true].map(|noisy| (pair, noisy)));
    let holds = pairs()
        .all(|([often, seldom], noisy)| view.spread(often, noisy) < view.spread(seldom, noisy));
    let quiet = |view: View<'_>, method: &str| format!("{:.0}", view.spread(method, false));
    view.statement(
        "balancing more often gives a lower spread (section 5.1)",
        holds,
        format!("quiet: {}", view.listed(BALANCED.into_iter().flatten(), quiet)),
    )
}

fn joint_is_tightest(view: View<'_>) -> Statement {
    let joint = view.spread("joint(0.001)", true);
    let noisy = |view: View<'_>, method: &str| format!("{:.0}", view.spread(method, true));
    view.statement(
        "of the balanced methods joint has the lowest spread, seen with noise (section 5.1)",
        often().all(|method| joint <= view.spread(method, true)),
        view.listed(often(), noisy),
    )
}

fn noise_moves_balanced_least(view: View<'_>) -> Statement {
    let unbalanced = ["async(1)", "async(4)"];
    let least = unbalanced.map(|method| view.widened(method)).into_iter().fold(f64::NAN, f64::min);
    let most = often().map(|method| view.widened(method)).fold(f64::NAN, f64::max);
    let widened = |view: View<'_>, method: &str| format!("x{:.2}", view.widened(method));
    view.statement(
        "noise widens the spread of the balanced methods least, and that of the asynchronous ones \
         without a balancer at least twofold (section 5.1)",
        least >= 2.0 && most < least,
        view.listed(unbalanced.into_iter().chain(often()), widened),
    )
}

fn noise_slows_waiting(view: View<'_>) -> Statement {
    let best_waiting =
        WAITING.map(|method| view.rate(method, true)).into_iter().fold(f64::NAN, f64::max);
    let holds =
        often().all(|method| view.slower(method) <= 2.0 && view.rate(method, true) > best_waiting);
    let slower = |view: View<'_>, method: &str| format!("{:.1} %", view.slower(method));
    view.statement(
        "noise costs the balanced methods 2 % of their rate at most, and makes every method that \
         waits slower than they are (section 5.2)",
        holds,
        format!("slower by {}", view.listed(WAITING.into_iter().chain(often()), slower)),
    )
}

fn joint_is_slowest(view: View<'_>) -> Statement {
    let joint = view.rate("joint(0.001)", false);
    let quiet = |view: View<'_>, method: &str| format!("{:.0}/s", view.rate(method, false));
    view.statement(
        "of the balanced methods joint has the lowest rate, since it moves data between sockets \
         (section 5.2)",
        often().all(|method| joint <= view.rate(method, false)),
        view.listed(often(), quiet),
    )
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    for machine in Machine::ALL {
        let samples = |method: &Method, noisy| {
            let label = label(machine, method.name, noisy);
            Samples {
                iteration_rate: runs.figures(&label, |sample| sample.iteration_rate),
                spread: runs.figures(&label, |sample| sample.spread_end as f64),
            }
        };
        let points: Vec<_> = METHODS
            .iter()
            .map(|method| LandscapePoint {
                method: method.name.to_owned(),
                quiet: samples(method, false),
                noisy: samples(method, true),
            })
            .collect();
        let title = format!("Figure 3: landscape of methods on the virtual {}", machine.name());
        let stem = format!("landscape-{}", machine.name().to_lowercase());
        write_pair(&landscape(&points, &title), out, &stem)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::runs::tests::runs;

    /// Seconds (for 1000 iterations) and spread of each method: quiet, then noisy.
    fn normal(method: &str, noisy: bool) -> (f64, u64) {
        match (method, noisy) {
            ("sync" | "ssync(1)" | "ssync(30)", false) => (1.05, 100),
            ("sync" | "ssync(1)" | "ssync(30)", true) => (1.2, 150),
            ("async(1)" | "async(4)", false) => (1.0, 200),
            ("async(1)" | "async(4)", true) => (1.0, 800),
            ("joint(0.001)", false) => (1.08, 50),
            ("joint(0.001)", true) => (1.09, 55),
            (name, _) if name.contains("0.001") => (1.02, if noisy { 90 } else { 60 }),
            (_, _) => (1.01, 300),
        }
    }

    fn verdicts(change: impl Fn(&str, bool) -> Option<(f64, u64)>) -> Vec<bool> {
        let mut samples = Vec::new();
        for machine in Machine::ALL {
            for method in METHODS {
                for noisy in [false, true] {
                    let figures = change(method.name, noisy).unwrap_or(normal(method.name, noisy));
                    samples.push((label(machine, method.name, noisy), figures));
                }
            }
        }
        evaluate(&runs(&samples)).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(|_, _| None), [true; 12]);
        let faults: [(&str, bool, (f64, u64)); 6] = [
            ("hybrid(0.001, 500)", true, (1.02, 190)),
            ("split(0.01)", false, (1.01, 59)),
            ("hybrid(0.001, 500)", true, (1.02, 54)),
            ("async(4)", true, (1.0, 390)),
            ("split(0.001)", true, (1.05, 90)),
            ("split(0.001)", false, (1.09, 60)),
        ];
        for (place, (method, noisy, figures)) in faults.into_iter().enumerate() {
            let found =
                verdicts(|name, is_noisy| (name == method && is_noisy == noisy).then_some(figures));
            assert!(!found[place] && !found[place + 6], "{method}: {found:?}");
        }
        assert!(evaluate(&Runs::default()).statements.iter().all(|statement| !statement.holds));
    }
}
