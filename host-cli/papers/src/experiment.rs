//! The parts of an experiment.

use super::error::ExperimentError;
use super::plan::Plan;
use super::row::Row;
use super::runs::Runs;
use super::statement::Statement;
use tresse_console::plots::Picture;

/// One evaluation of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name of the experiment on the command line.
    pub name: &'static str,
    /// Title in one line.
    pub title: &'static str,
    /// Paper, section, figure or table.
    pub source: &'static str,
    /// Default number of runs of each setting.
    pub replicates: u32,
    /// Function that returns the plan of the runs.
    pub plan: fn() -> Result<Plan, ExperimentError>,
    /// Function that returns our figures beside the published ones.
    pub rows: fn(&Runs) -> Vec<Row>,
    /// Function that returns the paper's statements, judged.
    pub statements: fn(&Runs) -> Vec<Statement>,
    /// Function that returns the pictures, with the names of their files.
    pub pictures: fn(&Runs) -> Vec<(String, Picture)>,
}
