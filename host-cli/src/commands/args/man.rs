//! `tresse man`.

use std::path::PathBuf;

use clap::Args;

/// The flags of `man`.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
pub struct ManArgs {
    /// A folder for a page for the program and one for each subcommand, such as tresse-solve.1;
    /// made where it is missing [default: one page of everything, to standard output]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
