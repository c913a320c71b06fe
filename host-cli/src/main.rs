//! The `tresse` program.

use std::process::ExitCode;

use clap::Parser as _;
use tresse::commands;
use tresse::commands::args::Cli;
use tresse::exit::Failure as _;
use tresse::terminal;

fn main() -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => commands::run(cli),
        Err(help) if !help.use_stderr() => commands::printed(|_| help.print()),
        Err(error) => error.exit(),
    };
    let exit = done.unwrap_or_else(|error| {
        terminal::tell_all(&format!("error: {}", error.message()));
        error.exit()
    });
    exit.into()
}
