//! Reports of a run: one file for each format.
//!
//! Every file goes through an [`OutputDir`](output::OutputDir), so that nothing half-written ever
//! has a final name. The writers themselves take any [`std::io::Write`] and are deterministic.

pub mod field;
pub mod history;
mod method;
pub mod outlook;
mod run_report;
#[cfg(test)]
mod tests;

pub use method::MethodReport;
pub use tresse_console::files::output;
pub use tresse_console::{lines, plots, summary, table};
pub use tresse_draw::statistics;

use crate::solvers::Solver;

/// The report of a run, in which the solver stands in place of the mode.
pub type RunReport<'a> = tresse_core::run::RunReport<'a, Option<Solver>>;
