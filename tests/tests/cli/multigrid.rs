//! `solve --method multigrid`: the same field to the bit for any number of workers, and that of
//! Jacobi.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]

use std::fs;

use ndarray::Array2;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::program::{SMALL, field, names, number, object, refused, run, tresse};

/// A problem that has everything: profiles on all sides, a start and a source.
const PROBLEM: &str = "\
initial = 2.0
source = 0.01
[boundary]
top = { gaussian = { amplitude = 10.0, centre = 0.3, width = 0.2 } }
left = 0.5
right = -1.5
bottom = 1.0
";

/// Solves [`PROBLEM`] with these flags, and returns the field and the report.
fn solved(flags: &str) -> (Array2<f64>, Value) {
    made("solve", flags)
}

/// Does the same by a command.
fn made(command: &str, flags: &str) -> (Array2<f64>, Value) {
    let folder = tempdir().unwrap();
    let (problem, out) = (folder.path().join("p.toml"), folder.path().join("out"));
    fs::write(&problem, PROBLEM).unwrap();
    let line = format!("{command} --problem {} --out {} {flags}", problem.display(), out.display());
    let report = object(&mut tresse(&line), 0);
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&summary).unwrap()["method"], report["method"]);
    // Where all have the same count there is no braid.
    let has_braid = names(&out).iter().any(|name| name.starts_with("braid"));
    assert_eq!(has_braid, report["method"] == "jacobi", "{line}");
    (field(&out), report)
}

#[test]
fn the_field_is_the_same_to_the_bit_for_any_number_of_workers_and_bands() {
    let line = "--method multigrid --grid 231x198 --tolerance 1e-9";
    let (expected, report) = solved(&format!("{line} --workers 1 --split 1"));
    let bits = |field: &Array2<f64>| field.map(|cell| cell.to_bits());
    for flags in [
        "--workers 1",
        "--workers 2",
        "--workers 4",
        "--workers 2 --split 7 --noise node=0,duty=0.3",
    ] {
        let (field, other) = solved(&format!("{line} {flags}"));
        assert!(bits(&field) == bits(&expected), "{flags}");
        assert_eq!(other["residual"], report["residual"], "{flags}");
    }
}

/// In virtual time the cycles, the residuals and the cells are those of threads, whatever the
/// machine; noise takes time.
#[test]
fn virtual_time_changes_no_cell() {
    for flags in ["--cell-size 1", "--cell-size 2x1"] {
        let line = format!("--method multigrid --grid 231x198 --tolerance 1e-9 {flags}");
        let (expected, report) = solved(&format!("{line} --workers 2"));
        let mut times = Vec::new();
        for machine in
            ["--machine laptop", "--machine laptop --noise core=1,duty=0.5", "--machine archer"]
        {
            let (field, other) = made("simulate", &format!("{line} {machine}"));
            assert_eq!(field, expected, "{machine}");
            for key in ["method", "cycles", "levels", "residual", "end"] {
                assert_eq!(other[key], report[key], "{key}, {machine}: {other:#}");
            }
            let (_, again) = made("simulate", &format!("{line} {machine}"));
            assert_eq!(other["seconds"], again["seconds"], "{machine}");
            times.push(number(&other, "/seconds"));
        }
        assert!(times[0] < times[1], "{times:?}");
    }
}

/// Virtual nodes know of each other's rows only what they send each other.
#[test]
fn virtual_nodes_change_no_cell_and_seven_take_less_time_than_three() {
    for flags in ["--cell-size 1", "--cell-size 2x1"] {
        let line = format!("--method multigrid --grid 231x198 --tolerance 1e-9 {flags}");
        let (expected, report) = solved(&format!("{line} --workers 2"));
        let of_nodes = |nodes: u32, workers: u32| {
            let flags = format!("--machine cirrus-15 --nodes {nodes} --workers {workers}");
            let (field, other) = made("simulate", &format!("{line} {flags}"));
            assert_eq!(field, expected, "{flags}");
            for key in ["cycles", "levels", "residual", "end"] {
                assert_eq!(other[key], report[key], "{key}, {flags}: {other:#}");
            }
            assert_eq!(other["workers"], json!(workers));
            number(&other, "/seconds")
        };
        let times = [of_nodes(1, 3), of_nodes(3, 3), of_nodes(7, 7)];
        assert_eq!(times[1].to_bits(), of_nodes(3, 3).to_bits());
        assert!(times[2] < times[1], "{times:?}");
    }
}

