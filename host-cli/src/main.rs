//! The `tresse` program.

use std::process::ExitCode;

use clap::Parser as _;
use tresse::commands;
use tresse::commands::args::Cli;
use tresse::exit::Failure as _;
use tresse::terminal;

fn main() -> ExitCode {
    let exit = commands::run(Cli::parse()).unwrap_or_else(|error| {
        terminal::tell_all(&format!("error: {}", error.message()));
        error.exit()
    });
    exit.into()
}
