//! The three forms of help: `-h` fits a screen, with the flags that are used most; `--help` has a
//! line for each flag; `tresse help COMMAND` says all.

use std::fmt::Write as _;

use clap::builder::PossibleValue;
use clap::{Arg, Command, Parser};

use crate::exit::{STATUS, STATUS_LINE};

/// Longest help of a flag in `-h`, in characters: beside the names of the flags on a screen of 80
/// columns.
const LINE: usize = 44;

/// The flags that `-h` shows of commands that have many, by their ids.
const COMMON: [(&str, &[&str]); 5] = [
    ("solve", &SOLVE),
    ("simulate", &SOLVE),
    (
        "balance",
        &[
            "preset",
            "method",
            "compare",
            "iterations",
            "trials",
            "seed",
            "phase",
            "memory_limit",
            "threads",
            "out",
            "json",
            "quiet",
        ],
    ),
    (
        "uts",
        &[
            "workers", "tree", "method", "machine", "nodes", "noise", "out", "record", "json",
            "quiet",
        ],
    ),
    (
        "traverse",
        &[
            "workers",
            "graph",
            "undirected",
            "root",
            "method",
            "machine",
            "nodes",
            "noise",
            "out",
            "record",
            "json",
            "quiet",
        ],
    ),
];

const SOLVE: [&str; 23] = [
    "problem",
    "matrix",
    "rhs",
    "grid",
    "cells_per_worker",
    "method",
    "mode",
    "split",
    "balance",
    "node_balance",
    "workers",
    "machine",
    "nodes",
    "timed_as",
    "noise",
    "tolerance",
    "iterations",
    "checkpoint",
    "resume",
    "out",
    "record",
    "json",
    "quiet",
];

/// Short help of flags whose long help does not begin with it, by their ids.
const SHORT: [(&str, &str); 36] = [
    ("problem", "Problem file (TOML)"),
    ("matrix", "Sparse system in place of a grid"),
    ("rhs", "Right-hand side of --matrix"),
    ("start", "Start of --matrix [default: zeros]"),
    ("overlap", "Overlap with --matrix [default: 1]"),
    ("mode", "sync, exact, ssync:N, async or rayon"),
    ("balance", "auto, none, split:F, pull:B, …"),
    ("node_balance", "none, dplb:F,THRESHOLD or rows"),
    ("node_cooldown", "Rest of a node that has sent [default: 0]"),
    ("tolerance", "End at this relative residual"),
    ("iterations", "End after this number of iterations"),
    ("out", "Folder for the results"),
    ("record", "Record the schedule in this file"),
    ("json", "Print one JSON object"),
    ("machine", "cirrus, archer, icc, laptop, … or a file"),
    ("timed_as", "Cells of a worker that sweeps are timed as"),
    ("workers", "Number of workers, on a core each"),
    ("resume", "Go on from a checkpoint"),
    ("compare", "Run all methods side by side"),
    ("undirected", "Edges of the file lead both ways"),
    ("graph", "random:vertices=N,degree=N or a file"),
    ("method", "jacobi or multigrid"),
    ("input", "Files of a load trace, or their folder"),
    ("quick", "Fewer or smaller runs"),
    ("repetitions", "Runs of each method in each setting"),
    ("core", "Core to slow down"),
    ("burst", "Bursts of random lengths of this mean"),
    ("perfetto", "Trace to write, for Perfetto"),
    ("recording", "Recording to read"),
    ("drift", "Change of each load from phase to phase"),
    ("no_help", "With pull: nobody helps a stopped worker"),
    ("always_help", "With pull: help from its first stop on"),
    ("coarse_cycles", "Cycles on the next level in each cycle"),
    ("tune", "Single parameters of Grapevine"),
    ("out_stem", "Stem of the names of the new files"),
    ("progress", "Who lets gets of other ranks through"),
];

/// The commands of the program, by what they are about.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Solve", &["solve", "replay", "export-trace"]),
    ("Machines", &["simulate", "calibrate", "topology", "noise", "bench"]),
    ("Papers", &["compare", "reproduce"]),
    ("Load traces", &["balance", "traces"]),
    ("Tasks", &["uts", "traverse"]),
    ("Tools", &["decide", "completions", "man", "help"]),
];

