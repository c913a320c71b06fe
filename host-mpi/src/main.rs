//! The `tresse-mpi` program.

use std::process::ExitCode;

use tresse::commands::args::read_command_line;
use tresse::commands::printed;
use tresse::exit::{Exit, Failure as _};
use tresse::terminal;
use tresse_mpi::commands;
use tresse_mpi::commands::args::{Cli, Unread};
use tresse_mpi::mpi::Entry;
use tresse_mpi::mpi::agreement::together;
use tresse_mpi::mpi::launcher::Launched;

/// Reads the command line, starts MPI, and lets all ranks agree whether there is an error before
/// they run.
fn main() -> ExitCode {
    // One of the ranks speaks for all, as far as the launcher tells which it is.
    let speaks = Launched::this().is_none_or(|launched| launched.rank == 0);
    let parsed = read_command_line::<Cli>().map_err(|error| (Unread::new(&error), error));
    let parsed = match parsed {
        Ok(cli) => Ok(cli),
        Err((Some(unread), _)) => Err(unread),
        Err((None, help)) => return show(&help, speaks).into(),
    };
    let mut entry = match Entry::start() {
        Ok(entry) => entry,
        Err(error) => {
            if speaks {
                let message = parsed.map_or_else(|unread| unread.message(), |_| error.to_string());
                terminal::tell_all(&format!("error: {message}"));
            }
            return Exit::BadInput.into();
        }
    };
    // One rank may have been given what it cannot read, and the others wait for it.
    together(&mut entry, parsed)
        .and_then(|cli| commands::run(&mut entry, &cli))
        .unwrap_or_else(|refused| refused.0)
        .into()
}

/// Shows the help that a person asks for, or gets where there are no arguments.
fn show(help: &clap::Error, speaks: bool) -> Exit {
    match (help.use_stderr(), speaks) {
        (true, true) => {
            // Nothing is left to tell where it cannot be printed.
            let _ = help.print();
            Exit::BadInput
        }
        (true, false) => Exit::BadInput,
        (false, true) => Exit::told(printed(|_| help.print())),
        (false, false) => Exit::Done,
    }
}
