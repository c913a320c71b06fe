//! The `tresse` program.

use std::process::ExitCode;

use clap::Parser as _;
use tresse::commands;
use tresse::commands::args::Cli;
use tresse::exit::Exit;

fn main() -> ExitCode {
    let done = match Cli::try_parse() {
        Ok(cli) => commands::run(cli),
        Err(help) if !help.use_stderr() => commands::printed(|_| help.print()),
        Err(error) => error.exit(),
    };
    Exit::told(done).into()
}
