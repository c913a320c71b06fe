//! Reads the `[run]` table of a problem file: the flags of `solve` by their names, parsed as on the
//! command line, so that no flag is missing.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, Args as _, Command, FromArgMatches as _};
use toml::{Table, Value};

use tresse_files::document::{DocumentError, Section};

use super::solve::SolveArgs;

/// Flags that are refused in a file, with the reason.
const REFUSED: [(&str, &str); 1] =
    [("problem", "leave it out: this file is the problem, and flags can name another")];

/// Reads `[run]` of a problem file ([`ProblemFile::run`](tresse_files::problem::ProblemFile));
/// without that table no flag is set.
pub fn read_run_table(run: Option<&Table>) -> Result<SolveArgs, DocumentError> {
    let Some(run) = run else { return Ok(SolveArgs::default()) };
    let flags = flags();
    let known: Vec<&str> = flags.get_arguments().flat_map(names).collect();
    let run = Section::under("run", run, &known)?;
    if let Some((key, why)) = REFUSED.iter().find(|(key, _)| run.get(key).is_some()) {
        return Err(run.wrong(key, *why));
    }
    let mut all = Vec::new();
    for flag in flags.get_arguments() {
        for (key, value, word) in words(&run, flag)? {
            // One value at a time, so that an error is of its key.
            let read = parse(std::slice::from_ref(&word));
            read.map_err(|error| run.wrong_value(key, value, expected(&error)))?;
            all.push(word);
        }
    }
    parse(&all).map_err(|error| {
        let [key, other] =
            [ContextKind::InvalidArg, ContextKind::PriorArg].map(|kind| named(&error, kind));
        run.wrong(&key, format!("cannot stand beside `{other}`: give one of them"))
    })
}

/// Returns a command with the flags of `solve`, as a parser of the table.
fn flags() -> Command {
    SolveArgs::augment_args(Command::new("run").no_binary_name(true).disable_help_flag(true))
}

/// Returns the name of a flag, and then those that it once had.
fn names(flag: &clap::Arg) -> impl Iterator<Item = &str> {
    flag.get_long().into_iter().chain(flag.get_all_aliases().unwrap_or_default())
}

/// Parses words as the flags of `solve` on a command line.
fn parse(words: &[String]) -> Result<SolveArgs, clap::Error> {
    flags().try_get_matches_from(words).and_then(|matches| SolveArgs::from_arg_matches(&matches))
}

/// Returns a flag's key, its values in the table, and each as it would be given on the command
/// line; empty where the flag is not in the table.
fn words<'a>(
    run: &Section<'a>,
    flag: &'a clap::Arg,
) -> Result<Vec<(&'a str, &'a Value, String)>, DocumentError> {
    let Some((key, value)) = names(flag).find_map(|key| Some((key, run.get(key)?))) else {
        return Ok(Vec::new());
    };
    let word = |value| Ok((key, value, format!("--{key}={}", run.text_of(key, value)?)));
    match (flag.get_action(), value) {
        (ArgAction::SetTrue, Value::Boolean(true)) => Ok(vec![(key, value, format!("--{key}"))]),
        (ArgAction::SetTrue, Value::Boolean(false)) => Ok(Vec::new()),
        (ArgAction::SetTrue, _) => Err(run.wrong(key, "expected true or false")),
        (ArgAction::Append, Value::Array(values)) => values.iter().map(word).collect(),
        (ArgAction::Append, _) => Err(run.wrong(key, "expected a list of texts, such as [\"…\"]")),
        _ => Ok(vec![word(value)?]),
    }
}

