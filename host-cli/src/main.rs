//! The `tresse` program.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use tresse::args::{Cli, Command};
use tresse::commands;
use tresse::exit::Exit;

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Completions(args) => printed(commands::completions::run(&args)),
        Command::Man => printed(commands::man::run()),
        _ => Cli::command().error(ErrorKind::InvalidSubcommand, "not in this build").exit(),
    }
}

fn printed(result: io::Result<()>) -> ExitCode {
    let exit = match result {
        Ok(()) => Exit::Done,
        Err(error) => {
            // Nothing is left to tell when standard error is gone as well.
            let _ = writeln!(io::stderr(), "error: standard output: {error}");
            Exit::NotReached
        }
    };
    exit.into()
}
