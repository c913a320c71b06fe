//! Flags that nothing else tries: each of them decides something.

use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{number, object, run, tresse};

/// Returns all iterations of all phases, and how each phase ends.
fn balanced(trace: &Path, flags: &str) -> Vec<Value> {
    let summary = object(tresse(&format!("balance {flags}")).arg(trace), 0);
    let phases = summary["phases"].as_array().into_iter().flatten();
    phases.map(|phase| serde_json::json!([phase["iterations"], phase["final_imbalance"]])).collect()
}

#[test]
fn each_flag_of_balance_changes_the_result() {
    let root = tempdir().unwrap();
    let line = "traces generate --processors 8 --objects 60 --on 2 --phases 2 --drift 0.1 --seed 3";
    assert_eq!(run(tresse(line).arg("--out").arg(root.path()).arg("--quiet")).code, 0);
    let relaxed = "--preset slides --tune criterion=relaxed";
    for (without, flag) in [
        ("", "--tune attempts=1"),
        ("", "--tune cmf=original"),
        ("", "--tune cmf-update=once"),
        ("", "--tune idle=1"),
        ("", "--tune exchange=no"),
        ("", "--tune refuse=no"),
        ("", "--tune order=id"),
        ("", "--tune knowledge=gossiped:2"),
        ("--tune exchange=no,refuse=no", "--tune keep=last"),
        (relaxed, "--tune sender-load=current"),
        (relaxed, "--tune pass=single"),
        (relaxed, "--tune cmf-update=after-acceptance"),
    ] {
        let with = balanced(root.path(), &format!("{without} {flag}"));
        assert!(!with.is_empty(), "{without} {flag}");
        assert_ne!(with, balanced(root.path(), without), "{without} {flag}");
    }
}

/// The mean of each kind of loads is known; that of four thousand is within five standard errors of
/// it.
#[test]
fn generated_loads_have_the_distribution_that_was_asked_for() {
    let root = tempdir().unwrap();
    for (name, loads, mean, deviation, (least, most)) in [
        ("uniform", "uniform:0.5,1.5", 1.0, 1.0 / 12.0_f64.sqrt(), (0.5, 1.5)),
        // Mean e^(σ²/2); variance (e^(σ²) − 1) e^(σ²).
        ("lognormal", "lognormal:0,0.5", 0.125_f64.exp(), 0.604, (0.0, f64::MAX)),
        ("bimodal", "bimodal:1,3..4,0.25", 0.75 + 0.25 * 3.5, 1.094, (1.0, 4.0)),
    ] {
        let folder = root.path().join(name);
        let line = "traces generate --processors 6 --objects 4000 --on 2 --seed 3 --quiet --loads";
        assert_eq!(run(tresse(line).arg(loads).arg("--out").arg(&folder)).code, 0, "{loads}");
        let info = object(tresse("traces info").arg(&folder), 0);
        let of = |key: &str| number(&info, &format!("/phases/0/object_loads/{key}"));
        let error = deviation / 4000.0_f64.sqrt();
        assert!((of("mean") - mean).abs() < 5.0 * error, "{loads}: {} for {mean}", of("mean"));
        assert!((of("deviation") / deviation - 1.0).abs() < 0.1, "{loads}: {}", of("deviation"));
        assert!(of("min") >= least && of("max") <= most, "{loads}: {} to {}", of("min"), of("max"));
    }
}

/// Two nodes, of which the second has half of its time.
const NODES: &str = "simulate --machine cirrus --cells-per-worker 6x6 --iterations 400 --nodes 2 \
    --noise node=1,duty=0.5 --balance joint:0.00005 --node-balance dplb:0.0001,3";

#[test]
fn each_flag_of_the_balancers_changes_what_moves() {
    let counts = |flags: &str| {
        let report = object(&mut tresse(&format!("{NODES} {flags}")), 0);
        ["moves", "transfers"].map(|key| report[key].as_u64().unwrap_or_default())
    };
    let plain = counts("");
    assert!(plain.iter().all(|&moved| moved > 0), "{plain:?}");
    for rule in ["published", "boundary"] {
        assert_ne!(counts(&format!("--node-rule {rule}")), plain, "{rule}");
    }
    let [_, once] = counts("--node-cooldown 1s");
    assert!(once <= 2 && once < plain[1], "each node sends once in a second: {once}");
    let [moves, _] = counts("--dead-band 50");
    assert!(moves < plain[0], "{moves} moves of {}", plain[0]);
}
