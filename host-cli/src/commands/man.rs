//! `tresse man`: one manual page for the program and all its subcommands.

use std::io::{self, Write};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::args::Cli;

/// Prints the page as roff.
pub fn run(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&page()?)
}

fn page() -> io::Result<Vec<u8>> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    command.get_subcommands().try_for_each(|command| section(command, &mut page))?;
    Ok(page)
}

fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or(command.get_name()).to_uppercase();
    writeln!(page, ".SH \"{name}\"")?;
    let man = Man::new(command.clone());
    man.render_synopsis_section(page)?;
    man.render_options_section(page)?;
    man.render_extra_section(page)?;
    command.get_subcommands().try_for_each(|command| section(command, page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_flags_of_every_subcommand() {
        let text = String::from_utf8(page().unwrap()).unwrap().replace("\\-", "-");
        for flag in ["--cells-per-worker", "--repetitions", "--duty", "--subdomains", "--topology"]
        {
            assert!(text.contains(flag), "{flag}");
        }
    }
}
