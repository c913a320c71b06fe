//! What a comparison came to: for a person, as one object, and as files.

use std::io::{self, Write};

use serde::Serialize;
use tresse_core::noise::Noise;
use tresse_core::run::MachineReport;

use super::plots::{points, times};
use super::sample::ComparisonSample;
use super::setting::write_noise;
use crate::exit::Exit;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::{Kinds, boxes, landscape, write_pair};
use crate::report::summary::write_json;
use crate::report::table::write_records;

/// What is shown of the methods that are compared.
pub trait Tables: Serialize {
    /// Returns the methods' names, in the order of the pictures.
    fn methods(&self) -> impl Iterator<Item = &str>;

    /// Writes the tables for a person, and below them what they are of.
    fn write(&self, out: &mut dyn Write) -> io::Result<()>;

    /// Writes where the published figures in them are from, if there are any.
    fn write_source(&self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Returns the rows of `table.csv`.
    fn records(&self) -> impl Iterator<Item = impl Serialize>;
}

/// A comparison, as `--json` prints it and `summary.json` has it.
#[derive(Debug, Serialize)]
pub struct ComparisonReport<'a, C, T> {
    /// What all runs have in common.
    pub config: &'a C,
    /// That of all ranks; the processor is the first one's.
    pub machine: MachineReport<'a>,
    /// The MPI library; none where there are no ranks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mpi: Option<&'a str>,
    /// The version of this program.
    pub version: &'static str,
    /// Whether runs are missing because a person ended it.
    pub interrupted: bool,
    /// How many were made.
    pub runs: usize,
    /// What even perfect balance would cost with this noise, in percent of time.
    pub least_increase_percent: Option<f64>,
    /// What is shown of the methods.
    #[serde(flatten)]
    pub tables: T,
    /// The samples of all runs.
    #[serde(skip)]
    pub samples: &'a [ComparisonSample],
    /// What they are of, for titles.
    #[serde(skip)]
    pub size: String,
    /// The parasites of the noisy ones.
    #[serde(skip)]
    pub noise: &'a [Noise],
}

/// What `--out DIR` leaves.
pub const FILES: [&str; 7] = [
    "summary.json",
    "samples.csv",
    "table.csv",
    "landscape.svg",
    "landscape.png",
    "time.svg",
    "time.png",
];

/// The same, as a person is told of them.
pub const FILES_SHOWN: &str =
    "summary.json, samples.csv, table.csv, landscape.{svg,png}, time.{svg,png}";

impl<C: Serialize, T: Tables> ComparisonReport<'_, C, T> {
    /// Writes it for a person.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tables.write(out)?;
        write_noise(self.samples, self.noise, out)?;
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

    /// How a program that made these runs ends.
    pub fn exit(&self) -> Exit {
        match self.samples.iter().all(|sample| sample.converged) {
            _ if self.interrupted => Exit::Interrupted,
            true => Exit::Done,
            false => Exit::NotReached,
        }
    }
}
