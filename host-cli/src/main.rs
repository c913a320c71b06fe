//! The `tresse` program.

use std::process::ExitCode;

use tresse::commands;
use tresse::commands::args::{Cli, read_command_line};
use tresse::exit::Exit;

/// Reads the command line and runs the command; the exit code tells how it ended.
fn main() -> ExitCode {
    let done = match read_command_line::<Cli>() {
        Ok(cli) => commands::run(cli),
        Err(help) if !help.use_stderr() => commands::printed(|_| help.print()),
        Err(error) => error.exit(),
    };
    Exit::told(done).into()
}
