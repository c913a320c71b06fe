//! Writes the files of `--out DIR`.

use serde::Serialize;
use tresse_core::field::problem::Problem;

use crate::report::RunReport;
use crate::report::field::{About, FieldView, heat_map, npy, vti};
use crate::report::history::{write_braid_csv, write_csv};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::{braid, write_pair};
use crate::report::summary::write_json;
use crate::solver::Field;
use crate::solvers::Method;
use crate::threads::RunRecord;

/// Names of the files.
pub const NAMES: [&str; 8] = [
    "summary.json",
    "history.csv",
    "braid.csv",
    "braid.svg",
    "braid.png",
    "field.npy",
    "field.vti",
    "field.png",
];

/// Names of the files that show the field.
pub const FIELD: [&str; 3] = ["field.npy", "field.vti", "field.png"];

/// Returns the names of the files of a method as they are shown to a person.
pub const fn shown(method: Method) -> &'static str {
    match method {
        Method::Jacobi => "summary.json, history.csv, braid.{csv,svg,png}, field.{npy,vti,png}",
        Method::Multigrid(_) => "summary.json, history.csv, field.{npy,vti,png}",
    }
}

/// Writes every file but those of the field, each whole or not at all; `json` contains the report.
///
/// By multigrid all subdomains have the same count, so that there is no braid.
pub fn store(
    out: &OutputDir,
    method: Method,
    record: &RunRecord,
    report: &RunReport<'_>,
    json: &impl Serialize,
) -> Result<(), OutputError> {
    let history = &record.history;
    out.write("summary.json", |w| write_json(json, w))?;
    out.write("history.csv", |w| write_csv(history, w))?;
    let Some(mode) = report.mode.filter(|_| method == Method::Jacobi) else { return Ok(()) };
    let title = format!(
        "{mode} + {}, {} workers, {} subdomains",
        report.balance, report.workers, report.subdomains
    );
    out.write("braid.csv", |w| write_braid_csv(history, w))?;
    write_pair(&braid(history, &title), out, "braid")
}

/// Writes the files that show the field. Cells that are left out have no number in them (NaN).
pub fn store_field(
    out: &OutputDir,
    field: &Field,
    about: &About,
    problem: &Problem,
) -> Result<(), OutputError> {
    let field = field.without_holes(problem);
    let Some(field) = FieldView::of(&field) else { return Ok(()) };
    out.write("field.npy", |w| npy::write(field, w))?;
    out.write("field.vti", |w| vti::write(field, about, w))?;
    let title = format!("{}, {} cells", about.name, problem.grid);
    out.write("field.png", |w| heat_map::write(field, &title, w))
}
