//! What `--out DIR` leaves.

use super::Comparison;
use super::table::TableRecord;
use crate::comparison::{Sample, points, times};
use crate::methods::METHODS;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::landscape::Landscape;
use crate::report::plots::time_box::TimeBox;
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
    let names = || METHODS.iter().map(|method| method.name);
    let (points, title) = (points(samples, names()), of("Landscape of methods"));
    write_pair(&Landscape { points: &points, title: &title }, out, "landscape")?;
    let (times, title) = (times(samples, names()), of("Time to solution"));
    write_pair(&TimeBox::of_noise(&times, &title), out, "time")
}
