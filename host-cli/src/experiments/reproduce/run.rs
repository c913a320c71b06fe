//! What a run came to, and its figures.

use super::balancing::Balanced;
use super::pooling::PoolFigures;
use super::replicate::Replicate;
use super::simulation::Solved;
use crate::report::history::History;

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The setting's label.
    pub setting: String,
    /// Which of the setting's runs.
    pub replicate: Replicate,
    /// Whether it ended as it should; only then do its figures count.
    pub ended: bool,
    /// What the solver came to, if it ran.
    pub solved: Solved,
    /// The solver's update counts over time, if they were to be kept.
    pub history: History,
    /// What a balancer of loads came to, if one ran.
    pub balanced: Balanced,
    /// What a pool of tasks came to, if there was one.
    pub pool: PoolFigures,
}

/// A figure of a run; not a number where the run has none.
pub type Figure = fn(&Run) -> f64;

/// Time to solution.
pub fn seconds(run: &Run) -> f64 {
    run.solved.seconds
}

/// Iterations per second.
pub fn rate(run: &Run) -> f64 {
    run.solved.iteration_rate
}

/// Returns the spread at the end (Zarins & Weiland 2017, section 3.1).
pub fn spread(run: &Run) -> f64 {
    run.solved.spread_end as f64
}

/// Returns the largest version gap of a halo (Zarins & Weiland 2020, section 5).
pub fn staleness(run: &Run) -> f64 {
    run.solved.staleness_max as f64
}
