//! Flags that cannot be used: exit code 2 and one line that names the flag and the mend.

use std::fs;

use tempfile::tempdir;

use crate::program::{SMALL, names, object, refused, run, tresse};

fn solve_refuses(cases: &[(&str, &[&str])]) {
    for (flags, parts) in cases {
        refused(&mut tresse(&format!("solve {flags}")), parts);
    }
}

#[test]
fn sizes_of_zero() {
    solve_refuses(&[
        ("--grid 0x5", &["--grid", "at least 1"]),
        ("--grid 5x0", &["--grid", "at least 1"]),
        ("--grid -1x3", &["--grid", "at least 1"]),
        ("--cells-per-worker 0x0", &["--cells-per-worker", "at least 1"]),
        ("--cell-size 0x1", &["--cell-size", "HEIGHTxWIDTH"]),
        ("--cell-size 1x-1", &["--cell-size", "above 0"]),
        ("--workers 0", &["--workers", "at least 1"]),
        ("--split 0", &["--split", "at least 1"]),
        ("--iterations 0", &["--iterations", "at least 1"]),
        ("--topology 0x4", &["--topology"]),
        ("--topology 4x0", &["--topology"]),
    ]);
}

#[test]
fn enormous_sizes_name_the_memory() {
    solve_refuses(&[
        ("--grid 1000000x1000000", &["--grid", "memory", "TiB", "available", "smaller"]),
        ("--grid 4294967295x4294967295", &["--grid", "memory", "EiB"]),
        ("--cells-per-worker 4294967295x9 --workers 16000", &["--cells-per-worker", "memory"]),
        ("--grid 9000000x9000000 --mode rayon", &["--grid", "memory"]),
        ("--grid 99999999999x5", &["--grid", "at most 4294967295"]),
        ("--workers 4294967295 --grid 60000x60000 --split 1", &["--workers"]),
        ("--workers 20000 --grid 200x200 --split 1", &["workers", "--workers", "16384"]),
        ("--topology 99999x99999 --split 1", &["workers", "--workers"]),
    ]);
}

#[test]
fn more_subdomains_than_cells() {
    solve_refuses(&[
        ("--workers 2 --grid 2x2", &["8 subdomains", "--split", "--grid"]),
        ("--workers 1 --cells-per-worker 5x5 --split 26", &["26 subdomains", "--cells-per-worker"]),
        ("--workers 1 --split 4294967295", &["4294967295 subdomains", "--split"]),
    ]);
}

#[test]
fn ends_that_are_never_reached() {
    solve_refuses(&[
        ("--tolerance 0", &["--tolerance 0", "above 0"]),
        ("--tolerance -1e-4", &["--tolerance -0.0001", "above 0"]),
        ("--tolerance nan", &["--tolerance NaN", "above 0"]),
        ("--tolerance inf", &["--tolerance inf", "above 0"]),
        ("--tolerance 1e-999", &["--tolerance 0", "above 0"]),
        ("--tolerance little", &["--tolerance", "1e-4"]),
        ("--iterations -3", &["--iterations"]),
    ]);
}

#[test]
fn balancers_that_make_no_sense() {
    solve_refuses(&[
        ("--mode sync --balance split:1ms", &["--balance", "--mode sync", "--mode async"]),
        ("--mode rayon --balance joint:1ms", &["--balance", "--mode rayon"]),
        ("--imbalance 1", &["--imbalance", "below 1"]),
        ("--imbalance -0.1", &["--imbalance", "below 1"]),
        ("--workers 2 --grid 20x20 --imbalance 0.99", &["8 subdomains", "20x20"]),
        ("--low 6", &["--low 6", "--high 6", "below"]),
        ("--low 7 --high 3", &["--low 7", "--high 3", "below"]),
        ("--low 0", &["--low 0", "at least 1"]),
        ("--pairs 0", &["--pairs 0", "1 to 64"]),
        ("--pairs 1000", &["--pairs 1000", "1 to 64"]),
        ("--balance joint", &["--balance"]),
        ("--balance joint:0", &["--balance"]),
        ("--balance hybrid:1ms,0", &["--balance"]),
        ("--balance grapevine", &["--balance", "period"]),
        ("--balance grapevine:0", &["--balance", "period"]),
        ("--balance grapewine:1ms", &["--balance", "grapevine:F"]),
        ("--mode sync --balance grapevine:1ms", &["--balance", "--mode sync"]),
        ("--balance none:1ms", &["--balance"]),
        ("--mode ssync:-1", &["--mode"]),
        ("--mode fast", &["--mode"]),
    ]);
}

