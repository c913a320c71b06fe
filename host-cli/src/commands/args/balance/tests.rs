//! Flags of `balance`, and what they resolve to.

use clap::Parser;
use tresse_core::balance::grapevine::{Config, Criterion, SenderLoad, Threshold, View};
use tresse_core::balance::objects::Millionths;

use super::flags;
use crate::commands::args::{BalanceArgs, Cli, Command};
use crate::experiments::balancing::Method;

fn args(line: &str) -> BalanceArgs {
    let words = ["tresse", "balance", "trace"].into_iter().chain(line.split_whitespace());
    match Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).command {
        Command::Balance(args) => *args,
        other => panic!("{other:?}"),
    }
}

fn config(line: &str) -> Config {
    match args(line).method() {
        Ok(Method::Grapevine(config)) => config,
        other => panic!("{line}: {other:?}"),
    }
}

fn refused(line: &str) -> String {
    args(line).method().unwrap_err().to_string()
}

#[test]
fn presets_are_the_core_s() {
    assert_eq!(config(""), Config { seed: 1, ..Config::DISTRIBUTED });
    assert_eq!(config("--preset slides --seed 0"), Config::SLIDES);
    let relaxed = config("--preset slides --criterion relaxed --threshold 1.05");
    assert_eq!(relaxed.criterion, Criterion::Relaxed);
    assert_eq!(relaxed.threshold, Threshold::Times(Millionths(1_050_000)));
}

#[test]
fn what_was_not_chosen_follows_what_was() {
    let gossiped = config("--preset slides --knowledge gossiped:8");
    assert_eq!((gossiped.known, gossiped.sender_load), (Some(8), SenderLoad::Current));
    let live = config("--knowledge live");
    assert_eq!((live.view, live.known), (View::Live, None));
    assert_eq!(config("--knowledge gossiped").known, Some(64));
    assert_eq!(config("--knowledge live:3").known, Some(3));
    assert!(!config("--refuse no").exchange);
    assert!(config("--preset slides --exchange yes").refuse);
    assert!(config("--preset slides --trials 2").keep_best);
}

#[test]
fn the_effective_flags_give_the_same_configuration() {
    for line in [
        "",
        "--preset slides",
        "--knowledge live:7 --fanout 9 --rounds 2 --iterations 5 --threshold falling:3",
        "--threshold 2.000001 --order small-objects --cmf original --cmf-update once",
        "--pass restart --attempts 4 --exchange no --refuse no --keep last --target 0.05",
        "--preset slides --sender-load at-turn --trials 3 --idle 9 --seed 18446744073709551615",
    ] {
        let effective = config(line);
        assert_eq!(config(&flags(&effective)), effective, "{line}");
    }
}

#[test]
fn choices_that_exclude_each_other_are_both_named() {
    for (line, parts) in [
        ("--exchange yes --refuse no", ["--exchange yes", "--refuse no"]),
        ("--trials 2 --keep last", ["--trials", "--keep last"]),
        ("--sender-load at-turn", ["--sender-load at-turn", "--knowledge gossiped"]),
        ("--method lpt --fanout 3", ["--fanout", "--method lpt"]),
        ("--refuse no --memory-limit 8e9", ["--memory-limit", "--refuse yes"]),
        ("--knowledge gossiped:65", ["--knowledge", "1 to 64"]),
        ("--knowledge live:0", ["--knowledge", "1 to 64"]),
        ("--fanout 65", ["--fanout", "1 to 64"]),
        ("--fanout 0", ["--fanout", "1 to 64"]),
        ("--rounds 0", ["--rounds", "at least one"]),
        ("--attempts 0", ["--attempts", "at least one"]),
        ("--trials 0", ["--trials", "at least one"]),
        ("--threshold 0.999999", ["--threshold", "at least 1"]),
    ] {
        let message = refused(line);
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
    }
    assert!(matches!(args("--method random --seed 4").method(), Ok(Method::Random(4))));
    for method in ["none", "random", "lpt"] {
        assert!(args(&format!("--method {method} --memory-limit 5")).method().is_ok());
    }
    assert_eq!(args("--memory-limit 7.5GiB").memory_limit, Some(15 << 29));
}
