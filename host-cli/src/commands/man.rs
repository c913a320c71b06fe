//! `tresse man`: writes one manual page for the program and all its subcommands, or one for each.

use std::io::{self, Write};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use super::{CommandError, printed};
use crate::commands::args::{Cli, ManArgs};
use crate::exit::{Exit, STATUS};
use crate::report::output::Outputs;

/// Prints the page as roff, or writes all pages into a folder.
pub fn run(args: &ManArgs) -> Result<Exit, CommandError> {
    let Some(folder) = &args.out else {
        return printed(|out| out.write_all(&page()?));
    };
    let mut pages = Vec::new();
    add_pages(&command(), &mut pages)?;
    let names = pages.iter().map(|(name, _)| name);
    let out = Outputs::default().folder("--out", folder, names)?;
    for (name, page) in &pages {
        out.write(name, |to| to.write_all(page.as_bytes()))?;
    }
    Ok(Exit::Done)
}

/// Returns the whole command line, without the subcommand `help`.
fn command() -> Command {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    command
}

/// Returns a command's page, with ragged lines, as words such as those of JSON are long.
fn whole(command: &Command) -> io::Result<String> {
    let mut page = Vec::new();
    let source = concat!("tresse ", env!("CARGO_PKG_VERSION"));
    Man::new(command.clone()).source(source).render(&mut page)?;
    exit_status(&mut page)?;
    let text = String::from_utf8(page).map_err(io::Error::other)?;
    Ok(text.replacen(".SH NAME", ".ad l\n.SH NAME", 1))
}

/// Writes the section about the exit status: a paragraph for each.
fn exit_status(page: &mut Vec<u8>) -> io::Result<()> {
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    let meanings = STATUS.lines().skip(1).filter_map(|line| line.trim().split_once(' '));
    meanings.into_iter().try_for_each(|(status, meaning)| {
        writeln!(page, ".TP\n\\fB{status}\\fR\n{}", meaning.trim_start())
    })
}

/// Adds the pages of a command and of its subcommands, each with its name.
fn add_pages(command: &Command, pages: &mut Vec<(String, String)>) -> io::Result<()> {
    pages.push((Man::new(command.clone()).get_filename(), whole(command)?));
    command.get_subcommands().try_for_each(|command| add_pages(command, pages))
}

/// Returns one page for the program and all its subcommands.
fn page() -> io::Result<Vec<u8>> {
    let command = command();
    let mut page = whole(&command)?.into_bytes();
    command.get_subcommands().try_for_each(|command| section(command, &mut page))?;
    Ok(page)
}

/// Writes the section of a subcommand, and those of its own subcommands.
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
        assert!(text.contains(".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\nwhat was asked"), "{text}");
        assert!(text.contains("\n.TP\n\\fB130\\fR\nit was interrupted"), "{text}");
    }
}
