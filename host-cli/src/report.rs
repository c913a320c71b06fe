//! Reports of a run: one file for each format.
//!
//! Every file goes through an [`OutputDir`](output::OutputDir), so that nothing half-written ever has a final
//! name. The writers themselves take any [`std::io::Write`] and are deterministic.

pub mod field;
pub mod history;
pub mod lines;
pub mod load_statistics;
mod method;
pub mod outlook;
pub mod plots;
mod run_report;
pub mod summary;
pub mod table;

pub use crate::files::output;
pub use method::MethodReport;
pub use tresse_draw::statistics;

use crate::engine::solvers::Solver;

/// The report of a run, in which the solver stands in place of the mode.
pub type RunReport<'a> = tresse_core::run::RunReport<'a, Option<Solver>>;
