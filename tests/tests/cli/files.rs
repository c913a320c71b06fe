//! Checks the files that `--out` leaves.

use std::fs;

use ndarray::Array2;
use tempfile::tempdir;
use tresse_tests::output_files::{assert_whole, image, summary, table, texts};

use crate::program::{SMALL, field, names, object, run, tresse};

pub const NAMES: [&str; 8] = [
    "braid.csv",
    "braid.png",
    "braid.svg",
    "field.npy",
    "field.png",
    "field.vti",
    "history.csv",
    "summary.json",
];

#[test]
fn every_file_is_there_and_nothing_else() {
    let out = tempdir().unwrap();
    let folder = out.path().join("new/folder");
    let report = object(tresse(SMALL).arg("--out").arg(&folder), 0);
    assert_eq!(names(&folder), NAMES);
    assert_whole(&folder);
    assert_eq!(summary(&folder), report);
}

#[test]
fn the_history_ends_with_the_report() {
    let out = tempdir().unwrap();
    let report = object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let (header, rows) = table(&out.path().join("history.csv"));
    let expected = [
        "seconds",
        "residual",
        "residual_at",
        "iteration_rate",
        "spread",
        "least",
        "most",
        "mean",
        "moves",
        "rounds",
    ];
    assert_eq!(header, expected);
    let last = rows.last().unwrap();
    let at = |name: &str| last[header.iter().position(|column| column == name).unwrap()].unwrap();
    assert!((at("mean") - report["iterations"].as_f64().unwrap()).abs() < 1e-9, "{last:?}");
    assert!(at("least") <= at("mean") && at("mean") <= at("most"));
    assert!((at("most") - at("least") - at("spread")).abs() < 1e-9);
    assert!(rows.iter().is_sorted_by_key(|row| row[0]), "{rows:?}");

    let (header, rows) = table(&out.path().join("braid.csv"));
    let subdomains = (0..8).map(|id| format!("s{id}"));
    assert_eq!(header, std::iter::once("seconds".to_owned()).chain(subdomains).collect::<Vec<_>>());
    let updates: f64 = rows.last().unwrap()[1..].iter().flatten().sum();
    assert_eq!(Some(updates), report["updates"].as_f64());
}

#[test]
fn the_image_holds_the_field_bottom_row_first() {
    let out = tempdir().unwrap();
    object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let field = field(out.path());
    let (extent, kind, data) = image(&out.path().join("field.vti"));
    assert_eq!((extent.as_str(), kind.as_str()), ("0 32 0 24 0 0", "Float64"));
    let rows = field.rows().into_iter().rev();
    let expected: Vec<u8> = rows.flatten().flat_map(|cell| cell.to_le_bytes()).collect();
    assert_eq!(data, expected);
}

#[test]
fn single_precision_stays_single() {
    let out = tempdir().unwrap();
    object(tresse(SMALL).args(["--precision", "f32", "--out"]).arg(out.path()), 0);
    let field: Array2<f32> = ndarray_npy::read_npy(out.path().join("field.npy")).unwrap();
    assert_eq!(field.dim(), (24, 32));
    let (_, kind, data) = image(&out.path().join("field.vti"));
    assert_eq!((kind.as_str(), data.len()), ("Float32", 24 * 32 * 4));
}

#[test]
fn the_braid_says_what_it_shows() {
    let out = tempdir().unwrap();
    object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let texts = texts(&out.path().join("braid.svg")).join("\n");
    assert!(texts.contains("async") && texts.contains("8 subdomains"), "{texts}");
}

#[test]
fn a_second_run_replaces_the_first_and_leaves_the_rest() {
    let out = tempdir().unwrap();
    fs::write(out.path().join("notes.txt"), "mine").unwrap();
    object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let report = object(tresse(SMALL).args(["--seed", "9", "--out"]).arg(out.path()), 0);
    assert_eq!(summary(out.path()), report);
    assert_eq!(fs::read(out.path().join("notes.txt")).unwrap(), b"mine");
    assert_eq!(names(out.path()).len(), NAMES.len() + 1);
}

#[test]
fn a_person_is_told_where_the_files_are() {
    let out = tempdir().unwrap();
    let ended = run(tresse(SMALL).arg("--out").arg(out.path()));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains(out.path().to_str().unwrap()), "{}", ended.out);
}
