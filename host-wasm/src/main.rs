//! `tresse-wasm`: builds the page, and serves it on this machine or leaves it as files.

mod bundle;
mod server;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use bundle::{Bundle, BundleError};
use server::ServerError;

/// Tresse in a browser: builds the page and serves it on this machine
#[derive(Parser, Debug)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArgs,
}

#[derive(Args, Debug)]
struct ServeArgs {
    /// Port on the loopback address; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Leave the page as files for any web server
    Build {
        /// The folder, which is made where it is missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Bundle(#[from] BundleError),
    #[error(transparent)]
    Server(#[from] ServerError),
}

/// Runs the program and reports its error.
fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell when standard error is gone as well.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Builds the page, and writes it to a folder or serves it.
fn run(cli: &Cli) -> Result<(), Failure> {
    let bundle = Bundle::build()?;
    match &cli.command {
        Some(Command::Build { out }) => bundle.write_to(out)?,
        None => server::serve(bundle, cli.serve.port, cli.serve.open)?,
    }
    Ok(())
}