#[test]
fn flags_that_do_not_exist_or_do_not_go_together() {
    solve_refuses(&[
        ("--tolerence 1e-3", &["--tolerence"]),
        ("--grid 9x9 --cells-per-worker 9x9", &["--grid", "--cells-per-worker"]),
        ("--precision f16", &["--precision"]),
        ("--seed -1", &["--seed"]),
        ("stray", &["stray"]),
        ("--grid", &["--grid"]),
    ]);
    let ended = run(&mut tresse("solve --tolerence 1e-3"));
    assert!(ended.err.contains("'--tolerance'"), "the nearest flag is named: {}", ended.err);
}

#[test]
fn noise_where_no_worker_can_be() {
    let out = tempdir().unwrap();
    let folder = out.path().join("results");
    for (flags, parts) in [
        ("--noise core=99999,duty=0.1", &["--noise core=99999", "allowed"][..]),
        ("--noise socket=77,duty=0.1", &["--noise socket=77", "sockets with workers"]),
        ("--noise node=3,duty=0.1", &["--noise node=3", "node=0"]),
        ("--noise core=99999,duty=0.1 --mode rayon", &["--noise core=99999", "allowed"]),
        ("--noise core=0", &["--noise"]),
        ("--noise core=0,duty=1.5", &["--noise"]),
        ("--noise core=0,sleep=1ms", &["--noise"]),
        ("--noise everywhere,duty=0.5", &["--noise"]),
        ("--noise any-core=999,duty=0.5", &["--noise"]),
        ("--noise any-core=32,duty=0.5 --noise core=0,duty=0.1", &["--noise", "33", "at most 32"]),
        ("--noise any-socket=32,duty=0.5", &["--noise any-socket=32", "sockets with workers"]),
        ("--noise any-node=0..2,duty=0.1..0.5", &["--noise any-node=0..2", "at most 1", "nodes"]),
        ("--noise any-node=2..0,duty=0.5", &["--noise", "such as 0..15"]),
        ("--noise any-node=1,duty=0.5..0.1", &["--noise", "such as 0.15..0.4"]),
        ("--noise node=0,duty=0.1..0.5", &["--noise", "0.19"]),
        ("--noise core=0,burst=0s,gap=1ms", &["--noise", "above 0"]),
        ("--noise core=0,burst=1ms", &["--noise", "gap=TIME"]),
    ] {
        refused(tresse(&format!("{SMALL} {flags}")).arg("--out").arg(&folder), parts);
    }
    assert!(!folder.exists(), "nothing is made for a run that cannot be");
    let many = "--noise node=0,duty=0.01 ".repeat(33);
    solve_refuses(&[(&many, &["--noise", "33 sources", "at most 32"])]);
}

#[test]
fn places_that_cannot_be_written_are_found_before_the_run() {
    let root = tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "here first").unwrap();
    for place in [file.clone(), file.join("below"), "/proc/tresse/out".into()] {
        // A run that would not end: it is not even begun.
        let mut command = tresse(crate::program::ENDLESS);
        refused(command.arg("--out").arg(place), &["--out", "cannot be written"]);
    }
    assert_eq!(fs::read(&file).unwrap(), b"here first");
    assert_eq!(names(root.path()), ["file"]);
}

#[test]
fn what_cannot_be_meant_is_a_warning() {
    for (flags, parts) in [
        ("--split 2 --low 2", &["--split 2", "--low 2", "no subdomain can ever move"]),
        ("--workers 40", &["40", "allowed cores", "--workers"]),
        ("--balance none --no-help", &["--no-help", "--balance none", "no effect"]),
        ("--balance none --always-help", &["--always-help", "--balance none", "no effect"]),
    ] {
        let ended =
            run(tresse(&format!("solve --grid 60x60 --iterations 5 {flags}")).arg("--quiet"));
        assert_eq!(ended.code, 0, "{}", ended.err);
        let warnings: Vec<_> =
            ended.err.lines().filter(|line| line.starts_with("warning: ")).collect();
        let named = |line: &&&str| parts.iter().all(|part| line.contains(part));
        assert!(warnings.iter().any(|line| named(&line)), "{flags}: {}", ended.err);
    }
}

#[test]
fn a_warning_does_not_spoil_the_object() {
    let line = "solve --workers 2 --grid 20x20 --iterations 5 --split 2 --low 2";
    let report = object(&mut tresse(line), 0);
    assert_eq!(report["moves"], 0);
}
