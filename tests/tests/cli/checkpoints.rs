//! `solve --checkpoint` and `--resume`: what a run leaves to go on from, and that another one goes
//! on as if there had been no end.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::tempdir;

use crate::program::{names, object, refused, run, tresse};

/// A problem without symmetry: no sweep of it leaves a cell as it was.
fn pose(folder: &Path, coefficient: bool) {
    let coefficient = if coefficient { "coefficient = 2.5\n" } else { "" };
    let text = format!(
        "grid = [70, 90]\ninitial = 0.25\nsource = 0.01\n{coefficient}\
         [boundary]\nleft = 3.0\nright = 0.5\ntop = {{ gaussian = {{ amplitude = 10.0, centre = 0.3, width = 0.1 }} }}\nbottom = 0.0\n"
    );
    fs::write(folder.join("problem.toml"), text).unwrap();
}

fn solve(folder: &Path, flags: &str) -> Command {
    let workers = if flags.contains("--workers") { "" } else { "--workers 2" };
    let mut command = tresse(&format!("solve {workers} --tolerance 1e-300 {flags}"));
    command.arg("--problem").arg(folder.join("problem.toml"));
    command
}

/// Ends after `first` iterations, short of its tolerance, and goes on to `all`; compares the field
/// with that of one run.
fn assert_goes_on((before, after): (&str, &str), [first, all]: [u32; 2], coefficient: bool) {
    let folder = tempdir().unwrap();
    pose(folder.path(), coefficient);
    let (saved, at_once, resumed) =
        (folder.path().join("saved"), folder.path().join("once"), folder.path().join("resumed"));
    let whole = format!("{before} --iterations {all}");
    object(solve(folder.path(), &whole).arg("--out").arg(&at_once), 1);
    let beginning = format!("{before} --iterations {first}");
    object(solve(folder.path(), &beginning).arg("--checkpoint").arg(&saved), 1);
    assert_eq!(names(&saved), ["checkpoint-1"], "{before}");
    let end = format!("{after} --iterations {all}");
    let mut going_on = solve(folder.path(), &end);
    let report = object(going_on.arg("--resume").arg(&saved).arg("--out").arg(&resumed), 1);
    assert_eq!(report["iterations"], f64::from(all), "iterations are those of all runs together");
    let of = |out: &Path| fs::read(out.join("field.npy")).unwrap();
    assert!(of(&at_once) == of(&resumed), "{before}, then {after}: another field");
}

#[test]
fn runs_without_chance_go_on_to_the_bit() {
    for (runs, iterations, coefficient) in [
        (("--mode sync", "--mode exact --workers 1 --split 3"), [40, 90], false),
        (("--mode exact --precision f32", "--mode sync"), [41, 77], true),
        (("--method multigrid", ""), [2, 5], false),
        (("--method multigrid --precision f32 --smoothing 3", ""), [1, 4], false),
        (("--method multigrid", "--workers 1"), [3, 6], true),
    ] {
        assert_goes_on(runs, iterations, coefficient);
    }
}

#[test]
fn an_asynchronous_run_goes_on_and_leaves_its_own_checkpoint() {
    let folder = tempdir().unwrap();
    pose(folder.path(), false);
    let saved = folder.path().join("deep/saved");
    let mut first = solve(folder.path(), "--iterations 50");
    let first = run(first.arg("--checkpoint").arg(&saved));
    assert!(first.out.contains("checkpoint-1"), "{}", first.out);
    // The same folder is no other run's, unless it goes on from there.
    let flags = "--iterations 120";
    refused(
        solve(folder.path(), flags).arg("--checkpoint").arg(&saved),
        &["--checkpoint", "saved"],
    );
    let mut second = solve(folder.path(), flags);
    let report = object(second.arg("--resume").arg(&saved).arg("--checkpoint").arg(&saved), 1);
    assert!(report["iterations"].as_f64().unwrap() >= 120.0);
    assert_eq!(names(&saved), ["checkpoint-1", "checkpoint-2"]);
    let mut last = tresse("solve --tolerance 1e-6");
    last.arg("--problem").arg(folder.path().join("problem.toml")).arg("--resume").arg(&saved);
    let report = object(&mut last, 0);
    assert_eq!(report["converged"], true);
}

#[test]
fn what_cannot_be_gone_on_with_is_refused() {
    let folder = tempdir().unwrap();
    pose(folder.path(), false);
    let saved = folder.path().join("saved");
    run(solve(folder.path(), "--iterations 30").arg("--checkpoint").arg(&saved));
    for (flags, parts) in [
        ("--iterations 30", &["--iterations 30", "already"][..]),
        ("--precision f32", &["--precision", "f32", "f64"]),
        ("--grid 70x80", &["70x90", "70x80"]),
        ("--method multigrid", &["--method", "jacobi", "multigrid"]),
        ("--mode rayon", &["--resume", "--mode rayon", "leave it out"]),
        ("--record run.tresse", &["--record", "--resume"]),
        ("--every 5s", &["--checkpoint"]),
    ] {
        let mut command = solve(folder.path(), flags);
        let ended = run(command.arg("--resume").arg(&saved));
        assert_eq!(ended.code, 2, "{flags}: {}", ended.err);
        for part in parts {
            assert!(ended.err.contains(part), "{flags}: no {part} in {}", ended.err);
        }
    }
    refused(tresse("solve --resume").arg(folder.path().join("nothing")), &["nothing"]);
    refused(
        solve(folder.path(), "--mode rayon").arg("--checkpoint").arg(folder.path().join("new")),
        &["--checkpoint", "--mode rayon"],
    );
}
