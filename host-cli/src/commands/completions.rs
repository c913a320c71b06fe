//! `tresse completions`: prints the script that completes flags and their values in a shell.

use std::io::{self, Write};

use clap::{Command, CommandFactory as _};
use clap_complete::{Generator as _, Shell};

use crate::commands::args::{Cli, CompletionsArgs, offering};

/// Prints the script.
pub fn run(args: &CompletionsArgs, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&script(args)?)
}

/// Returns the script of a shell.
fn script(args: &CompletionsArgs) -> io::Result<Vec<u8>> {
    let mut command = offering(Cli::command());
    command.set_bin_name("tresse");
    command.build();
    let mut script = Vec::new();
    args.shell.try_generate(&command, &mut script)?;
    if args.shell == Shell::Fish {
        command.get_subcommands().try_for_each(|command| offer_in_fish(command, &mut script))?;
    }
    Ok(script)
}

/// Adds the values of arguments without a flag, which `clap_complete` 4.6 leaves out for fish.
fn offer_in_fish(command: &Command, script: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_name();
    for value in command.get_positionals().flat_map(clap::Arg::get_possible_values) {
        let value = value.get_name();
        writeln!(
            script,
            "complete -c tresse -n \"__fish_tresse_using_subcommand {name}\" -f -a {value}"
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    fn text(shell: Shell) -> String {
        String::from_utf8(script(&CompletionsArgs { shell }).unwrap()).unwrap()
    }

    #[test]
    fn every_shell_completes_the_flags() {
        for &shell in Shell::value_variants() {
            let text = text(shell);
            assert!(text.contains("cells-per-worker") && text.contains("topology"), "{shell}");
        }
    }

    #[test]
    fn values_are_offered_where_a_shell_has_them() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let text = text(shell);
            for value in [
                "async",
                "exact",
                "T3L",
                "cirrus-100",
                "f32",
                "plb-table2",
                "slides",
                "relaxed",
                "dplb",
            ] {
                assert!(text.contains(value), "{shell} {value}");
            }
        }
    }
}
