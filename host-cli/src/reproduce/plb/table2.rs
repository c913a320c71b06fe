//! Table 2: what noise on one core adds to the time to solution.

use super::{Machine, SHORTENED, all_to_solution, label, median};
use crate::methods::METHODS;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::whiskers::comparison;
use crate::report::plots::write_pair;
use crate::report::statistics::Quartiles;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::published;
use crate::reproduce::runs::{Runs, Simulated};

pub(in crate::reproduce) const TABLE_2: Experiment = Experiment {
    name: "plb-table2",
    title: "What 19 % noise on one core adds to the time to solution",
    source: published::TABLE_2_SOURCE,
    replicates: 10,
    evaluation: &Simulated { plan: all_to_solution, evaluate, draw, remarks: &[SHORTENED] },
};

fn evaluate(runs: &Runs) -> Outcome {
    let statements = Machine::ALL.into_iter().flat_map(|machine| {
        [
            waiting_is_slowed(runs, machine),
            asynchronous_lose_less(runs, machine),
            balanced_lose_nothing(runs, machine),
            noise_spreads_asynchronous(runs, machine),
            balanced_stay_together(runs, machine),
        ]
    });
    Outcome { rows: rows(runs), statements: statements.collect() }
}

fn rows(runs: &Runs) -> Vec<Row> {
    let mut rows = Vec::new();
    for machine in Machine::ALL {
        for (method, printed) in METHODS.iter().zip(&published::TABLE_2) {
            let printed = match machine {
                Machine::Cirrus => printed.cirrus,
                Machine::Archer => printed.archer,
            };
            let label = format!("{}, {}", machine.name(), method.name);
            rows.push(Row::of(
                label,
                "%",
                Some(printed.value),
                &increases(runs, machine, method.name),
            ));
        }
    }
    rows
}

/// By how many percent noise prolongs the runs of a method.
fn increases(runs: &Runs, machine: Machine, method: &str) -> Vec<f64> {
    let [quiet, noisy] = [false, true].map(|noisy| label(machine, method, noisy));
    runs.increases(&quiet, &noisy, |sample| sample.seconds)
}

fn increase(runs: &Runs, machine: Machine, method: &str) -> f64 {
    Quartiles::of(&increases(runs, machine, method)).map_or(f64::NAN, |quartiles| quartiles.median)
}

/// The methods of Table 2 by what they do about slow cores.
const WAITING: [&str; 3] = ["sync", "ssync(1)", "ssync(30)"];
const ALONE: [&str; 2] = ["async(1)", "async(4)"];
const BALANCED: [&str; 3] =
    ["async(4) + split(0.001)", "async(4) + joint(0.001)", "async(4) + hybrid(0.001, 500)"];

/// `name +1.2 %` for each method.
fn listed(methods: &[&str], figure: impl Fn(&str) -> f64) -> String {
    let figures = methods.iter().map(|method| format!("{method} {:+.1} %", figure(method)));
    figures.collect::<Vec<_>>().join(", ")
}

fn waiting_is_slowed(runs: &Runs, machine: Machine) -> Statement {
    let lost = |method: &str| increase(runs, machine, method);
    Statement::new(
        format!(
            "on {}, the synchronous and semi-synchronous methods run at the pace of the slow core \
             and lose 10 to 25 % (section 5.3, Table 2; limits ours)",
            machine.name()
        ),
        WAITING.iter().all(|method| (10.0..=25.0).contains(&lost(method))),
        listed(&WAITING, lost),
    )
}

fn asynchronous_lose_less(runs: &Runs, machine: Machine) -> Statement {
    let lost = |method: &str| increase(runs, machine, method);
    let least = WAITING.iter().map(|method| lost(method)).fold(f64::INFINITY, f64::min);
    Statement::new(
        format!(
            "on {}, the asynchronous methods without a balancer lose visibly less, by 3 percentage \
             points at least (section 5.3, Table 2; limit ours)",
            machine.name()
        ),
        ALONE.iter().all(|method| lost(method) < least - 3.0),
        format!("{}; the least of the waiting ones {least:+.1} %", listed(&ALONE, lost)),
    )
}

