//! The result of a run, and its figures.

use super::balancing::Balanced;
use super::pooling::PoolFigures;
use super::replicate::Replicate;
use super::simulation::Solved;
use tresse_draw::history::History;

/// One run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Label of the setting.
    pub setting: String,
    /// Replicate of the setting.
    pub replicate: Replicate,
    /// Whether the run ended as it should; only then do its figures count.
    pub ended: bool,
    /// Result of the solver, if it ran.
    pub solved: Solved,
    /// Update counts of the solver over time, if they were kept.
    pub history: History,
    /// Result of a balancer of loads, if one ran.
    pub balanced: Balanced,
    /// Result of a pool of tasks, if one ran.
    pub pool: PoolFigures,
}

/// A function that returns a figure of a run; NaN where the run has none.
pub type Figure = fn(&Run) -> f64;

/// Returns the time to solution in seconds.
pub fn seconds(run: &Run) -> f64 {
    run.solved.seconds
}

/// Returns the iterations per second.
pub fn rate(run: &Run) -> f64 {
    run.solved.iteration_rate
}

/// Returns the spread at the end (Zarins & Weiland 2017, section 3.1).
pub fn spread(run: &Run) -> f64 {
    run.solved.spread_end as f64
}

/// Returns the spread that 99 % of the samples do not exceed.
pub fn spread_p99(run: &Run) -> f64 {
    run.solved.spread_p99.map_or(f64::NAN, |spread| spread as f64)
}

/// Returns the largest version gap of a halo (Zarins & Weiland 2020, section 5).
pub fn staleness(run: &Run) -> f64 {
    run.solved.staleness_max as f64
}