/// Returns a description of the accepted values, in the words of the flag's parser.
fn expected(error: &clap::Error) -> String {
    if let Some(source) = error.source().filter(|_| error.kind() == ErrorKind::ValueValidation) {
        return source.to_string();
    }
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Returns a flag's name in an error, without its dashes and its value.
fn named(error: &clap::Error, kind: ContextKind) -> String {
    let name = match error.get(kind) {
        Some(ContextValue::String(name)) => name.as_str(),
        Some(ContextValue::Strings(names)) => names.first().map_or("", String::as_str),
        _ => "",
    };
    let name = name.trim_start_matches('-');
    name.split([' ', '=']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use tresse_files::problem::ProblemFile;

    use super::*;
    use crate::commands::args::{Cli, Command as Subcommand};

    /// A value of each flag, in TOML and as it is given on the command line.
    const VALUES: [(&str, &str, &str); 31] = [
        ("grid", "\"50x60\"", "50x60"),
        ("cells-per-worker", "\"9x9\"", "9x9"),
        ("cell-size", "\"0.5x2\"", "0.5x2"),
        ("imbalance", "0.25", "0.25"),
        ("method", "\"multigrid\"", "multigrid"),
        ("smoothing", "4", "4"),
        ("coarsest", "100", "100"),
        ("coarse-cycles", "3", "3"),
        ("mode", "\"ssync:2\"", "ssync:2"),
        ("split", "8", "8"),
        ("balance", "\"hybrid:0.001,5\"", "hybrid:0.001,5"),
        ("no-help", "true", ""),
        ("always-help", "true", ""),
        ("pairs", "3", "3"),
        ("low", "1", "1"),
        ("high", "9", "9"),
        ("dead-band", "7", "7"),
        ("precision", "\"f32\"", "f32"),
        ("seed", "9", "9"),
        ("workers", "2", "2"),
        ("topology", "\"1x2\"", "1x2"),
        ("noise", "[\"core=0,duty=0.5\"]", "core=0,duty=0.5"),
        ("tolerance", "1e-3", "1e-3"),
        ("iterations", "70", "70"),
        ("absolute-tolerance", "1e-9", "1e-9"),
        ("relative-to", "\"problem\"", "problem"),
        ("out", "\"results\"", "results"),
        ("record", "\"run.tresse\"", "run.tresse"),
        ("json", "true", ""),
        ("quiet", "true", ""),
        ("problem", "\"p.toml\"", "p.toml"),
    ];

    fn read_text(text: &str) -> Result<SolveArgs, DocumentError> {
        read_run_table(ProblemFile::parse(text).unwrap().run.as_ref())
    }

    fn command_line(words: &[String]) -> SolveArgs {
        let all = ["tresse".to_owned(), "solve".to_owned()].into_iter().chain(words.to_vec());
        match Cli::try_parse_from(all).unwrap().command {
            Subcommand::Solve(args) => args.solve,
            other @ Subcommand::Simulate(_) => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_flag_of_solve_means_in_the_table_what_it_means_on_the_command_line() {
        let solve = flags();
        for flag in solve.get_arguments().filter_map(clap::Arg::get_long) {
            let value = VALUES.iter().find(|(name, ..)| *name == flag);
            let (_, in_file, on_line) = value.unwrap_or_else(|| panic!("no value of --{flag}"));
            let in_file = read_text(&format!("[run]\n{flag} = {in_file}"));
            if REFUSED.iter().any(|(name, _)| *name == flag) {
                in_file.expect_err(flag);
                continue;
            }
            let mut words = vec![format!("--{flag}")];
            words.extend((!on_line.is_empty()).then(|| (*on_line).to_owned()));
            assert_eq!(in_file.unwrap_or_else(|error| panic!("{error}")), command_line(&words));
            assert_ne!(command_line(&words), SolveArgs::default(), "{flag}");
        }
    }

    #[test]
    fn what_cannot_be_is_named_by_its_key() {
        for (text, parts) in [
            ("problem = \"q.toml\"", &["`run.problem`", "q.toml", "this file is the problem"][..]),
            ("json = 1", &["`run.json`", "true or false"]),
            ("grid = [5, 6]", &["`run.grid`", "a list of 2", "a text"]),
            ("grid = \"5\"", &["`run.grid`", "\"5\"", "300x300"]),
            (
                "grid = \"9x9\"\ncells-per-worker = \"9x9\"",
                &["`run.", "cells-per-worker", "grid", "give one of them"],
            ),
            ("tolerence = 1", &["`run.tolerence`", "`run.tolerance`"]),
            ("dead_band = 1", &["`run.dead_band`", "`run.dead-band`"]),
            ("mode = \"fast\"", &["`run.mode`", "fast", "ssync:N"]),
            ("split = -4", &["`run.split`", "-4", "whole number"]),
            ("workers = 1.5", &["`run.workers`", "1.5"]),
            ("noise = \"core=1,duty=0.2\"", &["`run.noise`", "list"]),
            ("noise = [\"core=1,duty=2\"]", &["`run.noise`", "core=1,duty=2"]),
            ("seed = []", &["`run.seed`", "a list of 0"]),
            ("out = 3.5\nquiet = \"yes\"", &["`run.quiet`", "yes"]),
        ] {
            let error = read_text(&format!("[run]\n{text}")).expect_err(text).to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
            assert!(!error.contains('\n'), "{text}: {error}");
        }
        assert!(!read_text("[run]\njson = false").unwrap().json);
        // The former name.
        let former = read_text("[run]\ncoarse-visits = 3").unwrap();
        assert_eq!(former, read_text("[run]\ncoarse-cycles = 3").unwrap());
    }
}
