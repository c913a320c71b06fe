//! One file a subcommand.

pub mod compare;
mod error;
mod map;
mod measure;
mod output;
mod reach;
mod ready;
mod recording;
mod resume;
pub mod solve;

pub use error::SolveError;

use tresse::exit::Exit;

use crate::Entry;
use crate::agreement::Refused;
use crate::args::{Cli, Command};

/// Does what the command line says. Collective.
pub fn run(entry: &mut Entry, cli: &Cli) -> Result<Exit, Refused> {
    match &cli.command {
        Command::Solve(args) => solve::run(entry, args),
        Command::Compare(args) => compare::run(entry, args),
    }
}
