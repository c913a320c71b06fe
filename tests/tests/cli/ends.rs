//! Runs that end without their tolerance say so: exit code 1.

use std::fs;

use tempfile::tempdir;
use tresse_tests::output_files::assert_whole;

use crate::files::NAMES;
use crate::program::{names, number, object, run, tresse};

#[test]
fn too_few_iterations() {
    let line = "solve --workers 2 --grid 40x40 --tolerance 1e-12 --iterations 10";
    let ended = run(&mut tresse(line));
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.out.contains("not converged: --iterations"), "{}", ended.out);

    let out = tempdir().unwrap();
    let report = object(tresse(line).arg("--out").arg(out.path()), 1);
    assert_eq!(report["converged"], false);
    assert!(number(&report, "/residual/relative") > 1e-12);
    assert_eq!(names(out.path()), NAMES);
    assert_whole(out.path());
}

#[test]
fn single_precision_that_cannot_do_better_ends_by_itself() {
    for mode in ["sync", "async", "rayon"] {
        let line = format!(
            "solve --workers 2 --grid 20x20 --precision f32 --tolerance 1e-30 --mode {mode}"
        );
        let ended = run(&mut tresse(&line));
        assert_eq!(ended.code, 1, "{mode}: {}{}", ended.out, ended.err);
        assert!(ended.out.contains("stopped falling"), "{mode}: {}", ended.out);
        assert!(ended.out.contains("--precision f64"), "{mode}: {}", ended.out);
    }
}

#[test]
fn quiet_still_says_what_was_not_reached() {
    let line = "solve --workers 2 --grid 40x40 --tolerance 1e-12 --iterations 10 --quiet";
    let ended = run(&mut tresse(line));
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    assert!(ended.err.starts_with("warning: not converged"), "{}", ended.err);
    assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
}

#[test]
fn a_loose_tolerance_is_reached_at_once() {
    let report = object(&mut tresse("solve --workers 2 --grid 8x8 --tolerance 5"), 0);
    assert_eq!(report["converged"], true);
    assert!(number(&report, "/residual/relative") <= 1.0);
}

#[test]
fn one_cell_is_a_grid() {
    let out = tempdir().unwrap();
    let line = "solve --workers 1 --split 1 --grid 1x1 --tolerance 1e-9";
    let report = object(tresse(line).arg("--out").arg(out.path()), 0);
    assert_eq!(report["subdomains"], 1);
    // A quarter of the bell's peak beside it.
    let cell = crate::program::field(out.path())[(0, 0)];
    assert!((cell - 2.5).abs() < 1e-9, "{cell}");
    assert!(fs::metadata(out.path().join("field.png")).unwrap().len() > 0);
}
