//! Table 2: the time that noise on one core adds to the time to solution.

use super::{SHORTENED, View, all_to_solution};
use crate::{Experiment, Plan, Row, Runs, Statement, listed, published, seconds, spread};
use tresse_console::plots::comparison;
use tresse_draw::statistics::{least, median};
use tresse_engine::experiments::methods::METHODS;

pub(crate) const TABLE_2: Experiment = Experiment {
    name: "plb-table2",
    title: "What 19 % noise on one core adds to the time to solution",
    source: published::TABLE_2_SOURCE,
    replicates: 10,
    plan: || Ok(Plan::of(all_to_solution(), &[SHORTENED])),
    rows,
    statements: |runs| {
        let views = View::of_both(runs).into_iter();
        views.flat_map(|view| times(view).into_iter().chain(spreads(view))).collect()
    },
    pictures: |runs| {
        let compared: Vec<_> = rows(runs).iter().map(Row::compared).collect();
        let title = runs.titled("Table 2: time to solution with 19 % noise on one core");
        let picture = comparison(&compared, &title, "increase of the time to solution (%)");
        vec![("table2".to_owned(), picture)]
    },
};

/// The methods of Table 2 by what they do about slow cores.
const WAITING: [&str; 3] = ["sync", "ssync(1)", "ssync(30)"];
const ALONE: [&str; 2] = ["async(1)", "async(4)"];
const BALANCED: [&str; 3] =
    ["async(4) + split(0.001)", "async(4) + joint(0.001)", "async(4) + hybrid(0.001, 500)"];

/// Returns the increase of each method by noise, on both machines.
fn rows(runs: &Runs) -> Vec<Row> {
    let rows = View::of_both(runs).into_iter().flat_map(|view| {
        METHODS.iter().zip(&published::TABLE_2).map(move |(method, printed)| {
            let printed = [printed.cirrus, printed.archer][view.machine as usize].value;
            let label = format!("{}, {}", view.name(), method.name);
            Row::of(label, "%", printed, &view.increases(method.name, seconds))
        })
    });
    rows.collect()
}

/// Judges how much time noise costs methods that wait, that do not, and that balance.
fn times(view: View<'_>) -> [Statement; 3] {
    let lost = |method: &str| median(&view.increases(method, seconds));
    let shown = |method: &str| format!("{:+.1} %", lost(method));
    let [of_waiting, of_alone] = [least(WAITING.map(lost)), least(ALONE.map(lost))];
    [
        view.says(
            "the synchronous and semi-synchronous methods run at the pace of the slow core and \
             lose 10 to 25 % (section 5.3, Table 2; limits ours)",
        )
        .within(WAITING.map(lost), 10.0..=25.0)
        .shown(listed(WAITING, shown)),
        view.says(
            "the asynchronous methods without a balancer lose visibly less, by 3 percentage points \
             at least (section 5.3, Table 2; limit ours)",
        )
        .within(ALONE.map(lost), ..of_waiting - 3.0)
        .shown(format!(
            "{}; the least of the waiting ones {of_waiting:+.1} %",
            listed(ALONE, shown)
        )),
        view.says(
            "the balanced methods lose 3 % at most, and less than those without a balancer \
             (section 5.3, Table 2; limit ours)",
        )
        .within(BALANCED.map(lost), ..=3.0)
        .within(BALANCED.map(lost), ..of_alone)
        .shown(listed(BALANCED, shown)),
    ]
}

/// Judges how noise changes the spread, without and with balancing.
fn spreads(view: View<'_>) -> [Statement; 2] {
    let both = |method: &str| [false, true].map(|noisy| view.median(method, noisy, spread));
    let shown = |method: &str| {
        let [quiet, noisy] = both(method);
        format!("{quiet:.0} to {noisy:.0}")
    };
    // By how many updates noise makes the spread more than twice as large.
    let excess_over_double = |method: &str| {
        let [quiet, noisy] = both(method);
        noisy - 2.0 * quiet
    };
    let few = |method: &str| both(method)[1] < 30.0;
    [
        view.says(
            "noise at least doubles the spread of the asynchronous methods without a balancer \
             (section 5.1)",
        )
        .within(ALONE.map(excess_over_double), 0.0..)
        .shown(listed(ALONE, shown)),
        view.says(
            "the spread of the balanced methods stays within twice its quiet value, or below 30 \
             (section 5.1; limits ours)",
        )
        .within(
            BALANCED.map(|method| if few(method) { 0.0 } else { excess_over_double(method) }),
            ..=0.0,
        )
        .shown(listed(BALANCED, shown)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check, world};

    fn take(run: &mut Run, seconds: f64, spread: u64) {
        (run.solved.seconds, run.solved.spread_end) = (seconds, spread);
    }

    fn normal(run: &mut Run) {
        let is = |methods: &[&str]| {
            methods.iter().any(|name| run.setting.contains(&format!(", {name}, noisy")))
        };
        match () {
            () if is(&WAITING) => take(run, 1.18, 0),
            () if is(&ALONE) => take(run, 1.08, 800),
            () if is(&BALANCED) => take(run, 1.01, 90),
            () => take(run, 1.0, 50),
        }
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 5] = [
            ("ssync(1), noisy", |run| take(run, 1.09, 0), &[0, 1, 5, 6]),
            ("async(4), noisy", |run| take(run, 1.17, 800), &[1, 6]),
            ("joint(0.001), noisy", |run| take(run, 1.031, 90), &[2, 7]),
            ("async(1), noisy", |run| take(run, 1.08, 99), &[3, 8]),
            ("split(0.001), noisy", |run| take(run, 1.01, 101), &[4, 9]),
        ];
        check(&TABLE_2, 1, normal, &faults);
    }

    #[test]
    fn the_published_figures_stand_beside_ours() {
        let rows = rows(&world(&TABLE_2, 1, &normal));
        assert_eq!(rows.len(), 16);
        assert_eq!((rows[0].label.as_str(), rows[0].published), ("Cirrus, sync", Some(13.0)));
        assert!((rows[0].ours.unwrap() - 18.0).abs() < 1e-9);
        assert!((rows[0].difference().unwrap() - 5.0).abs() < 1e-9);
    }
}
