//! `tresse completions`: the script that completes its flags in a shell.

use std::io::{self, Write};

use clap::CommandFactory as _;
use clap_complete::Generator as _;

use crate::args::{Cli, CompletionsArgs};

/// Prints the script.
pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&script(args)?)
}

fn script(args: &CompletionsArgs) -> io::Result<Vec<u8>> {
    let mut command = Cli::command();
    command.set_bin_name("tresse");
    command.build();
    let mut script = Vec::new();
    args.shell.try_generate(&command, &mut script)?;
    Ok(script)
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;
    use clap_complete::Shell;

    use super::*;

    #[test]
    fn every_shell_completes_the_flags() {
        for &shell in Shell::value_variants() {
            let script = script(&CompletionsArgs { shell }).unwrap();
            let text = String::from_utf8(script).unwrap();
            assert!(text.contains("cells-per-worker") && text.contains("topology"), "{shell}");
        }
    }
}
