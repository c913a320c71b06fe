//! One file a subcommand.

pub mod completions;
pub mod decide;
pub mod man;
pub mod noise;
pub mod solve;
pub mod topology;

mod error;
mod interrupt;

use std::io::{self, Write};

pub use error::CommandError;

use crate::args::{Cli, Command};
use crate::exit::Exit;
use crate::machine::{Machine, Placement};

/// Does what the command line says.
pub fn run(cli: Cli) -> Result<Exit, CommandError> {
    match cli.command {
        Command::Solve(args) => solve::run(&args),
        Command::Topology(args) => {
            let machine = Machine::detect()?;
            let placement = Placement::plan(&machine, args.workers, args.topology)?;
            printed(|out| topology::run(&machine, &placement, args.json, out))
        }
        Command::Completions(args) => printed(|out| completions::run(&args, out)),
        Command::Man => printed(man::run),
        _ => Ok(Exit::BadInput),
    }
}

/// Writes to standard output. A reader that has gone away is no failure.
fn printed(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Exit, CommandError> {
    let mut out = io::stdout().lock();
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(Exit::Done),
    }
}
