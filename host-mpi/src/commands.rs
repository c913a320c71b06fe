//! The command line ([`args`]), one file a subcommand, and the [`report`] of all ranks.

pub mod args;
pub mod compare;
mod error;
mod map;
mod matrix;
mod measure;
mod output;
mod reach;
mod ready;
mod recording;
pub mod report;
pub mod solve;
pub mod uts;

pub use error::SolveError;

use tresse::exit::Exit;

use crate::commands::args::{Cli, Command};
use crate::mpi::Entry;
use crate::mpi::agreement::Refused;

/// Runs the command of the command line. Collective.
pub fn run(entry: &mut Entry, cli: &Cli) -> Result<Exit, Refused> {
    match &cli.command {
        Command::Solve(args) => solve::run(entry, args),
        Command::Compare(args) => compare::run(entry, args),
        Command::Uts(args) => uts::run(entry, args),
    }
}
