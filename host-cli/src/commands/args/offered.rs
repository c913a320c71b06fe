//! The values that shells offer for flags: examples for flags that have no fixed list of values.

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, ValueHint};
use tresse_core::run::Balance;
use tresse_core::tasks::uts::NAMED;

use crate::engine::solvers::Solver;
use crate::experiments::reproduce::EXPERIMENTS;
use crate::files::machine_files::NAMES;

/// Returns the values that are offered for the flag or argument of a name, if there are good
/// examples.
fn values(id: &str) -> Option<Vec<&'static str>> {
    let values: &[&str] = match id {
        "mode" => &Solver::EXAMPLES,
        "balance" => &Balance::EXAMPLES,
        "node_balance" => &["none", "rows", "dplb:0.5,10"],
        "node_rule" => &["settled", "boundary", "published"],
        "precision" => &["f32", "f64"],
        "machine" => &NAMES,
        "tune" => &[
            "criterion=original",
            "criterion=relaxed",
            "knowledge=live:64",
            "knowledge=gossiped:all",
            "threshold=falling:4",
            "order=small-objects",
            "keep=last",
        ],
        "phase" => &["all"],
        "loads" => &["uniform:1e-5,1e-1", "lognormal:-7,1"],
        "graph" => &["random:vertices=1e6,degree=8"],
        "noise" => &[
            "core=0,sleep=200us,work=10000",
            "core=0,burst=46us,gap=200us",
            "core=0,duty=0.4",
            "any-core=1,duty=0.4",
            "socket=0,duty=0.4",
            "node=0,duty=0.4",
        ],
        "what" => &["sleep=200us,work=10000", "burst=46us,gap=200us", "duty=0.4"],
        "kind" | "shape" => &["0", "1", "2", "3"],
        "tree" => return Some(NAMED.iter().map(|tree| tree.name).collect()),
        "name" => return Some(EXPERIMENTS.iter().map(|experiment| experiment.name).collect()),
        _ => return None,
    };
    Some(values.to_vec())
}

/// Returns the command with offered values, for a generator of completions; it must not be used to
/// parse a command line.
pub(crate) fn offering(command: Command) -> Command {
    command.mut_args(offered).mut_subcommands(offering)
}

/// Returns the flag with what a shell is to offer for its value: examples, folders, files or
/// nothing.
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
    use std::collections::BTreeSet;

    use clap::{CommandFactory as _, Parser as _};
    use tresse_core::run::{Mode, NodeBalance, NodeRule};

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
            ("balance a --tune", "tune"),
            ("balance a --phase", "phase"),
            ("traces generate --processors 2 --objects 5 --out a --loads", "loads"),
            ("reproduce", "name"),
            ("traverse --graph", "graph"),
            ("solve --noise", "noise"),
            ("compare --noise", "noise"),
            ("noise --core 0", "what"),
            ("uts -t", "kind"),
            ("uts -a", "shape"),
            ("uts --tree", "tree"),
        ] {
            for value in values(id).unwrap() {
                let words = ["tresse"].into_iter().chain(line.split(' ')).chain([value]);
                assert!(Cli::try_parse_from(words).is_ok(), "{line} {value}");
                offers += 1;
            }
        }
        assert!(offers > 40, "{offers}");
    }

    /// Compiles only as long as every kind is known here.
    #[test]
    fn every_kind_is_offered() {
        let of_mode = |text: &&str| match Solver::parse(text).unwrap() {
            Solver::Rayon => 0,
            Solver::Engine(Mode::Sync) => 1,
            Solver::Engine(Mode::Exact) => 2,
            Solver::Engine(Mode::SemiSync(_)) => 3,
            Solver::Engine(Mode::Async) => 4,
        };
        let of_balance = |text: &&str| match Balance::parse(text).unwrap() {
            Balance::Auto => 0,
            Balance::None => 1,
            Balance::Joint(_) => 2,
            Balance::Split(_) => 3,
            Balance::Hybrid(..) => 4,
            Balance::Swap(_) => 5,
            Balance::Gradient(_) => 6,
            Balance::Grapevine(_) => 7,
            Balance::Borrow(..) => 8,
            Balance::Pull(_) => 9,
        };
        let of_nodes = |text: &&str| match NodeBalance::parse(text).unwrap() {
            NodeBalance::None => 0,
            NodeBalance::Rows => 1,
            NodeBalance::Dplb { .. } => 2,
            // For tests.
            NodeBalance::Chaos { .. } => 3,
        };
        let of_rule = |text: &&str| match NodeRule::parse(text).unwrap() {
            NodeRule::Settled => 0,
            NodeRule::Boundary => 1,
            NodeRule::Published => 2,
        };
        assert_eq!(offered_kinds("mode", of_mode), (0..5).collect());
        assert_eq!(offered_kinds("balance", of_balance), (0..10).collect());
        assert_eq!(offered_kinds("node_balance", of_nodes), (0..3).collect());
        assert_eq!(offered_kinds("node_rule", of_rule), (0..3).collect());
    }

    fn offered_kinds(id: &str, kind: impl FnMut(&&str) -> u32) -> BTreeSet<u32> {
        values(id).unwrap().iter().map(kind).collect()
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