/// Returns the program with its commands in groups.
fn grouped(program: Command) -> Command {
    if program.find_subcommand("traces").is_none() {
        return program;
    }
    let about = |name: &str| {
        let command = program.find_subcommand(name);
        let about = command.and_then(Command::get_about).map(ToString::to_string);
        about.unwrap_or_else(|| "Say all about a command".into())
    };
    let line = |name: &&str| format!("  {name:<14}{}", about(name));
    let group = |(heading, names): (&str, &[&str])| {
        let lines: Vec<_> = names.iter().map(line).collect();
        format!("{heading}:\n{}", lines.join("\n"))
    };
    let groups: Vec<_> = GROUPS.into_iter().map(group).collect();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n\nOptions:\n{{options}}{{after-help}}",
        groups.join("\n\n")
    );
    program.help_template(template)
}

/// Reads the command line of a program that shows help in all forms.
pub fn read_command_line<C: Parser>() -> Result<C, clap::Error> {
    let is_glance =
        std::env::args_os().take_while(|word| word != "--").any(|word| word == "--help");
    let program = grouped(C::command());
    let mut command = if is_glance { at_a_glance(program) } else { with_short_help(program) };
    let mut matches = command.try_get_matches_from_mut(std::env::args_os())?;
    C::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Returns the command with a short form of its help, and of that of its subcommands.
pub fn with_short_help(mut command: Command) -> Command {
    let name = command.get_name().to_owned();
    let common = COMMON.iter().find(|(of, _)| *of == name).map(|(_, ids)| *ids);
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let paragraphs = [after.clone(), STATUS.to_owned()];
    let long = paragraphs.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
    command = command.after_long_help(long.join("\n\n"));
    if common.is_some() {
        // The examples, without what is said before them.
        let examples = after.find("Example").and_then(|at| after.get(at..)).unwrap_or_default();
        let all = "This is what is used most; --help has every flag.";
        command = command.after_help(format!("{examples}\n\n{all}").trim().to_owned());
    }
    command.mut_args(|arg| shortened(arg, common)).mut_subcommands(with_short_help)
}

/// Numbers of Algorithm 1 that hardly anybody changes: the whole help alone has them.
const RARE: [&str; 4] = ["pairs", "low", "high", "dead_band"];

/// Returns the command whose `--help`, and that of its subcommands, has a line for each flag but
/// the rare ones.
fn at_a_glance(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    // The examples, without what is said before them.
    let after = after.get(after.find("Example").unwrap_or(0)..).unwrap_or_default();
    let more = if command.has_subcommands() || name == "help" {
        String::new()
    } else {
        format!("\n`tresse help {name}` says all.")
    };
    let after = format!("{after}\n\n{STATUS_LINE}{more}");
    command
        .long_about(None::<&str>)
        .after_help(after.trim_start().to_owned())
        .mut_args(|arg| {
            let is_listed = arg.get_action().takes_values();
            let (id, long) = (arg.get_id().to_string(), whole(&arg));
            let is_hidden = arg.is_hide_set() || RARE.contains(&&*id);
            arg.hide(is_hidden)
                .help(short(&id, &long))
                .long_help(None::<&str>)
                .hide_possible_values(is_listed)
                .hide_default_value(is_listed)
        })
        .mut_subcommands(at_a_glance)
}

/// Returns the argument with one line of help in `-h`, where it is one of the `common` ones or all
/// are shown.
fn shortened(arg: Arg, common: Option<&[&str]>) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    let mut long = whole(&arg);
    let takes_value = arg.get_action().takes_values();
    let short = short(&id, &long);
    let is_shown = arg.is_positional() || common.is_none_or(|ids| ids.contains(&id.as_str()));
    let values = arg.get_possible_values();
    let is_listed = is_shown && takes_value && !values.is_empty();
    if is_listed {
        // A list of values has no place on the line.
        let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
        let _ = write!(long, " [possible values: {}]", names.join(", "));
    }
    arg.hide_short_help(!is_shown)
        .hide_default_value(takes_value)
        .hide_possible_values(is_listed)
        .help(short)
        .long_help(long)
}

/// Returns the whole help of an argument, with its default.
fn whole(arg: &Arg) -> String {
    let mut long = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> =
        arg.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if arg.get_action().takes_values() && !defaults.is_empty() {
        let _ = write!(long, " [default: {}]", defaults.join(" "));
    }
    long
}

/// Returns the help of an argument on one line: its long help as far as it fits, or a short one of
/// its own.
fn short(id: &str, long: &str) -> String {
    let fits = |text: &str| text.chars().count() <= LINE;
    let (text, default) = long.split_at(long.find(" [default").unwrap_or(long.len()));
    if let Some(text) = [long, text].into_iter().find(|text| fits(text)) {
        return text.to_owned();
    }
    if let Some((_, text)) = SHORT.iter().find(|(of, _)| *of == id) {
        return (*text).to_owned();
    }
    let end = [": ", "; ", ", ", " ("].iter().filter_map(|end| text.find(end)).min();
    let clause = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let whole = format!("{clause}{default}");
    if fits(&whole) { whole } else { clause.to_owned() }
}

