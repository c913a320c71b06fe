//! What an experiment is made of, and the list of all.

use tresse_core::machine::Hardware;
use tresse_core::run::RunConfig;

use super::outcome::Outcome;
use super::plb;
use super::runs::Runs;
use crate::problem::Problem;
use crate::report::output::{OutputDir, OutputError};

/// One evaluation of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// As it is called on the command line.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: &'static str,
    /// Paper, section, figure or table.
    pub source: &'static str,
    /// Runs of each setting where nothing else is asked for.
    pub replicates: u32,
    /// Which runs it needs.
    pub plan: fn() -> Plan,
    /// What they show.
    pub evaluate: fn(&Runs) -> Outcome,
    /// Leaves its pictures.
    pub draw: fn(&Runs, &OutputDir) -> Result<(), OutputError>,
}

/// The runs of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Each is run once for every replicate.
    pub settings: Vec<Setting>,
}

/// One way to run, on one machine.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What distinguishes it from the others.
    pub label: String,
    /// The method; the seed is the replicate's.
    pub config: RunConfig,
    /// The machine.
    pub hardware: Hardware,
    /// The equations; none where only progress counts.
    pub problem: Option<Problem>,
    /// Noise that is drawn anew for each replicate, in place of the configuration's.
    pub noise: Option<fn(u64, &Setting) -> Vec<tresse_core::noise::Noise>>,
    /// Whether the update counts over time are kept.
    pub keeps_history: bool,
}

/// All experiments, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    plb::LANDSCAPE,
    plb::TIME_TO_SOLUTION,
    plb::TABLE_2,
    plb::BRAID,
    plb::HISTORY,
    plb::PARAMETERS,
];
