//! The papers' evaluations: our figures beside the published ones.
//!
//! An [`Experiment`] says what is run, and what its runs show: tables, [`Statement`]s and pictures.
//! All runs are made on all cores, each with a seed of its own: those of the solver and of pools of
//! tasks in virtual time, those of the balancers of loads as they are. Whatever it is of, a run is
//! one [`Run`], and whatever is shown is computed from the [`Runs`]. The command is in
//! [`commands`].

mod balancing;
pub mod commands;
mod dplb;
mod error;
mod experiment;
mod grapevine;
mod plan;
mod plb;
mod pooling;
pub(crate) mod published;
mod replicate;
mod row;
mod run;
mod runs;
pub(crate) mod samples;
mod simulation;
mod speculation;
mod statement;
#[cfg(test)]
mod tests;

pub use balancing::{Balanced, Balancing, Objects, Step};
pub use error::ExperimentError;
pub use experiment::Experiment;
pub use plan::{Job, Plan, Setting};
pub use pooling::{PoolFigures, Pooled, Pooling, Workload};
pub use replicate::Replicate;
pub use row::Row;
pub use run::Run;
pub use runs::{Runs, Watch};
pub use simulation::{DrawNoise, Simulation, Solved};
pub use statement::Statement;

use plan::unique;
use run::{Figure, rate, seconds, spread, spread_p99, staleness};
use simulation::shipped;
use statement::{above, joined, listed, says};

/// All experiments, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    plb::LANDSCAPE,
    plb::TIME_TO_SOLUTION,
    plb::TABLE_2,
    plb::AMPLITUDES,
    plb::BRAID,
    plb::HISTORY,
    plb::PARAMETERS,
    plb::PULL,
    plb::AUTO,
    dplb::SOCKETS,
    dplb::NODES,
    dplb::TABLE_2,
    dplb::HUNDRED,
    grapevine::TABLES,
    grapevine::PARAMETERS,
    speculation::TUNING,
    speculation::OPTIMUM,
    speculation::SCALING,
    speculation::STEALING,
];
