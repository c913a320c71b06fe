//! The `tresse` program.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;
use tresse::args::Cli;
use tresse::commands;
use tresse::exit::Failure as _;

fn main() -> ExitCode {
    let exit = commands::run(Cli::parse()).unwrap_or_else(|error| {
        // Nothing is left to tell when standard error is gone as well.
        let _ = writeln!(io::stderr(), "error: {error}");
        error.exit()
    });
    exit.into()
}
