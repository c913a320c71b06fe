//! The tables: every figure of every iteration, beside the slides'; and pictures of the imbalance.

use super::case::Case;
use super::published::{EIGHT_INITIAL, EIGHT_MEAN, Iteration, Loads};
use super::way::{CENTRAL, DISTRIBUTED, Way};
use crate::{Balanced, Row, Runs, Step};
use tresse_console::plots::{Curve, Picture, Point, Titles, bands};
use tresse_traces::load_statistics::LoadStatistics;

/// Returns the cases and ways that were run.
pub(super) fn shown(runs: &Runs) -> Vec<(Case, Way)> {
    let all = Case::ALL.into_iter().flat_map(|case| Way::all(case).map(move |way| (case, way)));
    all.filter(|(case, way)| runs.of(&way.label(*case)).next().is_some()).collect()
}

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

/// A statistic of the processors' loads at the end: its name, and the functions that return ours
/// and the slide's.
type OfLoads = (&'static str, fn(&LoadStatistics) -> f64, fn(&Loads) -> f64);
const LOADS: [OfLoads; 3] = [
    ("least load at the end", |ours| ours.min, |published| published.min),
    ("greatest load at the end", |ours| ours.max, |published| published.max),
    ("deviation of the loads at the end", |ours| ours.deviation, |published| published.deviation),
];

const IMBALANCE: &str = "max/mean - 1";

/// Returns the imbalance over the iterations, the counts that led to it, and, for the slides'
/// application, the loads at the end.
pub(super) fn rows(runs: &Runs, case: Case, way: Way) -> Vec<Row> {
    let label = way.label(case);
    let balanced = || runs.of(&label).map(|run| &run.balanced);
    let row = |name: String, unit, published: Option<f64>, samples: Vec<f64>| {
        Row::of(name, unit, published, &samples).to_extremes(&samples).in_table(&label)
    };
    if CENTRAL.contains(&way) {
        let ends = balanced().map(Balanced::end).collect();
        return vec![row("imbalance".to_owned(), IMBALANCE, None, ends)];
    }
    let iterations = balanced().map(Balanced::iterations).max().unwrap_or(0);
    let mut rows: Vec<Row> = (0..=iterations)
        .map(|number| {
            let found = balanced().map(|run| run.step(number).imbalance).collect();
            let published = published_imbalance(case, way, number, iterations);
            row(format!("imbalance, iteration {number}"), IMBALANCE, published, found)
        })
        .collect();
    let published = way.published(case);
    for Column { name, unit, ours, published: figure } in COLUMNS {
        rows.extend((1..=iterations).map(|number| {
            let found = balanced().filter_map(|run| ours(&run.step(number))).collect();
            let printed = published.as_ref().and_then(|table| table.iterations.get(number - 1));
            row(format!("{name}, iteration {number}"), unit, printed.map(figure), found)
        }));
    }
    if case.is_eight() {
        let printed = way.published_loads(case);
        rows.extend(LOADS.map(|(name, ours, published)| {
            let found = balanced().filter_map(|run| run.loads.as_ref().map(ours)).collect();
            row(name.to_owned(), "s", printed.as_ref().map(published), found)
        }));
    }
    rows
}

/// Returns the imbalance of the slides; for the application that of the start, and that which
/// follows from the greatest load at the end.
fn published_imbalance(case: Case, way: Way, iteration: usize, iterations: usize) -> Option<f64> {
    if let Some(table) = way.published(case) {
        return match iteration.checked_sub(1) {
            None => Some(table.initial),
            Some(place) => table.iterations.get(place).map(|iteration| iteration.3),
        };
    }
    let loads = way.published_loads(case)?;
    match iteration {
        0 => Some(EIGHT_INITIAL),
        last if last == iterations => Some(loads.max / EIGHT_MEAN - 1.0),
        _ => None,
    }
}

/// Returns the imbalance over the iterations, if the case was run.
pub(super) fn picture(runs: &Runs, case: Case) -> Option<(String, Picture)> {
    let curves: Vec<Curve> =
        DISTRIBUTED.into_iter().filter_map(|way| curve(runs, case, way)).collect();
    let level = |way: Way| Some((way.name().to_owned(), rows(runs, case, way).first()?.ours?));
    let levels: Vec<(String, f64)> = CENTRAL.into_iter().filter_map(level).collect();
    let stem = match case {
        Case::TenThousand => "imbalance-10000",
        Case::MoreObjects => "imbalance-32768",
        Case::Twin => "imbalance-eight-twin",
        Case::Recorded => "imbalance-eight-recorded",
    };
    let title = format!("Grapevine: {}", case.full_name());
    let titles = Titles { title: &title, x: "iteration", y: "imbalance (max/mean − 1)" };
    (!curves.is_empty()).then(|| (stem.to_owned(), bands(&curves, &levels, titles)))
}

/// Returns the imbalance of a way over the iterations; `None` where it has no runs.
fn curve(runs: &Runs, case: Case, way: Way) -> Option<Curve> {
    let rows = rows(runs, case, way);
    let imbalances = rows.iter().filter(|row| row.unit == IMBALANCE);
    let placed: Vec<(f64, &Row)> = (0_u32..).map(f64::from).zip(imbalances).collect();
    let point = |&(x, row): &(f64, &Row)| {
        Some(Point { x, low: row.low?, middle: row.ours?, high: row.high? })
    };
    let points: Vec<Point> = placed.iter().filter_map(point).collect();
    let published = placed.iter().filter_map(|(x, row)| Some((*x, row.published?))).collect();
    (!points.is_empty()).then(|| Curve { name: way.name().to_owned(), points, published })
}
