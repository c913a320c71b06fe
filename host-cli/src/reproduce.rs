//! The papers' evaluations: our figures beside the published ones.
//!
//! Each [`Experiment`] says which runs it needs, what they are to show, and draws them. The runs
//! themselves are made on all cores, each with a seed of its own: those of the solver in virtual
//! time ([`runs`]), those of the balancers of loads as they are.

mod dplb;
mod experiment;
mod grapevine;
mod machines;
pub mod outcome;
mod plb;
pub(crate) mod published;
pub mod runs;

pub use experiment::{
    EXPERIMENTS, Evaluation, EvaluationError, Experiment, Made, Plan, Planned, Replicate, Setting,
    Watch,
};
