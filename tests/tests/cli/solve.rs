//! `tresse solve`: every flag, and what it changes.

use serde_json::{Value, json};

use crate::program::{SMALL, number, object, run, tresse};

/// Runs `solve` with more flags; each has the effect that is named.
fn effects(cases: &[(&str, &str, Value)]) {
    for (flags, pointer, expected) in cases {
        let report = object(&mut tresse(&format!("{SMALL} {flags}")), 0);
        assert_eq!(report.pointer(pointer), Some(expected), "{flags}: {pointer}");
    }
}

#[test]
fn modes() {
    effects(&[
        ("--mode sync", "/mode", json!("sync")),
        ("--mode sync", "/balance", json!("none")),
        // Looked at while an iteration is made, it may be 1.
        ("--mode sync", "/spread/end", json!(0)),
        ("--mode sync", "/staleness/max", json!(0)),
        ("--mode ssync:3", "/mode", json!("ssync:3")),
        ("--mode async", "/mode", json!("async")),
        ("--mode rayon", "/mode", json!("rayon")),
        ("--mode rayon", "/moves", json!(0)),
    ]);
}

#[test]
fn balancers_and_their_parameters() {
    effects(&[
        ("", "/balance", json!("auto")),
        ("--low 1", "/balance", json!("split:0.001")),
        ("", "/auto/lag", json!(16)),
        ("--balance borrow:2ms,5", "/balance", json!("borrow:0.002,5")),
        ("--balance none", "/balance", json!("none")),
        ("--balance none", "/rounds", json!(0)),
        ("--balance joint:2ms", "/balance", json!("joint:0.002")),
        ("--balance split:0.5", "/balance", json!("split:0.5")),
        ("--balance hybrid:200us,5", "/balance", json!("hybrid:0.0002,5")),
        ("--balance swap:1ms", "/balance", json!("swap:0.001")),
        ("--balance gradient:1ms", "/balance", json!("gradient:0.001")),
        ("--balance grapevine:1ms", "/balance", json!("grapevine:0.001")),
        ("--pairs 3", "/config/plb/pairs", json!(3)),
        ("--low 1", "/config/plb/low", json!(1)),
        ("--high 9", "/config/plb/high", json!(9)),
        ("--dead-band 40", "/config/plb/dead_band", json!(40)),
    ]);
}

#[test]
fn problem_and_machine() {
    effects(&[
        ("", "/grid", json!([24, 32])),
        ("--split 3", "/subdomains", json!(6)),
        ("--split 3", "/config/split", json!(3)),
        ("", "/workers", json!(2)),
        ("--topology 2x1", "/sockets", json!(2)),
        ("--precision f32", "/precision", json!("f32")),
        ("--seed 18446744073709551615", "/seed", json!(u64::MAX)),
        ("", "/residual/tolerance", json!(0.01)),
        ("", "/converged", json!(true)),
        ("", "/version", json!(env!("CARGO_PKG_VERSION"))),
    ]);
}

#[test]
fn a_part_for_each_worker_makes_the_grid() {
    let line = "solve --cells-per-worker 12x10 --workers 2 --tolerance 0.1";
    let report = object(&mut tresse(line), 0);
    assert_eq!(report["grid"], json!([24, 10]));
}

#[test]
fn iterations_end_a_run_that_was_asked_for_no_tolerance() {
    let line = "solve --workers 2 --grid 24x32 --mode sync --iterations 7";
    let report = object(&mut tresse(line), 0);
    assert_eq!(
        report["config"]["stop"],
        json!({"tolerance": null, "absolute_tolerance": null, "reference": null, "iterations": 7})
    );
    assert_eq!(report["iterations"], json!(7.0));
    assert!(report["converged"].is_null() && report["residual"]["tolerance"].is_null());
}

#[test]
fn noise_runs_on_the_cores_that_were_named() {
    let line = "--noise node=0,duty=0.2 --noise socket=0,sleep=100us,work=500";
    let report = object(&mut tresse(&format!("{SMALL} {line}")), 0);
    let sources: Vec<_> = report["noise"].as_array().unwrap().iter().collect();
    let asked = ["node=0,duty=0.2", "socket=0,sleep=0.0001s,work=500"];
    assert_eq!(report["config"]["noise"], json!(asked));
    for source in asked {
        let found = sources.iter().find(|found| found["source"] == source);
        let found = found.unwrap_or_else(|| panic!("{source} in {report:#}"));
        assert!(found["core"].is_u64());
        assert!((0.0..=1.0).contains(&number(found, "/share")), "{found}");
    }
}

#[test]
fn the_object_has_every_key_with_its_type() {
    let report = object(&mut tresse(&format!("{SMALL} --noise node=0,duty=0.1")), 0);
    let is = |pointer: &str, right: fn(&Value) -> bool| {
        let value = report.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}: {report:#}"));
        assert!(right(value), "{pointer} is {value}");
    };
    for key in ["mode", "balance", "precision", "version", "machine/cpu", "noise/0/source"] {
        is(&format!("/{key}"), Value::is_string);
    }
    for key in [
        "workers",
        "sockets",
        "subdomains",
        "grid/0",
        "grid/1",
        "seed",
        "updates",
        "spread/end",
        "spread/max",
        "staleness/max",
        "moves",
        "rounds",
        "machine/cores",
        "noise/0/core",
    ] {
        is(&format!("/{key}"), Value::is_u64);
    }
    for key in [
        "iterations",
        "seconds",
        "iteration_rate",
        "cell_updates_per_second",
        "staleness/mean",
        "residual/initial",
        "residual/detected",
        "residual/verified",
        "residual/relative",
        "residual/tolerance",
        "noise/0/share",
    ] {
        is(&format!("/{key}"), Value::is_f64);
    }
    is("/converged", Value::is_boolean);
    is("/config", Value::is_object);
}

#[test]
fn the_report_of_a_person_has_the_configuration_and_the_figures() {
    let ended = run(&mut tresse(SMALL));
    assert_eq!(ended.code, 0, "{}", ended.err);
    for part in [
        "24x32 cells, f64",
        "2, 4 subdomains each",
        "async",
        "auto (6 borrowed in a round at most; where that is not enough pull:8, ",
        "auto came to a round every",
        "1e-2",
        "seed",
        "converged",
        "verified",
        " s\n",
        "per second",
        "billion updates per second",
        "spread",
        "staleness",
        "moves",
    ] {
        assert!(ended.out.contains(part), "no {part} in\n{}", ended.out);
    }
    assert!(ended.err.is_empty(), "{}", ended.err);
}

#[test]
fn quiet_is_quiet() {
    let ended = run(tresse(SMALL).arg("--quiet"));
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", ""));
}

#[test]
fn quiet_does_not_silence_the_object() {
    let report = object(tresse(SMALL).arg("--quiet"), 0);
    assert_eq!(report["converged"], json!(true));
}
