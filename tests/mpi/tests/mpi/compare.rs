//! `tresse-mpi compare`: its tables and files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::tempdir;
use tresse_tests::output_files::{assert_pictures, names};

use crate::launcher::{Mpi, number};

const QUICK: &str = "compare --workers 1 --cells-per-worker 24x24 --repetitions 1 --tolerance 1e-2";
const METHODS: [&str; 4] = ["async", "async + DPLB", "ssync(30)", "ssync(30) + DPLB"];

/// A table with a header.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(path: &Path) -> Self {
        let mut reader = csv::Reader::from_path(path).unwrap();
        let words = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = words(reader.headers().unwrap());
        Self { header, rows: reader.records().map(|row| words(&row.unwrap())).collect() }
    }

    /// Returns a field of every row.
    fn column(&self, name: &str) -> Vec<&str> {
        let place = self.header.iter().position(|column| column == name);
        let place = place.unwrap_or_else(|| panic!("{name} in {:?}", self.header));
        self.rows.iter().map(|row| row[place].as_str()).collect()
    }
}

#[test]
fn every_method_is_run_in_both_settings_and_all_files_say_the_same() {
    let Some(mpi) = Mpi::find() else { return };
    for ranks in [1, 2] {
        let out = tempdir().unwrap();
        let comparison = mpi.job(ranks, QUICK).arg("--out").arg(out.path()).object(0);
        let rows = comparison["rows"].as_array().unwrap();
        let methods: Vec<_> = rows.iter().map(|row| &row["method"]["name"]).collect();
        assert_eq!(methods, METHODS);
        for row in rows {
            for setting in ["quiet", "noisy"] {
                assert_eq!(row[setting]["converged"], 1, "{row:#}");
                let figure = |name| number(row, &format!("/{setting}/{name}/median"));
                assert!(figure("seconds") > 0.0 && figure("iteration_rate") > 0.0, "{row:#}");
                assert!(figure("transfers") == 0.0 || row["method"]["is_balanced"] == true);
            }
        }
        assert_eq!(comparison["effects"].as_array().unwrap().len(), 4);
        assert_eq!(comparison["config"]["ranks"], ranks);
        // The first rank has the cells beside the source.
        assert_eq!(comparison["config"]["noise"], json!(["node=0,duty=0.4"]));
        assert_files(out.path(), &comparison);
    }
}

/// Checks that the files in the folder have what was printed.
fn assert_files(out: &Path, comparison: &Value) {
    let expected = [
        "landscape.png",
        "landscape.svg",
        "samples.csv",
        "summary.json",
        "table.csv",
        "time.png",
        "time.svg",
    ];
    assert_eq!(names(out), expected);
    assert_pictures(out);
    let summary = fs::read(out.join("summary.json")).unwrap();
    assert_eq!(&serde_json::from_slice::<Value>(&summary).unwrap(), comparison);

    let samples = Table::read(&out.join("samples.csv"));
    assert_eq!(comparison["runs"], samples.rows.len());
    let runs = samples.column("method").into_iter().zip(samples.column("noisy"));
    assert_eq!(runs.collect::<BTreeSet<_>>().len(), 8, "{:?}", samples.rows);
    let shares = samples.column("noise_share").into_iter().zip(samples.column("noisy"));
    assert!(shares.into_iter().all(|(share, noisy)| share.is_empty() == (noisy == "false")));

    let table = Table::read(&out.join("table.csv"));
    let rows = comparison["rows"].as_array().unwrap();
    let settings = rows.iter().flat_map(|row| {
        ["quiet", "noisy"].map(|setting| (row["method"]["name"].as_str().unwrap(), &row[setting]))
    });
    let settings: Vec<_> = settings.collect();
    assert_eq!(table.rows.len(), settings.len());
    for figure in ["seconds", "iteration_rate", "staleness", "spread", "moves", "transfers"] {
        for (text, (method, setting)) in table.column(figure).into_iter().zip(&settings) {
            assert_eq!(text.parse(), Ok(number(setting, &format!("/{figure}/median"))), "{method}");
        }
    }
    let named: Vec<_> = settings.iter().map(|(method, _)| *method).collect();
    assert_eq!(table.column("method"), named);
}

#[test]
fn a_table_for_a_person_has_every_method_and_what_balancing_changes() {
    let Some(mpi) = Mpi::find() else { return };
    let ended = mpi.job(2, QUICK).arg("--quiet").run();
    ended.codes(0);
    assert_eq!(ended.ranks[1].out, "");
    let out = &ended.ranks[0].out;
    for method in METHODS {
        let lines: Vec<_> =
            out.lines().filter_map(|line| line.strip_prefix(&format!("{method:<18}"))).collect();
        let of = |setting| lines.iter().filter(|line| line.starts_with(setting)).count();
        let expected = if method.contains("DPLB") { 2 } else { 1 };
        assert_eq!((of("quiet"), of("noisy")), (expected, expected), "{method}: {out}");
    }
}

#[test]
fn an_interrupted_comparison_says_so_and_leaves_what_was_measured() {
    let Some(mpi) = Mpi::find() else { return };
    let out = tempdir().unwrap();
    let line = "compare --workers 1 --cells-per-worker 1000x1000 --tolerance 1e-12 --json";
    let mut job = mpi.job(2, line).arg("--out").arg(out.path()).start();
    job.until_it_works();
    job.signal(1, Signal::TERM);
    let ended = job.end();
    ended.codes(130);
    let comparison: Value = serde_json::from_str(&ended.ranks[0].out).unwrap();
    assert_eq!((&comparison["interrupted"], &comparison["runs"]), (&json!(true), &json!(0)));
    for row in comparison["rows"].as_array().unwrap() {
        assert_eq!(
            (&row["quiet"]["converged"], &row["quiet"]["seconds"]),
            (&json!(0), &Value::Null)
        );
    }
    let summary = fs::read(out.path().join("summary.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&summary).unwrap(), comparison);
}

#[test]
fn comparisons_that_make_no_sense() {
    let Some(mpi) = Mpi::find() else { return };
    for (flags, parts) in [
        ("--node-balance none", &["--node-balance none", "dplb:0.5,10"][..]),
        ("--noise node=2,duty=0.4", &["node=2"]),
        ("--repetitions 0", &["--repetitions"]),
        ("--workers 0", &["--workers"]),
        ("--tolerance 0", &["--tolerance 0"]),
    ] {
        mpi.job(2, &format!("compare {flags}")).run().refused(2, parts);
    }
}
