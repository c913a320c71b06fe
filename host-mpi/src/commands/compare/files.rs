//! What `--out DIR` leaves.

use tresse::comparison::{Sample, points, times};
use tresse::report::output::{OutputDir, OutputError};
use tresse::report::plots::landscape::Landscape;
use tresse::report::plots::time_box::TimeBox;
use tresse::report::plots::write_pair;
use tresse::report::summary::write_json;
use tresse::report::table::write_records;

use super::Comparison;
use super::table::TableRecord;

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
    out.write("table.csv", |w| write_records(TableRecord::of(&comparison.rows), w))?;
    out.write("summary.json", |w| write_json(comparison, w))?;
    let of = |what| format!("{what}: {}", comparison.config.size());
    let names = || comparison.rows.iter().map(|row| row.method.name.as_str());
    let (points, title) = (points(samples, names()), of("Landscape of methods"));
    write_pair(&Landscape { points: &points, title: &title }, out, "landscape")?;
    let (times, title) = (times(samples, names()), of("Time to solution"));
    write_pair(&TimeBox::of_noise(&times, &title), out, "time")
}
