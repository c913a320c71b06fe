//! What `--out DIR` of a comparison leaves.

use serde::Serialize;

use super::plots::{points, times};
use super::sample::Sample;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::{Kinds, boxes, landscape, write_pair};
use crate::report::summary::write_json;
use crate::report::table::write_records;

/// A comparison as its files show it.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// Of all runs.
    pub samples: &'a [Sample],
    /// Names of the methods, in the order of the pictures.
    pub methods: Vec<&'a str>,
    /// What the runs are of, for titles.
    pub size: String,
}

impl Shown<'_> {
    /// The files.
    pub const NAMES: [&'static str; 7] = [
        "summary.json",
        "samples.csv",
        "table.csv",
        "landscape.svg",
        "landscape.png",
        "time.svg",
        "time.png",
    ];

    /// The files, as a person is told of them.
    pub const SHOWN: &'static str =
        "summary.json, samples.csv, table.csv, landscape.{svg,png}, time.{svg,png}";

    /// Writes every file, each whole or not at all; `summary` is one object, `table` rows of records.
    pub fn store(
        &self,
        out: &OutputDir,
        summary: &impl Serialize,
        table: impl IntoIterator<Item = impl Serialize>,
    ) -> Result<(), OutputError> {
        let Self { samples, methods, size } = self;
        out.write("samples.csv", |w| write_records(*samples, w))?;
        out.write("table.csv", |w| write_records(table, w))?;
        out.write("summary.json", |w| write_json(summary, w))?;
        let names = || methods.iter().copied();
        let (points, title) = (points(samples, names()), format!("Landscape of methods: {size}"));
        write_pair(&landscape(&points, &title), out, "landscape")?;
        let (times, title) = (times(samples, names()), format!("Time to solution: {size}"));
        write_pair(&boxes(&times, Kinds::OF_NOISE, &title), out, "time")
    }
}
