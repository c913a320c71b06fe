//! `tresse completions`.

use clap::Args;
use clap_complete::Shell;

/// The flags of `completions`.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct CompletionsArgs {
    /// The shell that the script is for
    pub shell: Shell,
}