#[test]
fn the_field_is_that_of_jacobi() {
    for size in ["40x36", "5x61", "33x33"] {
        let (jacobi, _) = solved(&format!("--workers 1 --grid {size} --tolerance 1e-11"));
        let (field, report) =
            solved(&format!("--workers 1 --grid {size} --tolerance 1e-11 --method multigrid"));
        let apart = (&field - &jacobi).map(|cell| cell.abs());
        assert!(apart.iter().all(|&apart| apart < 1e-6), "{size}: {report:#}");
    }
}

#[test]
fn a_grid_of_any_size_is_solved_by_any_number_of_workers() {
    for size in ["1x1", "1x9", "9x1", "2x2", "3x3", "3x4", "2x1000", "1000x2"] {
        let line = format!("--grid {size} --tolerance 1e-11");
        let (jacobi, _) = solved(&format!("--workers 1 --split 1 {line}"));
        let (expected, report) = solved(&format!("--workers 1 --method multigrid {line}"));
        let apart = (&expected - &jacobi).map(|cell| cell.abs());
        assert!(apart.iter().all(|&apart| apart < 1e-6), "{size}: {report:#}");
        assert!(number(&report, "/cycles") < 20.0, "{size}: {report:#}");
        for flags in ["", "--workers 3 --split 4000000000"] {
            let (field, _) = solved(&format!("--method multigrid {line} {flags}"));
            assert_eq!(field, expected, "{size} {flags}");
        }
    }
}

#[test]
fn the_report_has_the_method_its_cycles_and_its_levels() {
    let (_, report) = solved("--workers 2 --grid 128x100 --tolerance 1e-8 --method multigrid");
    assert_eq!(report["method"], json!("multigrid"));
    assert_eq!((&report["mode"], &report["balance"]), (&Value::Null, &json!("none")));
    assert!((1.0..=8.0).contains(&number(&report, "/cycles")), "{report:#}");
    let choices = ["smoothing", "coarsest", "coarse_cycles"].map(|key| &report[key]);
    assert_eq!(choices, [&json!(3), &json!(64), &json!(2)]);
    // 128x100, 64x50, 32x25, 16x13, 8x6.
    assert_eq!(report["levels"], json!(5));
    assert_eq!(report["iterations"].as_f64(), report["cycles"].as_f64());
    assert_eq!((&report["converged"], &report["end"]), (&json!(true), &json!("converged")));
    let (_, report) = solved("--workers 2 --grid 128x100 --method multigrid --coarsest 4096");
    assert_eq!(report["levels"], json!(2));
    let cycles = [1, 2].map(|of_second| {
        let line = "--workers 2 --grid 128x100 --tolerance 1e-8 --method multigrid --coarse-cycles";
        number(&solved(&format!("{line} {of_second}")).1, "/cycles")
    });
    assert!(cycles[1] < cycles[0], "{cycles:?}");
    let (_, jacobi) = solved("--workers 2 --grid 20x20 --tolerance 1e-2");
    assert_eq!(jacobi["method"], json!("jacobi"));
    assert!(jacobi.get("cycles").is_none() && jacobi.get("levels").is_none());

    let line = "solve --method multigrid --workers 2 --grid 64x64 --tolerance 1e-6";
    let ended = run(&mut tresse(line));
    assert_eq!(ended.code, 0, "{}", ended.err);
    for part in [
        "2, 4 bands each",
        "multigrid (3 smoothing steps, 2 cycles",
        "verified",
        "cycles",
        "4 levels",
    ] {
        assert!(ended.out.contains(part), "no {part} in\n{}", ended.out);
    }
    assert!(!ended.out.contains("staleness") && !ended.out.contains("hint"), "{}", ended.out);
}

#[test]
fn cycles_end_where_iterations_are_done_and_where_nothing_is_gained() {
    let line = "solve --method multigrid --workers 2 --grid 64x64";
    let report = object(&mut tresse(&format!("{line} --iterations 3")), 0);
    assert_eq!((&report["cycles"], &report["end"]), (&json!(3), &json!("iterations")));
    let report = object(&mut tresse(&format!("{line} --precision f32 --tolerance 1e-12")), 1);
    assert_eq!(report["end"], json!("stagnated"));
    assert!(number(&report, "/residual/relative") < 1e-5, "{report:#}");
}

