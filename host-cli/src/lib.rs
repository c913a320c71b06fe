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
//! [`solver::run`] takes workers that are placed otherwise ([`platform::Placement`]), a flag that ends
//! the run early, and somebody who watches it.
//!
//! # Pages
//!
//! The [`guide`] is for those who use the program: [solving](guide::solving),
//! [recordings](guide::recordings), [virtual machines](guide::virtual_machines),
//! [when balancing pays](guide::when_balancing_pays) and [load traces](guide::load_traces). That for
//! [clusters](../tresse_mpi/guide/clusters/index.html) is with `tresse_mpi`.
//!
//! # Map
//!
//! - A run: [`problem`] says what is solved and [`platform`] on which cores, [`solver`] runs it on
//!   [`threads`], or [`simulation`] in virtual time on the machines of [`machine_files`]. Beside it are the
//!   [`noise`], and what is kept of it: a [`recording`], a [`checkpoint`], and the files of [`report`].
//! - Measurements: [`calibrate`], [`mod@bench`], [`comparison`], and the papers' evaluations
//!   ([`reproduce`]).
//! - Load traces: [`load_traces`] reads and writes them, [`balancing`] balances them.
//! - What is in files, as bytes, is in [`tresse_files`]: [`document`], [`problem`], [`machine_files`],
//!   [`load_traces`] and [`recording`] find, open and write the files themselves.
//! - The program: [`args`] is the command line, [`commands`] has a file for each subcommand, and
//!   [`wording`] says in flags what the core refuses.

pub mod args;
pub mod balancing;
pub mod bench;
pub mod calibrate;
pub mod checkpoint;
pub mod commands;
pub mod comparison;
pub mod document;
pub mod exit;
pub mod guide;
pub mod interrupt;
pub mod kernel;
pub mod load_traces;
pub mod machine_files;
mod methods;
pub mod noise;
pub mod platform;
pub mod problem;
pub mod recording;
pub mod report;
pub mod reproduce;
pub mod simulation;
pub mod solution;
pub mod solver;
pub mod solvers;
pub mod terminal;
pub mod threads;
pub mod wording;

pub use tresse_files::stored_cell;

/// What README shows of the library.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
