//! `tresse solve`.

use std::path::PathBuf;

use clap::Args;
use tresse_core::run::GridSize;

use super::checkpoints::CheckpointArgs;
use super::choices::RunFlags;
use super::matrix::MatrixArgs;

const AFTER_HELP: &str = "\
Flags go over the problem file, the problem file over the defaults.

Example: the paper's problem on two workers, one of them slowed down, with every picture
  tresse solve --workers 2 --balance split:0.001 \\
               --noise core=0,sleep=200us,work=10000 --out results";

/// The flags of `solve` on this machine.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("record", |record| record.conflicts_with("resume")))]
#[command(mut_arg("matrix", |matrix| matrix.conflicts_with_all(["checkpoint", "resume"])))]
pub struct SolveHereArgs {
    /// Those that a problem file may have, too.
    #[command(flatten)]
    pub solve: SolveArgs,

    /// Checkpoints of the run.
    #[command(flatten)]
    pub checkpoints: CheckpointArgs,

    /// A sparse system in place of a grid.
    #[command(flatten)]
    pub matrix: MatrixArgs,
}

/// The flags of `solve` that a problem file may have, too.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct SolveArgs {
    /// A problem file (TOML): boundary, initial field, source term, coefficient, grid, and a table
    /// `run` with any of these flags by their names [default: the paper's problem]
    #[arg(long, value_name = "FILE", help_heading = "Problem")]
    pub problem: Option<PathBuf>,

    /// Rows x columns of the whole grid, in cells
    #[arg(long, value_name = "RxC", help_heading = "Problem", value_parser = GridSize::parse)]
    #[arg(conflicts_with = "cells_per_worker", allow_hyphen_values = true)]
    pub grid: Option<GridSize>,

    /// Choices that may also be in the file.
    #[command(flatten)]
    pub choices: RunFlags,

    /// A folder for summary.json, history.csv, the field and the pictures; made where it is
    /// missing; with --matrix, a name that ends in .mtx or .npy is a file for the solution alone
    /// [default: none]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Record the schedule for `tresse replay` and `tresse export-trace`: which worker swept what,
    /// when, with which halos; of multigrid, for `export-trace` only: when each worker was busy;
    /// its folder is made where it is missing [default: none]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub record: Option<PathBuf>,

    /// Print one JSON object in place of the report
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// No progress bar and no report
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

impl SolveArgs {
    /// Returns these flags, completed by those of `other` where they are not given.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        // A size, in whichever way it is asked for, goes over a size.
        let has_size = self.grid.is_some() || self.choices.cells_per_worker.is_some();
        let mut choices = other.choices;
        if has_size {
            choices.cells_per_worker = None;
        }
        Self {
            problem: self.problem.or(other.problem),
            grid: if has_size { self.grid } else { other.grid },
            choices: self.choices.or(choices),
            out: self.out.or(other.out),
            record: self.record.or(other.record),
            json: self.json || other.json,
            quiet: self.quiet || other.quiet,
        }
    }
}
