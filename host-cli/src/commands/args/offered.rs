//! The values that shells offer for flags: examples for flags that have no fixed list of values.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use tresse_core::run::Balance;

use crate::experiments::reproduce::EXPERIMENTS;
use crate::files::machine_files::NAMES;

/// Returns the values that are offered for the flag or argument of a name, if there are good examples.
fn values(id: &str) -> Option<Vec<&'static str>> {
    let values: &[&str] = match id {
        "mode" => &["sync", "ssync:1", "ssync:30", "async", "rayon"],
        "balance" => &Balance::EXAMPLES,
        "node_balance" => &["none", "rows", "dplb:0.5,10"],
        "node_rule" => &["settled", "boundary", "published"],
        "precision" => &["f32", "f64"],
        "machine" => &NAMES,
        "knowledge" => &["live", "live:64", "gossiped", "gossiped:all"],
        "threshold" => &["1.0", "falling"],
        "phase" => &["all"],
        "loads" => &["uniform:1e-5,1e-1"],
        "name" => return Some(EXPERIMENTS.iter().map(|experiment| experiment.name).collect()),
        _ => return None,
    };
    Some(values.to_vec())
}

/// Returns the command with offered values, for a generator of completions; it must not be used to parse
/// a command line.
pub(crate) fn offering(command: Command) -> Command {
    command.mut_args(offered).mut_subcommands(offering)
}

fn offered(arg: Arg) -> Arg {
    if let Some(values) = values(arg.get_id().as_str()) {
        return arg.value_parser(PossibleValuesParser::new(values));
    }
    let is_folder =
        arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == "DIR"));
    match arg.get_value_hint() {
        _ if is_folder => arg.value_hint(ValueHint::DirPath),
        // A number is no file.
        ValueHint::Unknown if arg.get_action().takes_values() => arg.value_hint(ValueHint::Other),
        _ => arg,
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::commands::args::Cli;

    #[test]
    fn what_is_offered_is_accepted() {
        let mut offers = 0;
        for (line, id) in [
            ("solve --mode", "mode"),
            ("solve --balance", "balance"),
            ("simulate --node-balance", "node_balance"),
            ("simulate --node-rule", "node_rule"),
            ("solve --precision", "precision"),
            ("bench kernel --precision", "precision"),
            ("simulate --machine", "machine"),
            ("balance a --knowledge", "knowledge"),
            ("balance a --threshold", "threshold"),
            ("balance a --phase", "phase"),
            ("traces generate --processors 2 --objects 5 --out a --loads", "loads"),
            ("reproduce", "name"),
        ] {
            for value in values(id).unwrap() {
                let words = ["tresse"].into_iter().chain(line.split(' ')).chain([value]);
                assert!(Cli::try_parse_from(words).is_ok(), "{line} {value}");
                offers += 1;
            }
        }
        assert!(offers > 40, "{offers}");
    }

    #[test]
    fn every_flag_that_takes_a_value_offers_something_or_nothing() {
        fn check(command: &Command) {
            for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
                let is_listed = !arg.get_possible_values().is_empty();
                let is_hinted = arg.get_value_hint() != ValueHint::Unknown;
                assert!(is_listed || is_hinted, "{} {arg}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        let mut command = offering(Cli::command()).disable_help_subcommand(true);
        command.build();
        check(&command);
    }
}
