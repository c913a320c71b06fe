//! Tresse on pinned threads: everything around [`tresse_core`] that waits, measures, allocates or
//! talks to a person.
//!
//! # Example
//!
//! The paper's problem on two workers, each on a core of its own, to 1 % of the initial residual:
//!
//! ```
//! use tresse::problem::Problem;
//! use tresse::solver;
//! use tresse_core::run::{GridSize, RunConfig, Stop};
//!
//! let config = RunConfig {
//!     workers: 2,
//!     grid: GridSize { rows: 60, columns: 60 },
//!     stop: Stop { tolerance: Some(1e-2), iterations: None },
//!     ..RunConfig::default()
//! };
//! let finished = solver::solve(&config, &Problem::paper(config.grid))?;
//! println!("{} after {} updates", finished.record.end, finished.record.progress.updates);
//! # Ok::<(), tresse::threads::EngineError>(())
//! ```
//!
//! [`solver::run`] takes workers that are placed otherwise ([`machine::Placement`]), a flag that ends
//! the run early, and somebody who watches it.

pub mod args;
pub mod balancing;
pub mod bench;
pub mod calibrate;
pub mod cells;
pub mod checkpoint;
pub mod commands;
pub mod comparison;
mod config_form;
pub mod document;
pub mod exit;
pub mod hardware;
pub mod kernel;
pub mod machine;
mod methods;
pub mod noise;
mod npy;
pub mod problem;
pub mod recording;
pub mod report;
pub mod reproduce;
pub mod simulation;
pub mod solution;
pub mod solver;
pub mod stored_cell;
pub mod terminal;
pub mod threads;
pub mod traces;

/// What README shows of the library.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
