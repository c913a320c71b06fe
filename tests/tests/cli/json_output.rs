//! The schema of what commands print with `--json`: complete, shown in the guide, and strict.

use clap::CommandFactory as _;
use serde_json::{Value, json};
use tresse::commands::args::Cli;
use tresse_tests::json_schema::{OUTPUT, faults_of_output};

use crate::program::{object, tresse};

const GUIDE: &str = include_str!("../../../host-cli/guide/json.md");

fn at(pointer: &str) -> &'static Value {
    OUTPUT.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in the schema"))
}

#[test]
fn every_command_with_json_is_in_the_schema() {
    let mut found =
        ["balance-compare", "solve-matrix", "simulate-matrix"].map(str::to_owned).to_vec();
    let takes_json = |command: &clap::Command| {
        command.get_arguments().any(|argument| argument.get_long() == Some("json"))
    };
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let parts = command.get_subcommands().filter(|part| takes_json(part));
        found.extend(parts.map(|part| format!("{name}-{}", part.get_name())));
        found.extend(takes_json(command).then(|| name.to_owned()));
    }
    let listed = at("/anyOf").as_array().unwrap().iter();
    let listed = listed.map(|one| one["$ref"].as_str().unwrap().trim_start_matches("#/$defs/"));
    let mut listed: Vec<&str> = listed.filter(|name| !name.starts_with("mpi-")).collect();
    listed.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, listed);
}

/// Returns the type of a key as the guide shows it.
fn kind(key: &Value) -> String {
    let kinds = match key["$ref"].as_str() {
        Some(place) => &at(place.trim_start_matches('#'))["type"],
        None => &key["type"],
    };
    match kinds {
        Value::String(one) => one.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        // One of several.
        _ => "object or null".to_owned(),
    }
}

#[test]
fn the_guide_has_every_key() {
    let keys = at("/$defs/keys/properties").as_object().unwrap();
    for (name, key) in keys {
        let meaning = key["description"].as_str().unwrap();
        let line = format!("| `{name}` | {} | {meaning} |", kind(key));
        assert!(GUIDE.lines().any(|other| other == line), "host-cli/guide/json.md needs: {line}");
    }
    let rows = GUIDE.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let unknown: Vec<_> = rows.filter(|row| *row != "null" && !keys.contains_key(*row)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    // No command has a key that is not in the list.
    for one in at("/anyOf").as_array().unwrap() {
        let place = one["$ref"].as_str().unwrap().trim_start_matches('#');
        for key in at(&format!("{place}/propertyNames/enum")).as_array().unwrap() {
            assert!(keys.contains_key(key.as_str().unwrap()), "{place}: {key}");
        }
    }
}

#[test]
fn what_is_not_in_the_schema_is_found() {
    let report = object(&mut tresse("topology"), 0);
    let faults = |change: &dyn Fn(&mut Value)| {
        let mut report = report.clone();
        change(&mut report);
        faults_of_output("topology", &report).join("\n")
    };
    assert_eq!(faults(&|_| ()), "");
    assert!(faults(&|report| report["colour"] = json!("red")).contains("colour"));
    assert!(faults(&|report| report["machine"]["cores"] = json!("2")).contains("/machine/cores"));
    assert!(faults(&|report| report["placement"][0]["thread"] = json!(1)).contains("thread"));
    let missing = faults(&|report| drop(report.as_object_mut().unwrap().remove("version")));
    assert!(missing.contains("version"), "{missing}");
    assert!(!faults_of_output("solve", &report).is_empty());
    assert!(faults_of_output("nothing", &report)[0].contains("`nothing`"));
}
