//! `tresse reproduce`: the list, one evaluation with its files, and what there is not.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{object, refused, run, tresse};

const NAMES: [&str; 19] = [
    "plb-landscape",
    "plb-tts",
    "plb-table2",
    "plb-amplitudes",
    "plb-braid",
    "plb-history",
    "plb-parameters",
    "pull",
    "auto",
    "dplb-sockets",
    "dplb-nodes",
    "dplb-table2",
    "dplb-100",
    "grapevine-tables",
    "grapevine-parameters",
    "speculation-tuning",
    "speculation-optimum",
    "speculation-scaling",
    "speculation-stealing",
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

#[test]
fn balancers_of_loads_are_evaluated_too() {
    let folder = tempdir().unwrap();
    let mut line = tresse("reproduce grapevine-tables --replicates 1 --out");
    // Without the load trace, which not everybody has.
    let value = object(line.arg(folder.path()).env_remove("TRESSE_TRACES"), 0);
    let rows = value["rows"].as_array().unwrap();
    let row = |label: &str| {
        let found = rows.iter().find(|row| row["label"] == label);
        found.unwrap_or_else(|| panic!("no row {label}"))
    };
    let slides = row("10^4 objects, criterion 6, live loads: transfers, iteration 1");
    assert_eq!(slides["published"], 9084.0);
    assert!((9_000.0..9_200.0).contains(&slides["ours"].as_f64().unwrap()), "{slides}");
    let ours = row("2^15 objects, ours, gossiped loads: imbalance, iteration 20");
    assert!(ours["published"].is_null() && ours["high"].as_f64().unwrap() < 0.005, "{ours}");
    let twin = row("8 processors, twin, criterion 6', live loads: imbalance, iteration 5");
    assert!((twin["published"].as_f64().unwrap() - 0.0897).abs() < 1e-4, "{twin}");
    assert!(value["remarks"][0].as_str().unwrap().contains("TRESSE_TRACES"), "{value}");
    let statements = value["statements"].as_array().unwrap();
    let named = |part: &str| {
        let mut texts = statements.iter();
        texts.find(|statement| statement["text"].as_str().unwrap().contains(part)).unwrap()
    };
    assert_eq!(named("criterion 6 ends at an imbalance of 155")["holds"], true);
    // One seed is not the slides' one.
    assert_eq!(named("slide \"Experimental Findings with 6'\" lies")["holds"], false);
    let samples = fs::read_to_string(folder.path().join("samples.csv")).unwrap();
    assert!(samples.starts_with("setting,replicate,seed,iteration,transfers,"), "{samples}");
    for stem in ["imbalance-10000", "imbalance-32768", "imbalance-eight-twin"] {
        for ending in ["svg", "png"] {
            let name = format!("{stem}.{ending}");
            assert!(fs::metadata(folder.path().join(&name)).unwrap().len() > 1_000, "{name}");
        }
    }
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
