//! The report of a comparison: for a person, as one object, and as files.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::run::MachineReport;
use tresse_core::run::noise::Noise;

use super::plots::{points, times};
use super::sample::ComparisonSample;
use super::setting::{write_doubts, write_noise};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::{Kinds, boxes, landscape, write_pair};
use crate::report::summary::write_json;
use crate::report::table::write_records;
use tresse_console::exit::Exit;

/// The tables of the compared methods.
pub trait Tables: Serialize {
    /// Returns the methods' names, in the order of the pictures.
    fn methods(&self) -> impl Iterator<Item = &str>;

    /// Writes the tables for a person, and below them their captions.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the source of the published figures in them, if there are any.
    fn write_source(&self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Returns the rows of `table.csv`.
    fn records(&self) -> impl Iterator<Item = impl Serialize>;
}

/// A comparison, as `--json` prints it and `summary.json` has it.
#[derive(Debug, Serialize)]
pub struct ComparisonReport<'a, C, T> {
    /// Settings that all runs have in common.
    pub config: &'a C,
    /// Machine of all ranks, with the processor of the first one.
    pub machine: MachineReport<'a>,
    /// MPI library; `None` where there are no ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<&'a str>,
    /// Whether runs are missing because a person interrupted the comparison.
    pub interrupted: bool,
    /// Number of runs that were made.
    pub runs: usize,
    /// Number of runs that others disturbed, which were discarded and made again.
    pub repeated: usize,
    /// Time that even perfect balance would lose with this noise, in percent.
    pub least_increase_percent: Option<f64>,
    /// Tables of the methods.
    #[serde(flatten)]
    pub tables: T,
    /// The samples of all runs.
    #[serde(skip)]
    pub samples: &'a [ComparisonSample],
    /// Problem and size of the runs, for titles.
    #[serde(skip)]
    pub size: String,
    /// Parasites of the noisy runs.
    #[serde(skip)]
    pub noise: &'a [Noise],
    /// The parasite of the runs that are noisy elsewhere.
    #[serde(skip)]
    pub elsewhere: Option<&'a Noise>,
}

/// Names of the files of `--out DIR`.
pub const FILES: [&str; 7] = [
    "summary.json",
    "samples.csv",
    "table.csv",
    "landscape.svg",
    "landscape.png",
    "time.svg",
    "time.png",
];

/// Names of the files as they are shown to a person.
pub const FILES_SHOWN: &str =
    "summary.json, samples.csv, table.csv, landscape.{svg,png}, time.{svg,png}";

impl<C: Serialize, T: Tables> ComparisonReport<'_, C, T> {
    /// Writes the report for a person.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.write(out)?;
        write_noise(self.samples, self.noise, self.elsewhere, out)?;
        write_doubts(self.samples, self.repeated, out)?;
        self.tables.write_source(out)?;
        if self.interrupted {
            writeln!(out, "interrupted: {} runs were finished before", self.runs)?;
        }
        Ok(())
    }

    /// Writes every file, each whole or not at all.
    pub fn store(&self, out: &OutputDir) -> Result<(), OutputError> {
        let Self { samples, tables, size, .. } = self;
        out.write("samples.csv", |w| write_records(*samples, w))?;
        out.write("table.csv", |w| write_records(tables.records(), w))?;
        out.write("summary.json", |w| write_json(self, w))?;
        let points = points(samples, tables.methods());
        let title = format!("Landscape of methods: {size}");
        write_pair(&landscape(&points, &title), out, "landscape")?;
        let times = times(samples, tables.methods());
        let title = format!("Time to solution: {size}");
        write_pair(&boxes(&times, Kinds::OF_NOISE, &title), out, "time")
    }

    /// Returns the exit status of a program that made these runs.
    pub fn exit(&self) -> Exit {
        match self.samples.iter().all(|sample| sample.converged) {
            _ if self.interrupted => Exit::Interrupted,
            true => Exit::Done,
            false => Exit::NotReached,
        }
    }
}
