//! The pictures: the imbalance over the iterations.

use super::case::Case;
use super::rows;
use super::runs::Runs;
use super::setting::{CENTRAL, DISTRIBUTED, Setting, Way};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::lines::{Curve, Point, bands};
use crate::report::plots::{Titles, write_pair};

/// A picture of each case.
pub(super) fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    let stems = [
        (Case::TenThousand, "imbalance-10000"),
        (Case::MoreObjects, "imbalance-32768"),
        (Case::Twin, "imbalance-eight-twin"),
        (Case::Recorded, "imbalance-eight-recorded"),
    ];
    let has = |case| runs.settings.iter().any(|setting| setting.case == case);
    stems.into_iter().filter(|(case, _)| has(*case)).try_for_each(|(case, stem)| {
        let lines: Vec<Curve> =
            DISTRIBUTED.into_iter().filter_map(|way| line(runs, case, way)).collect();
        let levels: Vec<(String, f64)> =
            CENTRAL.into_iter().filter_map(|way| level(runs, case, way)).collect();
        let title = format!("Grapevine: {}", case.full_name());
        let (x, y) = ("iteration", "imbalance (max/mean − 1)");
        write_pair(&bands(&lines, &levels, Titles { title: &title, x, y }), out, stem)
    })
}

fn line(runs: &Runs, case: Case, way: Way) -> Option<Curve> {
    let setting = Setting { case, way };
    let iterations = runs.iterations(setting);
    let rows = rows::of(runs, setting);
    let imbalances = || (0..=iterations).zip(&rows);
    let points: Vec<Point> = imbalances()
        .filter_map(|(number, row)| {
            let (low, middle, high) = (row.low?, row.ours?, row.high?);
            Some(Point { x: number as f64, low, middle, high })
        })
        .collect();
    let published = imbalances().filter_map(|(number, row)| Some((number as f64, row.published?)));
    let name = way.name().to_owned();
    (!points.is_empty()).then(|| Curve { name, published: published.collect(), points })
}

/// The median of a central reference.
fn level(runs: &Runs, case: Case, way: Way) -> Option<(String, f64)> {
    let rows = rows::of(runs, Setting { case, way });
    Some((way.name().to_owned(), rows.first()?.ours?))
}
