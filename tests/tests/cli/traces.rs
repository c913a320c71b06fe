//! `tresse traces`: generate, info, validate, convert, and what is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;
use tresse_tests::load_trace_files::{compressed, sample};

use crate::program::{names, number, object, refused, run, tresse};

const GENERATE: &str = "traces generate --processors 6 --objects 40 --on 2 --seed 3 --out";

fn generated(folder: &Path, flags: &str) -> Value {
    object(tresse(&format!("{GENERATE} {} {flags}", folder.display())).arg("--quiet"), 0)
}

fn write_sample(folder: &Path) {
    for (rank, file) in sample().iter().enumerate() {
        fs::write(folder.join(format!("t.{rank}.json")), file.to_string()).unwrap();
    }
}

#[test]
fn a_trace_is_generated_shown_and_valid() {
    let root = tempdir().unwrap();
    let folder = root.path().join("new/folder");
    let made = generated(&folder, "--phases 2 --drift 0.1");
    assert_eq!(names(&folder), [0, 1, 2, 3, 4, 5].map(|rank| format!("data.{rank}.json")));
    let info = object(tresse("traces info").arg(&folder), 0);
    assert_eq!((&info["processors"], info["phases"].as_array().unwrap().len()), (&6.into(), 2));
    let first = &info["phases"][0];
    assert_eq!((&first["objects"], &first["fixed"]), (&40.into(), &0.into()));
    assert_eq!(first["processor_loads"], made["processor_loads"]);
    assert_eq!(first["imbalance"], made["processor_loads"]["imbalance"]);
    assert!(number(first, "/object_loads/max") <= 0.1);
    let valid = object(tresse("traces validate").arg(&folder), 0);
    assert_eq!((&valid["valid"], &valid["files"]), (&true.into(), &6.into()));

    let again = root.path().join("again");
    generated(&again, "--phases 2 --drift 0.1");
    let bytes = |folder: &Path| fs::read(folder.join("data.3.json")).unwrap();
    assert_eq!(bytes(&folder), bytes(&again));
    let told = run(tresse("traces info").arg(&folder));
    for part in ["data: 6 ranks, 2 phases", "imbalance", "kurtosis"] {
        assert!(told.out.contains(part), "{part}: {}", told.out);
    }
}

#[test]
fn a_trace_is_converted_to_each_form_and_back() {
    let root = tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir(at("first")).unwrap();
    write_sample(&at("first"));
    let convert = |from: &str, to: &str, flags: &str| {
        let mut command = tresse(&format!("traces convert {flags}"));
        let ended = run(command.arg(at(from)).arg("--out").arg(at(to)));
        assert_eq!(ended.code, 0, "{}", ended.err);
        ended
    };
    convert("first", "small", "--compress");
    assert_eq!(names(&at("small")), ["t.0.json.br", "t.1.json.br"]);
    assert_eq!(convert("small", "second", "--plain").err, "");
    for (rank, original) in sample().iter().enumerate() {
        let bytes = fs::read(at("second").join(format!("t.{rank}.json"))).unwrap();
        assert_eq!(&serde_json::from_slice::<Value>(&bytes).unwrap(), original);
    }
    let lossy = convert("first", "lines", "--csv --out-stem old");
    assert!(lossy.err.starts_with("warning: --csv") && lossy.err.contains("lost"), "{}", lossy.err);
    assert_eq!(names(&at("lines")), ["old.0.vom", "old.1.vom"]);
    let text = fs::read_to_string(at("lines").join("old.1.vom")).unwrap();
    assert!(text.lines().any(|line| line == "1,786435,0.05"), "{text}");
    let [one, other] =
        ["first", "lines"].map(|name| object(tresse("traces info").arg(at(name)), 0));
    let sum = |info: &Value| number(info, "/phases/1/object_loads/sum");
    assert!((sum(&one) - sum(&other)).abs() < 1e-12);
}

#[test]
fn traces_of_several_stems_are_chosen_from() {
    let root = tempdir().unwrap();
    write_sample(root.path());
    generated(root.path(), "--stem ours --compress");
    refused(tresse("traces info").arg(root.path()), &["2 traces (ours, t)", "--stem ours"]);
    refused(tresse("traces info --stem x").arg(root.path()), &["--stem x", "ours, t"]);
    assert_eq!(object(tresse("traces info --stem t").arg(root.path()), 0)["processors"], 2);
    let files = ["t.1.json", "t.0.json"].map(|name| root.path().join(name));
    assert_eq!(object(tresse("traces info").args(files), 0)["stem"], "t");
}

#[test]
fn what_is_wrong_is_named_by_file_and_place() {
    let root = tempdir().unwrap();
    write_sample(root.path());
    let path = root.path().join("t.1.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("0.05", "-0.05")).unwrap();
    let place = "t.1.json: phase 0, tasks[1].time is -0.05";
    refused(tresse("traces info").arg(root.path()), &[place]);
    let found = run(tresse("traces validate").arg(root.path()));
    assert_eq!((found.code, found.err.as_str()), (2, ""));
    assert!(found.out.contains(place) && found.out.contains("phase 1, tasks[1]"), "{}", found.out);
    assert!(found.out.ends_with("2 files, 2 problems\n"), "{}", found.out);
    let found = object(tresse("traces validate").arg(root.path()), 2);
    assert_eq!((&found["valid"], found["problems"].as_array().unwrap().len()), (&false.into(), 2));

    let whole = compressed(text.as_bytes());
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    refused(tresse("traces info").arg(root.path()), &["t.1.json", "cut off"]);
    fs::write(&path, "").unwrap();
    let out = root.path().join("out");
    refused(
        tresse("traces convert").arg(root.path()).arg("--out").arg(&out),
        &["t.1.json", "empty"],
    );
    assert!(!out.exists(), "nothing is made of what cannot be read");
}

#[test]
fn inputs_and_outputs_that_cannot_be_are_refused() {
    let root = tempdir().unwrap();
    let missing = root.path().join("data.*.json");
    refused(tresse("traces info").arg(&missing), &["data.*.json", "cannot be read"]);
    refused(tresse("traces info").arg(root.path()), &["no file here", "data.3.json"]);
    refused(&mut tresse("traces info /dev/zero"), &["/dev/zero", "not a regular file"]);
    refused(
        &mut tresse("traces generate --processors 2 --objects 2 --on 3 --out /proc/none"),
        &["--on 3", "--processors 2"],
    );
    refused(
        &mut tresse("traces generate --processors 2 --objects 2 --drift 1 --out /proc/none"),
        &["--drift"],
    );
    refused(
        &mut tresse("traces generate --processors 2 --objects 2 --out /proc/none"),
        &["--out /proc/none", "cannot be written"],
    );
    let [bare, lines] = ["bare", "lines"].map(|name| root.path().join(name));
    let line = "traces generate --processors 3 --objects 2 --on 1 --out";
    assert_eq!(run(tresse(line).arg(&bare)).code, 0);
    refused(tresse("traces convert --csv").arg(&bare).arg("--out").arg(&lines), &["object"]);
    assert!(!lines.exists(), "nothing is made of what has no such form");
    write_sample(root.path());
    refused(
        tresse("traces convert").arg(root.path()).arg("--out").arg(root.path()),
        &["--out", "t.0.json (the trace), which this run reads", "another place"],
    );
}