#[test]
fn every_file_is_written() {
    let out = tempdir().unwrap();
    let line = "solve --method multigrid --workers 2 --grid 40x40 --tolerance 1e-6";
    object(tresse(line).arg("--out").arg(out.path()), 0);
    assert_eq!(names(out.path()).len(), 5);
}

/// A track for each worker, which is at a task or waits from the first cycle to the last; nothing
/// to replay.
#[test]
fn a_recording_shows_when_each_worker_visited() {
    for problem in ["", "--cell-size 2x1 --precision f32"] {
        let folder = tempdir().unwrap();
        let (path, out) = (folder.path().join("run.tresse"), folder.path().join("trace.json"));
        let line =
            format!("--method multigrid --workers 2 --grid 231x198 --iterations 5 {problem}");
        let report = object(tresse(&format!("solve {line} --record")).arg(&path), 0);
        let unrecorded = object(&mut tresse(&format!("solve {line}")), 0);
        assert_eq!(report["residual"], unrecorded["residual"], "{line}");
        let ended = run(tresse("export-trace").arg(&path).arg("--perfetto").arg(&out));
        assert_eq!((ended.code, ended.err.as_str()), (0, ""));
        let trace: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let said = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let title = events.iter().find(|event| event["name"] == "process_name").unwrap();
        let title = said(&title["args"], "name");
        assert!(title.ends_with("multigrid of 231x198 cells"), "{title}");
        for worker in 0..2 {
            let own = events.iter().filter(|event| event["tid"] == worker && event["ph"] == "X");
            let spans: Vec<_> = own.collect();
            let mut end = 0.0;
            for span in &spans {
                // Rounded as decimals.
                assert!((number(span, "/ts") - end).abs() < 1e-2, "a gap before {span}");
                end = number(span, "/ts") + number(span, "/dur");
            }
            assert!((end / 1e6 - number(&report, "/seconds")).abs() < 1e-6, "{end} {report:#}");
        }
        // Whoever is not free in time gets none.
        let tasks = events.iter().filter(|event| said(event, "cat") == "tasks");
        assert!(tasks.count() >= 5, "{line}");
        refused(tresse("replay").arg(&path), &["or of multigrid", "export-trace"]);
    }
    let line = "simulate --machine laptop --method multigrid --record run.tresse";
    refused(&mut tresse(line), &["--record", "nothing to record"]);
}

#[test]
fn what_is_about_another_method_is_refused_by_name() {
    for (flags, parts) in [
        ("--method multigrid --mode async", ["--mode", "--method multigrid"]),
        ("--method multigrid --balance joint:1ms", ["--balance", "--method multigrid"]),
        ("--smoothing 2", ["--smoothing", "--method multigrid"]),
        ("--method jacobi --coarsest 9", ["--coarsest", "--method multigrid"]),
        ("--coarse-cycles 1", ["--coarse-cycles", "--method multigrid"]),
        ("--method multigrid --coarse-cycles 0", ["--coarse-cycles", "1 to 8"]),
        ("--method multigrid --coarse-cycles 9", ["--coarse-cycles", "1 to 8"]),
        ("--method multigrid --coarse-visits 9", ["--coarse-cycles", "1 to 8"]),
        ("--method multigrid --smoothing 0", ["--smoothing", "1 to 8"]),
        ("--method multigrid --smoothing 9", ["--smoothing", "1 to 8"]),
        ("--method multigrid --coarsest 0", ["--coarsest", "1 to 4096"]),
        ("--method multigrid --coarsest 4097", ["--coarsest", "1 to 4096"]),
        ("--method newton", ["--method", "newton"]),
        ("--method multigrid --grid 900000x900000", ["--grid", "memory"]),
    ] {
        refused(&mut tresse(&format!("solve {flags}")), &parts);
    }
    let of_nodes = "simulate --machine laptop --method multigrid --node-balance dplb:0.001,10";
    refused(&mut tresse(of_nodes), &["--node-balance", "--method multigrid"]);
}

#[test]
fn a_long_jacobi_run_names_the_faster_method() {
    let ended = run(&mut tresse("solve --workers 1 --grid 1200x1200 --iterations 4000"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    let end = ended.out.lines().last().unwrap_or_default();
    assert!(end.starts_with("hint") && end.contains("--method multigrid"), "{}", ended.out);
    let ended = run(&mut tresse(SMALL));
    assert!(!ended.out.contains("hint"), "{}", ended.out);
}
