//! Flags of `balance`, and what they resolve to.

use clap::Parser;
use tresse_core::balance::grapevine::{Config, Criterion, SenderLoad, Threshold, View};
use tresse_core::balance::objects::Millionths;

use super::flags;
use crate::balancing::Method;
use crate::commands::args::BalanceArgs;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: BalanceArgs,
}

fn args(line: &str) -> BalanceArgs {
    let words = ["balance", "trace"].into_iter().chain(line.split_whitespace());
    Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).args
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
    let relaxed = config("--preset slides --tune criterion=relaxed,threshold=1.05");
    assert_eq!(relaxed.criterion, Criterion::Relaxed);
    assert_eq!(relaxed.threshold, Threshold::Times(Millionths(1_050_000)));
}

#[test]
fn what_was_not_chosen_follows_what_was() {
    let gossiped = config("--preset slides --tune knowledge=gossiped:8");
    assert_eq!((gossiped.known, gossiped.sender_load), (Some(8), SenderLoad::Current));
    let live = config("--tune knowledge=live");
    assert_eq!((live.view, live.known), (View::Live, None));
    assert_eq!(config("--tune knowledge=gossiped").known, Some(64));
    assert_eq!(config("--tune knowledge=live:3").known, Some(3));
    assert!(!config("--tune refuse=no").exchange);
    assert!(config("--preset slides --tune exchange=yes").refuse);
    assert!(config("--preset slides --trials 2").keep_best);
}

#[test]
fn the_effective_flags_give_the_same_configuration() {
    for line in [
        "",
        "--preset slides",
        "--tune knowledge=live:7,fanout=9,rounds=2 --iterations 5 --tune threshold=falling:3",
        "--tune threshold=2.000001,order=small-objects,cmf=original,cmf-update=once",
        "--tune pass=restart,attempts=4,exchange=no,refuse=no,keep=last --target 0.05",
        "--preset slides --tune sender-load=at-turn --trials 3 --tune idle=9 --seed 18446744073709551615",
    ] {
        let effective = config(line);
        assert_eq!(config(&flags(&effective)), effective, "{line}");
    }
}

#[test]
fn choices_that_exclude_each_other_are_both_named() {
    for (line, parts) in [
        ("--tune exchange=yes,refuse=no", ["--tune exchange=yes", "--tune refuse=no"]),
        ("--trials 2 --tune keep=last", ["--trials", "--tune keep=last"]),
        ("--tune sender-load=at-turn", ["--tune sender-load=at-turn", "--tune knowledge=gossiped"]),
        ("--method lpt --tune fanout=3", ["--tune", "--method lpt"]),
        ("--tune refuse=no --memory-limit 8e9", ["--memory-limit", "--tune refuse=yes"]),
        ("--tune knowledge=gossiped:65", ["--tune knowledge", "1 to 64"]),
        ("--tune knowledge=live:0", ["--tune knowledge", "1 to 64"]),
        ("--tune fanout=65", ["--tune fanout", "1 to 64"]),
        ("--tune fanout=0", ["--tune fanout", "1 to 64"]),
        ("--tune rounds=0", ["--tune rounds", "at least one"]),
        ("--tune attempts=0", ["--tune attempts", "at least one"]),
        ("--trials 0", ["--trials", "at least one"]),
        ("--tune threshold=0.999999", ["--tune threshold", "at least 1"]),
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
