//! Table 2: what noise on one core adds to the time to solution.

use super::{Machine, label, setting, to_solution};
use crate::methods::METHODS;
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::outcome::{Outcome, Row};
use crate::reproduce::published;
use crate::reproduce::runs::Runs;

pub(in crate::reproduce) const TABLE_2: Experiment = Experiment {
    name: "plb-table2",
    title: "time to solution with 19 % noise on one core",
    source: published::TABLE_2_SOURCE,
    replicates: 10,
    plan,
    evaluate,
    draw: |_, _| Ok(()),
};

fn plan() -> Plan {
    let settings = Machine::ALL.into_iter().flat_map(|machine| {
        METHODS.iter().flat_map(move |method| {
            [false, true].map(|noisy| setting(machine, method, to_solution(), noisy))
        })
    });
    Plan { settings: settings.collect() }
}

fn evaluate(runs: &Runs) -> Outcome {
    let mut rows = Vec::new();
    for machine in Machine::ALL {
        for (method, printed) in METHODS.iter().zip(&published::TABLE_2) {
            let [quiet, noisy] = [false, true].map(|noisy| label(machine, method.name, noisy));
            let increases = runs.increases(&quiet, &noisy, |sample| sample.seconds);
            let printed = match machine {
                Machine::Cirrus => printed.cirrus,
                Machine::Archer => printed.archer,
            };
            rows.push(Row::of(
                format!("{}, {}", machine.name(), method.name),
                "%",
                Some(printed.value),
                &increases,
            ));
        }
    }
    Outcome { rows, statements: Vec::new() }
}