#[cfg(test)]
mod tests {
    use clap::builder::Resettable;
    use clap::{ArgAction, CommandFactory as _};

    use super::*;
    use crate::commands::args::Cli;

    /// Calls `check` with every command that has no subcommands.
    fn each(command: &mut Command, check: &mut impl FnMut(&mut Command)) {
        if command.has_subcommands() {
            command.get_subcommands_mut().for_each(|command| each(command, check));
        } else {
            check(command);
        }
    }

    fn built() -> Command {
        let mut command = with_short_help(Cli::command()).disable_help_subcommand(true);
        command = command.term_width(80);
        command.build();
        command
    }

    #[test]
    fn the_short_form_fits_a_screen_with_a_line_for_each_flag() {
        each(&mut built(), &mut |command| {
            let name = command.get_name().to_owned();
            let text = command.clone().term_width(80).render_help().to_string();
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() <= 45, "{name}: {} lines\n{text}", lines.len());
            // What follows the flags has lines of its own.
            let flags = command
                .clone()
                .term_width(80)
                .after_help(Resettable::Reset)
                .render_help()
                .to_string();
            for line in flags.lines().skip_while(|line| !line.ends_with(':')) {
                let is_flag = line.trim_start().starts_with(['-', '<', '[']);
                let is_more = line.starts_with("          ") && !is_flag;
                assert!(!is_more && line.chars().count() <= 80, "{name}: {line}\n{text}");
            }
        });
    }

    #[test]
    fn the_long_form_has_every_flag_and_every_value_and_the_exit_status() {
        each(&mut built(), &mut |command| {
            let (name, text) =
                (command.get_name().to_owned(), command.render_long_help().to_string());
            assert!(text.contains("Exit status:") && text.contains("130"), "{name}: {text}");
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let flag = arg.get_long().map(|long| format!("--{long}"));
                assert!(flag.is_none_or(|flag| text.contains(&flag)), "{name} {arg}");
                let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
                for value in arg.get_possible_values().iter().filter(|_| takes_value) {
                    assert!(text.contains(value.get_name()), "{name} {arg}");
                }
            }
        });
        let text = built().find_subcommand("solve").unwrap().clone().render_help().to_string();
        assert!(!text.contains("--dead-band") && text.contains("--help has every flag"), "{text}");
    }

    /// The limits are those of an issue: what a person reads before the first run.
    #[test]
    fn every_flag_is_seen_at_a_glance() {
        let mut command = at_a_glance(Cli::command()).disable_help_subcommand(true);
        command = command.term_width(100);
        command.build();
        for (name, most) in [("solve", 60), ("balance", 50), ("simulate", 70), ("uts", 50)] {
            let text = command.find_subcommand_mut(name).unwrap().render_help().to_string();
            let lines = text.lines().count();
            assert!(lines <= most, "{name}: {lines} lines\n{text}");
            assert!(text.contains("Exit status:") && text.contains("tresse help"), "{text}");
        }
        each(&mut command, &mut |command| {
            let text = command.clone().render_help().to_string();
            for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                let flag = arg.get_long().map(|long| format!("--{long}"));
                assert!(flag.is_none_or(|flag| text.contains(&flag)), "{arg}: {text}");
            }
            assert!(!text.contains("chaos"), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        });
    }

    #[test]
    fn each_command_is_in_one_group() {
        let program = grouped(Cli::command());
        let named: Vec<_> = GROUPS.iter().flat_map(|(_, names)| *names).collect();
        for command in program.get_subcommands() {
            let times = named
                .iter()
                .filter(|name| name.as_bytes() == command.get_name().as_bytes())
                .count();
            assert_eq!(times, 1, "{}", command.get_name());
        }
        assert_eq!(named.len(), program.get_subcommands().count() + 1);
        let text = program.clone().render_help().to_string();
        assert!(text.contains("Load traces:\n  balance "), "{text}");
    }

    #[test]
    fn what_is_common_is_there() {
        let mut command = built();
        command.build();
        for (name, ids) in COMMON {
            let command = command.find_subcommand(name).unwrap();
            let known = |id: &&&str| command.get_arguments().any(|arg| arg.get_id() == **id);
            // Those of ranks and of other machines are not everywhere.
            assert!(ids.iter().filter(known).count() + 7 > ids.len(), "{name}");
        }
    }
}