fn balanced_lose_nothing(runs: &Runs, machine: Machine) -> Statement {
    let lost = |method: &str| increase(runs, machine, method);
    let alone = ALONE.iter().map(|method| lost(method)).fold(f64::INFINITY, f64::min);
    Statement::new(
        format!(
            "on {}, the balanced methods lose 3 % at most, and less than those without a balancer \
             (section 5.3, Table 2; limit ours)",
            machine.name()
        ),
        BALANCED.iter().all(|method| lost(method) <= 3.0 && lost(method) < alone),
        listed(&BALANCED, lost),
    )
}

fn spread(runs: &Runs, machine: Machine, method: &str) -> [f64; 2] {
    [false, true]
        .map(|noisy| median(runs, machine, method, noisy, |sample| sample.spread_end as f64))
}

fn spreads(runs: &Runs, machine: Machine, methods: &[&str]) -> String {
    let figures = methods.iter().map(|method| {
        let [quiet, noisy] = spread(runs, machine, method);
        format!("{method} {quiet:.0} to {noisy:.0}")
    });
    figures.collect::<Vec<_>>().join(", ")
}

fn noise_spreads_asynchronous(runs: &Runs, machine: Machine) -> Statement {
    Statement::new(
        format!(
            "on {}, noise at least doubles the spread of the asynchronous methods without a balancer \
             (section 5.1)",
            machine.name()
        ),
        ALONE.iter().all(|method| {
            let [quiet, noisy] = spread(runs, machine, method);
            noisy >= 2.0 * quiet
        }),
        spreads(runs, machine, &ALONE),
    )
}

fn balanced_stay_together(runs: &Runs, machine: Machine) -> Statement {
    Statement::new(
        format!(
            "on {}, the spread of the balanced methods stays within twice its quiet value, or below \
             30 (section 5.1; limits ours)",
            machine.name()
        ),
        BALANCED.iter().all(|method| {
            let [quiet, noisy] = spread(runs, machine, method);
            noisy <= 2.0 * quiet || noisy < 30.0
        }),
        spreads(runs, machine, &BALANCED),
    )
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    let compared: Vec<_> = rows(runs).iter().map(Row::compared).collect();
    let title = &runs.titled("Table 2: time to solution with 19 % noise on one core");
    let unit = "increase of the time to solution (%)";
    write_pair(&comparison(&compared, title, unit), out, "table2")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::runs::tests::runs;

    /// Seconds and spread of each method: quiet, then noisy.
    fn world(change: impl Fn(&str, bool) -> Option<(f64, u64)>) -> Runs {
        let mut samples = Vec::new();
        for machine in Machine::ALL {
            for method in METHODS {
                for noisy in [false, true] {
                    let normal = match (method.name, noisy) {
                        (_, false) => (1.0, 50),
                        (name, true) if WAITING.contains(&name) => (1.18, 0),
                        (name, true) if ALONE.contains(&name) => (1.08, 800),
                        (_, true) => (1.01, 90),
                    };
                    let figures = change(method.name, noisy).unwrap_or(normal);
                    samples.push((label(machine, method.name, noisy), figures));
                }
            }
        }
        runs(&samples)
    }

    fn verdicts(runs: &Runs) -> Vec<bool> {
        evaluate(runs).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(&world(|_, _| None)), [true; 10]);
        let faults: [(&str, bool, (f64, u64)); 5] = [
            ("ssync(1)", true, (1.09, 0)),
            ("async(4)", true, (1.17, 800)),
            ("async(4) + joint(0.001)", true, (1.031, 90)),
            ("async(1)", true, (1.08, 99)),
            ("async(4) + split(0.001)", true, (1.01, 101)),
        ];
        for (place, (method, noisy, figures)) in faults.into_iter().enumerate() {
            let found = verdicts(&world(|name, is_noisy| {
                (name == method && is_noisy == noisy).then_some(figures)
            }));
            assert!(!found[place] && !found[place + 5], "{method}: {found:?}");
        }
        // Nothing was measured: nothing holds.
        assert_eq!(verdicts(&Runs::default()), [false; 10]);
    }

    #[test]
    fn the_published_figures_stand_beside_ours() {
        let rows = rows(&world(|_, _| None));
        assert_eq!(rows.len(), 16);
        assert_eq!((rows[0].label.as_str(), rows[0].published), ("Cirrus, sync", Some(13.0)));
        assert!((rows[0].ours.unwrap() - 18.0).abs() < 1e-9);
        assert!((rows[0].difference().unwrap() - 5.0).abs() < 1e-9);
    }
}
