//! What all commands share: how they end, what they print and draw on a terminal, the files that
//! they leave, and the values of flags that several of them have.
//!
//! # Map
//!
//! - [`terminal`] cleans all text that is printed, [`interrupt`] handles Ctrl-C, [`exit`] has the
//!   exit codes and [`command`] the failure that ends a command; [`wording`] names flags in the
//!   core's errors.
//! - [`files`] has how files are written, and how those are read that people write.
//! - Behind the feature `program`: `args` are values of flags, `progress_line` and `runs_progress`
//!   show progress, and `lines`, `summary`, `table` and `plots` are forms of results.

#[cfg(feature = "program")]
pub mod args;
pub mod command;
pub mod exit;
pub mod files;
pub mod interrupt;
#[cfg(feature = "program")]
pub mod lines;
#[cfg(feature = "program")]
pub mod plots;
#[cfg(feature = "program")]
pub mod progress_line;
#[cfg(feature = "program")]
pub mod runs_progress;
#[cfg(feature = "program")]
pub mod summary;
#[cfg(feature = "program")]
pub mod table;
pub mod terminal;
pub mod wording;
