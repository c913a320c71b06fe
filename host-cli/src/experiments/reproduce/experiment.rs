//! What an experiment is made of.

use super::error::ExperimentError;
use super::plan::Plan;
use super::row::Row;
use super::runs::Runs;
use super::statement::Statement;
use crate::report::plots::Picture;

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
    /// What is run.
    pub plan: fn() -> Result<Plan, ExperimentError>,
    /// Our figures beside the published ones.
    pub rows: fn(&Runs) -> Vec<Row>,
    /// What the paper says, judged.
    pub statements: fn(&Runs) -> Vec<Statement>,
    /// Pictures, and what their files are called.
    pub pictures: fn(&Runs) -> Vec<(String, Picture)>,
}
