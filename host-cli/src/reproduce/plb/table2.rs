//! Table 2: what noise on one core adds to the time to solution.

use super::{SHORTENED, View, all_to_solution};
use crate::methods::METHODS;
use crate::report::plots::whiskers::comparison;
use crate::report::statistics::{least, median};
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::published;
use crate::reproduce::row::Row;
use crate::reproduce::run::{seconds, spread};
use crate::reproduce::runs::Runs;
use crate::reproduce::statement::{Statement, joined};

pub(in crate::reproduce) const TABLE_2: Experiment = Experiment {
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

fn rows(runs: &Runs) -> Vec<Row> {
    let of = |view: View<'_>| {
        METHODS.iter().zip(&published::TABLE_2).map(move |(method, printed)| {
            let printed = [printed.cirrus, printed.archer][view.machine as usize].value;
            let label = format!("{}, {}", view.name(), method.name);
            Row::of(label, "%", printed, &view.increases(method.name, seconds))
        })
    };
    View::of_both(runs).into_iter().flat_map(of).collect()
}

fn times(view: View<'_>) -> [Statement; 3] {
    let name = view.name();
    let lost = |method: &str| median(&view.increases(method, seconds));
    let listed = |methods: &[&str]| {
        let figures = methods.iter().map(|method| format!("{method} {:+.1} %", lost(method)));
        joined(figures, ", ")
    };
    let [of_waiting, of_alone] = [least(WAITING.map(lost)), least(ALONE.map(lost))];
    [
        Statement::new(
            format!(
                "on {name}, the synchronous and semi-synchronous methods run at the pace of the slow \
                 core and lose 10 to 25 % (section 5.3, Table 2; limits ours)"
            ),
            WAITING.map(lost),
            10.0..=25.0,
            listed(&WAITING),
        ),
        Statement::new(
            format!(
                "on {name}, the asynchronous methods without a balancer lose visibly less, by 3 \
                 percentage points at least (section 5.3, Table 2; limit ours)"
            ),
            ALONE.map(lost),
            ..of_waiting - 3.0,
            format!("{}; the least of the waiting ones {of_waiting:+.1} %", listed(&ALONE)),
        ),
        Statement::new(
            format!(
                "on {name}, the balanced methods lose 3 % at most, and less than those without a \
                 balancer (section 5.3, Table 2; limit ours)"
            ),
            BALANCED.map(lost),
            ..=3.0,
            listed(&BALANCED),
        )
        .and(BALANCED.map(lost), ..of_alone),
    ]
}

fn spreads(view: View<'_>) -> [Statement; 2] {
    let name = view.name();
    let both = |method: &str| [false, true].map(|noisy| view.median(method, noisy, spread));
    let listed = |methods: &[&str]| {
        let figures = methods.iter().map(|method| {
            let [quiet, noisy] = both(method);
            format!("{method} {quiet:.0} to {noisy:.0}")
        });
        joined(figures, ", ")
    };
    // By how many updates noise makes the spread more than twice as large.
    let doubled = |method: &str| {
        let [quiet, noisy] = both(method);
        noisy - 2.0 * quiet
    };
    let few = |method: &str| both(method)[1] < 30.0;
    [
        Statement::new(
            format!(
                "on {name}, noise at least doubles the spread of the asynchronous methods without a \
                 balancer (section 5.1)"
            ),
            ALONE.map(doubled),
            0.0..,
            listed(&ALONE),
        ),
        Statement::new(
            format!(
                "on {name}, the spread of the balanced methods stays within twice its quiet value, or \
                 below 30 (section 5.1; limits ours)"
            ),
            BALANCED.map(|method| if few(method) { 0.0 } else { doubled(method) }),
            ..=0.0,
            listed(&BALANCED),
        ),
    ]
}
