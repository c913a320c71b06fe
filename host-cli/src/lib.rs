//! Tresse on pinned threads: everything around [`tresse_core`] that waits, measures, allocates or
//! talks to a person.
//!
//! # Example
//!
//! The paper's problem on two workers, each on a core of its own, to 1 % of the initial residual:
//!
//! ```
//! use tresse::files::problem::Problem;
//! use tresse::engine::solver;
//! use tresse_core::run::{GridSize, RunConfig, Stop};
//!
//! let config = RunConfig {
//!     workers: 2,
//!     grid: GridSize { rows: 60, columns: 60 },
//!     stop: Stop { tolerance: Some(1e-2), ..Stop::NEVER },
//!     ..RunConfig::default()
//! };
//! let finished = solver::solve(&config, &Problem::paper(config.grid))?;
//! println!("{} after {} updates", finished.record.end, finished.record.progress.updates);
//! # Ok::<(), tresse::engine::threads::EngineError>(())
//! ```
//!
//! [`solver::run`](engine::solver::run) takes workers that are placed otherwise
//! ([`platform::Placement`]), a flag that ends the run early, and somebody who watches it.
//!
//! # Pages
//!
//! The [`guide`] is for those who use the program: [solving](guide::solving),
//! [recordings](guide::recordings), [virtual machines](guide::virtual_machines), [when balancing
//! pays](guide::when_balancing_pays) and [load traces](guide::load_traces). That for
//! [clusters](../tresse_mpi/guide/clusters/index.html) is with `tresse_mpi`.
//!
//! Who needs no program leaves it out, and with it the parser of the command line, the plots and
//! the experiments: `tresse = { default-features = false }` has [`engine`], [`platform`] and
//! [`files`].
//!
//! # Map
//!
//! - [`engine`]: a run, on pinned threads or in virtual time.
//! - [`platform`]: the cores that it is on, and the noise that takes time from them.
//! - [`files`]: what a run reads and leaves: problems, virtual machines, recordings, checkpoints;
//!   and load traces of applications. What is in them, as bytes, is in [`tresse_files`].
//! - `report`: what people and scripts are told: summaries, tables, fields, plots.
//! - `experiments`: calibration, benchmarks, comparisons, and the papers' evaluations.
//! - `commands`: the program: the command line, and the commands of all subjects. Beside it,
//!   [`wording`] turns the core's errors into messages that name flags.
//!
//! # Packages
//!
//! Each subject is a package of its own, whose modules stand here; who needs one alone compiles no
//! other.
//!
//! | package | feature | what it is |
//! |---|---|---|
//! | [`tresse_engine`] | | runs, their files, and the commands of runs and of this machine |
//! | `tresse_tasks` | `tasks` | pools of tasks |
//! | `tresse_traces` | `traces` | load traces, and their balancing |
//! | `tresse_papers` | `papers` | the papers' evaluations |
//! | [`tresse_matrix`] | | sparse linear systems as parts |
//! | [`tresse_platform`] | | cores, memory, pinned threads, noise |
//! | [`tresse_console`] | | what all commands share: [`terminal`], [`interrupt`], [`exit`] |

#[cfg(feature = "program")]
pub mod commands;
pub mod engine;
#[cfg(feature = "papers")]
pub mod experiments;
pub mod files;
#[cfg(feature = "program")]
pub mod guide;
#[cfg(feature = "papers")]
pub mod report;

pub use tresse_console::{exit, interrupt, terminal};
pub use tresse_core::parts::{Graph, Part};
pub use tresse_engine::iteration::{Iterated, Run, Saved};
pub use tresse_engine::wording;
pub use tresse_matrix as matrix;
pub use tresse_platform as platform;

/// The examples in README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
