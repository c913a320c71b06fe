//! The tables: every figure of every iteration, beside the slides'.

use super::runs::{Run, Runs, Step};
use super::setting::Setting;
use crate::report::load_statistics::LoadStatistics;
use crate::reproduce::outcome::Row;
use crate::reproduce::published::grapevine::{EIGHT_INITIAL, EIGHT_MEAN, Iteration, Loads};

/// A column of the slides' tables.
struct Column {
    name: &'static str,
    unit: &'static str,
    ours: fn(&Step) -> Option<f64>,
    published: fn(&Iteration) -> f64,
}

const COLUMNS: [Column; 3] = [
    Column {
        name: "transfers",
        unit: "objects",
        ours: |step| Some(step.tally.transfers as f64),
        published: |iteration| f64::from(iteration.0),
    },
    Column {
        name: "rejected",
        unit: "proposals",
        ours: |step| Some(step.rejected() as f64),
        published: |iteration| f64::from(iteration.1),
    },
    Column {
        name: "rejection rate",
        unit: "%",
        ours: Step::rejection_rate,
        published: |iteration| iteration.2,
    },
];

/// The tables of all settings.
pub(super) fn all(runs: &Runs) -> Vec<Row> {
    runs.settings.iter().flat_map(|&setting| of(runs, setting)).collect()
}

/// The rows of a setting: the imbalance over the iterations, what led to it, and of the slides'
/// application the loads at the end.
pub(super) fn of(runs: &Runs, setting: Setting) -> Vec<Row> {
    let table = setting.label();
    let samples = |figure: &dyn Fn(&Run) -> Option<f64>| {
        runs.of(setting.case, setting.way).filter_map(figure).collect::<Vec<f64>>()
    };
    if !setting.way.is_distributed() {
        let ends = samples(&|run| Some(run.end()));
        return vec![Row::within(&table, "imbalance", IMBALANCE, None, &ends)];
    }
    let iterations = runs.iterations(setting);
    let mut rows: Vec<Row> = (0..=iterations)
        .map(|number| {
            let found = samples(&|run| Some(run.step(number).imbalance));
            let published = imbalance(setting, number, iterations);
            let name = format!("imbalance, iteration {number}");
            Row::within(&table, &name, IMBALANCE, published, &found)
        })
        .collect();
    let published = setting.published();
    for Column { name, unit, ours, published: figure } in COLUMNS {
        rows.extend((1..=iterations).map(|number| {
            let found = samples(&|run| ours(&run.step(number)));
            let printed = published.as_ref().and_then(|table| table.iterations.get(number - 1));
            let name = format!("{name}, iteration {number}");
            Row::within(&table, &name, unit, printed.map(figure), &found)
        }));
    }
    if setting.case.is_eight() {
        let printed = setting.published_loads();
        rows.extend(LOADS.map(|(name, ours, published)| {
            let found = samples(&|run| run.loads.as_ref().map(ours));
            Row::within(&table, name, "s", printed.as_ref().map(published), &found)
        }));
    }
    rows
}

const IMBALANCE: &str = "max/mean - 1";

/// The loads of the processors at the end, ours and as the slide has them.
type OfLoads = (&'static str, fn(&LoadStatistics) -> f64, fn(&Loads) -> f64);
const LOADS: [OfLoads; 3] = [
    ("least load at the end", |ours| ours.min, |published| published.min),
    ("greatest load at the end", |ours| ours.max, |published| published.max),
    ("deviation of the loads at the end", |ours| ours.deviation, |published| published.deviation),
];

/// As the slides have it; of the application that of the start, and what comes of the greatest
/// load at the end.
fn imbalance(setting: Setting, iteration: usize, iterations: usize) -> Option<f64> {
    if let Some(table) = setting.published() {
        return match iteration.checked_sub(1) {
            None => Some(table.initial),
            Some(place) => table.iterations.get(place).map(|iteration| iteration.3),
        };
    }
    let loads = setting.published_loads()?;
    match iteration {
        0 => Some(EIGHT_INITIAL),
        last if last == iterations => Some(loads.max / EIGHT_MEAN - 1.0),
        _ => None,
    }
}
