//! What `--out DIR` leaves.

use tresse_core::run::{GridSize, Report};

use crate::report::field::{heat_map, npy, vti};
use crate::report::history::{write_braid_csv, write_csv};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::braid::Braid;
use crate::report::plots::write_pair;
use crate::report::summary::write_json;
use crate::solver::{Field, Finished};

/// The files, as a person is told of them.
pub(super) const NAMES: &str =
    "summary.json, history.csv, braid.{csv,svg,png}, field.{npy,vti,png}";

/// Writes every file, each whole or not at all.
pub(super) fn store(
    out: &OutputDir,
    finished: &Finished,
    report: &Report<'_>,
) -> Result<(), OutputError> {
    let history = &finished.record.history;
    let title = format!(
        "{} + {}, {} workers, {} subdomains",
        report.mode, report.balance, report.workers, report.subdomains
    );
    out.write("summary.json", |w| write_json(report, w))?;
    out.write("history.csv", |w| write_csv(history, w))?;
    out.write("braid.csv", |w| write_braid_csv(history, w))?;
    store_field(out, &finished.field, report.grid)?;
    write_pair(&Braid { history, title: &title }, out, "braid")
}

/// Writes the files that show the field.
pub(in crate::commands) fn store_field(
    out: &OutputDir,
    field: &Field,
    grid: GridSize,
) -> Result<(), OutputError> {
    let Some(field) = field.view() else { return Ok(()) };
    out.write("field.npy", |w| npy::write(field, w))?;
    out.write("field.vti", |w| vti::write(field, w))?;
    let title = format!("Temperature, {grid} cells");
    out.write("field.png", |w| heat_map::write(field, &title, w))
}
