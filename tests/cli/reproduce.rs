//! `tresse reproduce`: the list, one evaluation with its files, and what there is not.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{object, refused, run, tresse};

const NAMES: [&str; 10] = [
    "plb-landscape",
    "plb-tts",
    "plb-table2",
    "plb-braid",
    "plb-history",
    "plb-parameters",
    "dplb-sockets",
    "dplb-nodes",
    "dplb-table2",
    "dplb-100",
];

#[test]
fn the_list_names_every_evaluation() {
    let listed = run(&mut tresse("reproduce --list"));
    assert_eq!(listed.code, 0, "{}", listed.err);
    let first_words = listed.out.lines().filter(|line| !line.starts_with(' '));
    let names: Vec<_> = first_words.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, NAMES);
}

#[test]
fn an_evaluation_has_rows_statements_and_pictures() {
    let folder = tempdir().unwrap();
    let line = "reproduce plb-braid --replicates 1 --out";
    let value = object(tresse(line).arg(folder.path()), 0);
    assert_eq!((&value["name"], &value["replicates"]), (&"plb-braid".into(), &1.into()));
    let list = |key: &str| value[key].as_array().unwrap().clone();
    let (rows, statements) = (list("rows"), list("statements"));
    assert!(!rows.is_empty() && !statements.is_empty(), "{value}");
    for row in &rows {
        assert!(row["label"].is_string() && row["ours"].is_number(), "{row}");
        assert!(["published", "low", "high"].iter().all(|key| row.get(key).is_some()), "{row}");
    }
    for statement in &statements {
        assert!(statement["text"].is_string() && statement["holds"].is_boolean(), "{statement}");
    }
    let files = ["summary.json", "table.csv", "samples.csv", "braid-split.svg", "braid-split.png"];
    for name in files {
        assert!(fs::metadata(folder.path().join(name)).unwrap().len() > 100, "{name}");
    }
    // Virtual time: the same again, as a person sees it.
    let told = run(tresse(line).arg(folder.path()));
    assert_eq!(told.out.matches("trend holds: ").count(), held(&statements), "{}", told.out);
}

fn held(statements: &[Value]) -> usize {
    statements.iter().filter(|statement| statement["holds"] == true).count()
}

#[test]
fn what_there_is_not_is_refused() {
    refused(&mut tresse("reproduce plb-tabel2"), &["plb-tabel2", "plb-table2", "--list"]);
    refused(
        &mut tresse("reproduce plb-braid --out /proc/none"),
        &["--out /proc/none", "cannot be written"],
    );
}
