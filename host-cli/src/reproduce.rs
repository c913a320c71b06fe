//! The papers' evaluations in virtual time: our figures beside the published ones.
//!
//! Each [`Experiment`] says which runs it needs, what they are to show, and draws them. The runs
//! themselves are made on all cores ([`runs`]), each with a seed of its own.

mod experiment;
mod machines;
pub mod outcome;
mod plb;
pub(crate) mod published;
pub mod runs;

pub use experiment::{EXPERIMENTS, Experiment, Plan, Setting};
