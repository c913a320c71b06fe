//! What `--out DIR` leaves.

use super::Comparison;
use super::sample::Sample;
use super::table::{TableRecord, converged};
use crate::methods::METHODS;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::landscape::{Landscape, LandscapePoint, Samples};
use crate::report::plots::time_box::{TimeBox, Times};
use crate::report::plots::write_pair;
use crate::report::summary::write_json;
use crate::report::table::write_records;

/// The files, as a person is told of them.
pub(super) const NAMES: &str =
    "summary.json, samples.csv, table.csv, landscape.{svg,png}, time.{svg,png}";

/// Writes every file, each whole or not at all.
pub(super) fn store(
    out: &OutputDir,
    comparison: &Comparison<'_>,
    samples: &[Sample],
) -> Result<(), OutputError> {
    out.write("samples.csv", |w| write_records(samples, w))?;
    out.write("table.csv", |w| write_records(comparison.rows.iter().map(TableRecord::from), w))?;
    out.write("summary.json", |w| write_json(comparison, w))?;
    let of = |what| {
        let grid = comparison.config.grid;
        format!("{what}: {grid} cells, {} workers", comparison.config.workers)
    };
    let (points, title) = (points(samples), of("Landscape of methods"));
    write_pair(&Landscape { points: &points, title: &title }, out, "landscape")?;
    let (times, title) = (times(samples), of("Time to solution"));
    write_pair(&TimeBox { times: &times, title: &title }, out, "time")
}

fn points(samples: &[Sample]) -> Vec<LandscapePoint> {
    let point = |method| {
        let setting = |noisy| {
            let good = converged(samples, method, noisy);
            Samples {
                iteration_rate: good.clone().filter_map(|sample| sample.iteration_rate).collect(),
                spread: good.map(|sample| sample.spread_end as f64).collect(),
            }
        };
        LandscapePoint {
            method: method.name.to_owned(),
            quiet: setting(false),
            noisy: setting(true),
        }
    };
    METHODS.iter().map(point).collect()
}

fn times(samples: &[Sample]) -> Vec<Times> {
    let times = |method| {
        let seconds = |noisy| converged(samples, method, noisy).map(|s| s.seconds).collect();
        Times { method: method.name.to_owned(), quiet: seconds(false), noisy: seconds(true) }
    };
    METHODS.iter().map(times).collect()
}
