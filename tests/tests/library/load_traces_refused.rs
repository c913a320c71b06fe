//! Load traces that cannot be used: each is refused in one line that names the file and the place,
//! and looking for everything that is wrong finds the same line.

#![expect(clippy::unwrap_used, reason = "a sample that is as it should be")]

use serde_json::{Value, json};
use tresse::files::load_traces::{Encoding, Limits, Source, read_sources, validate_sources};
use tresse_tests::load_trace_files::{LIMITS, compressed, sample, source, sources, task, written};

/// Errors of a changed sample: one line with all of these parts.
fn refuses(change: impl FnOnce(&mut [Value; 2]), parts: &[&str]) {
    let mut files = sample();
    change(&mut files);
    refuses_sources(sources(&files), parts);
}

fn refuses_sources(sources: Vec<Source>, parts: &[&str]) {
    let message = read_sources(sources.clone(), LIMITS).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "no {part} in {message}");
    }
    assert!(!message.contains(char::is_control), "{message:?}");
    let all = validate_sources(sources, LIMITS).unwrap().problems;
    assert!(all.iter().any(|one| one.to_string() == message), "{message}\n{all:#?}");
}

fn set(value: &mut Value, pointer: &str, new: Value) {
    *value.pointer_mut(pointer).unwrap() = new;
}

fn remove(value: &mut Value, pointer: &str, key: &str) {
    assert!(value.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(key).is_some());
}

#[test]
fn bad_objects_are_named_by_file_and_place() {
    let task = "/phases/1/tasks/1";
    let place = "phase 1, tasks[1]";
    for (key, value, parts) in [
        ("time", json!(-0.5), &["time", "-0.5", "0 or more"][..]),
        ("time", json!("NaN"), &["time", "NaN", "should be"]),
        ("time", json!(null), &["time", "missing", "seconds"]),
        ("node", json!(null), &["node", "missing", "rank"]),
        ("node", json!(1), &["node", "is 1", "rank 0"]),
        ("node", json!(-1), &["node", "should be"]),
        ("entity", json!([1, 2]), &["entity", "should be"]),
        (
            "entity",
            json!({"id": 3, "home": 0, "type": "object"}),
            &["entity.migratable", "missing"],
        ),
        ("user_defined", json!({"task_working_bytes": -5}), &["task_working_bytes", "-5"]),
        ("user_defined", json!([5]), &["user_defined", "should be"]),
    ] {
        let all = [&["t.0.json", place][..], parts].concat();
        refuses(|files| files[0].pointer_mut(task).unwrap()[key] = value, &all);
    }
    refuses(|files| remove(&mut files[0], task, "node"), &["t.0.json", place, "node is missing"]);
    refuses(
        |files| remove(&mut files[1], "/phases/0/tasks/0/entity", "id"),
        &["t.1.json: phase 0, tasks[0].entity.id is missing", "seq_id"],
    );
    refuses(
        |files| set(&mut files[0], "/phases/1/communications/0/bytes", json!(-1.0)),
        &["t.0.json: phase 1, communications[0].bytes", "-1"],
    );
}

#[test]
fn numbers_that_are_none_are_named() {
    let [first, second] = sample().map(|file| file.to_string());
    for word in ["NaN", "Infinity", "-Infinity", "1e999"] {
        let text = second.replacen("0.05", word, 1);
        assert_ne!(text, second);
        let files = vec![source(0, first.as_bytes()), source(1, text.as_bytes())];
        refuses_sources(files, &["t.1.json", "tasks[1].time", "NaN or infinite"]);
    }
    for (text, parts) in [
        ("0,1,nan\n", &["line 1", "NaN"][..]),
        ("0,1,0.5\n0,2,inf\n", &["line 2", "infinite"]),
        ("0,1,0.5\n0,2,-3\n", &["line 2", "-3"]),
        ("0,1,0.5\n0,x,3\n", &["line 2", "x", "phase,object,time"]),
        ("0,1,0.5\n0,1\n", &["line 2", "2 fields"]),
        ("0,1,0.5\n0,1,0.25\n", &["tasks[1]", "object 1 again", "tasks[0]"]),
    ] {
        let file = Source { path: "old.0.vom".into(), bytes: text.into() };
        refuses_sources(vec![file], &[&["old.0.vom"], parts].concat());
    }
}

#[test]
fn objects_that_are_there_twice_are_named_with_both_places() {
    refuses(
        |files| files[1]["phases"][0]["tasks"].as_array_mut().unwrap().push(task(1, 0, 1, 1.0)),
        &["t.1.json: phase 0, tasks[2].entity", "again", "tasks[0] of t.0.json"],
    );
    refuses(
        |files| files[0]["phases"][0]["tasks"].as_array_mut().unwrap().push(task(2, 0, 0, 1.0)),
        &["t.0.json: phase 0, tasks[3].entity", "again", "tasks[2]:"],
    );
}

#[test]
fn ranks_and_phases_must_be_the_same_everywhere() {
    let three = || sources(&[sample()[0].clone(), sample()[1].clone(), json!({"phases": []})]);
    let mut files = three();
    files.remove(1);
    refuses_sources(files, &["rank 1 is missing", "up to rank 2"]);
    refuses(
        |files| files[1]["phases"].as_array_mut().unwrap().truncate(1),
        &["t.1.json: phase 1 is missing", "t.0.json has it"],
    );
    // The last rank is missing: its objects are known elsewhere.
    let files = sources(&sample()[..1]);
    refuses_sources(files, &["t.0.json: phase 0, communications[0].to.home is rank 1", "1 ranks"]);
    refuses(|files| files[1]["metadata"] = json!({"rank": 0}), &["t.1.json: metadata.rank is 0"]);
    let mut files = sources(&sample());
    files.push(Source { path: "t.1.json.br".into(), ..files[1].clone() });
    refuses_sources(files, &["t.1.json.br", "is of rank 1, and so is t.1.json"]);
    let file = Source { path: "loads.csv".into(), bytes: b"0,1,2\n".to_vec() };
    refuses_sources(vec![file], &["loads.csv", "has no rank", "data.3.json"]);
    refuses_sources(sources(&[json!({"phases": []})]), &["no phase"]);
}

#[test]
fn phases_that_cannot_be_expanded_are_named() {
    let said = |value: Value| json!({"rank": 0, "phases": value});
    let list = |list: Value| json!({"list": list, "range": []});
    for (value, parts) in [
        (json!({"identical_to_previous": list(json!([1]))}), &["phase 1", "twice"][..]),
        (json!({"skipped": {"range": [[2, 9_999_999]]}}), &["skipped", "100000 phases"]),
        (json!({"skipped": list(json!(["x"]))}), &["metadata.phases.skipped", "should be"]),
    ] {
        refuses(|files| files[0]["metadata"] = said(value), &[&["t.0.json"], parts].concat());
    }
    let file = json!({"metadata": said(json!({"identical_to_previous": list(json!([1]))})),
        "phases": [{"id": 2, "tasks": []}]});
    refuses_sources(sources(&[file]), &["t.0.json: phase 1", "there is none"]);
    refuses(
        |files| set(&mut files[0], "/phases/1/id", json!(0)),
        &["t.0.json: phase 0 is there twice"],
    );
}

#[test]
fn files_of_another_kind_are_named() {
    let whole = compressed(sample()[0].to_string().as_bytes());
    let other = sample()[1].to_string();
    for (bytes, parts) in [
        (&b""[..], &["is empty"][..]),
        (&whole[..whole.len() - 9], &["cut off", "copy it again"]),
        (br#"{"type": "LBStatsfile", "phases": []}"#, &["type", "LBStatsfile", "LBDatafile"]),
        (br#"{"metadata": {"type": "LBStatsfile"}, "phases": []}"#, &["metadata.type", "LBStats"]),
        (br#"{"phases": [{"id": 0, "tasks": [}"#, &["line 1, column 33", "not JSON"]),
        (br#"{"phases": [{"id": 0, "tasks": [] "#, &["not JSON", "EOF"]),
        (br#"{"phases": {}}"#, &["phases", "should be"]),
        (br#"{"phases": [{"tasks": []}]}"#, &["phases[0].id is missing"]),
        (br#"{"phases": [{"id": 0}]}"#, &["phase 0, tasks is missing"]),
        (br#"{"metadata": {"rank": "a"}, "phases": []}"#, &["metadata.rank", "should be"]),
        (br#"{"a": 1}"#, &["phases is missing"]),
        (br#"{"phases": [], "phases": []}"#, &["twice"]),
        (b"[1, 2]", &["should be"]),
        (br#"{"phases": []} more"#, &["line 1, column 16", "trailing"]),
        (b"phases: 3", &["neither JSON nor"]),
    ] {
        let files = vec![source(0, bytes), source(1, other.as_bytes())];
        refuses_sources(files, &[&["t.0.json"], parts].concat());
    }
    let bomb = compressed(&vec![b' '; 1 << 21]);
    let limits = Limits { file: 1 << 20, ..LIMITS };
    let error = read_sources(vec![source(0, &bomb)], limits).unwrap_err().to_string();
    assert!(error.contains("t.0.json") && error.contains("more than 1.0 MiB"), "{error}");
    let limits = Limits { memory: 100, ..LIMITS };
    let error = read_sources(sources(&sample()), limits).unwrap_err().to_string();
    assert!(error.contains("memory"), "{error}");
}

#[test]
fn everything_that_is_wrong_is_found() {
    let mut files = sample();
    set(&mut files[0], "/phases/0/tasks/0/time", json!(-1.0));
    set(&mut files[0], "/phases/0/tasks/2/time", json!(1));
    files[0]["phases"][0]["tasks"][1]["colour"] = json!("red");
    files[1]["phases"][1]["tasks"][0]["entity"]["home"] = json!(9);
    files[1]["phases"][1]["tasks"][1]["resource"] = json!(4);
    files[1]["stray"] = json!(1);
    let found = validate_sources(sources(&files), LIMITS).unwrap();
    let found: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
    for part in [
        "t.0.json: phase 0, tasks[0].time is -1",
        "t.0.json: phase 0, tasks[1].colour is not a key",
        "t.0.json: phase 0, tasks[2].time is not what it should be",
        "t.1.json: phase 1, tasks[0].entity.home is rank 9",
        "t.1.json: phase 1, tasks[1].resource",
        "t.1.json: stray is not a key",
    ] {
        assert_eq!(
            found.iter().filter(|one| one.starts_with(part)).count(),
            1,
            "{part}\n{found:#?}"
        );
    }
    assert_eq!(found.len(), 6, "{found:#?}");
    assert!(validate_sources(sources(&sample()), LIMITS).unwrap().problems.is_empty());
    // A whole number of seconds is read, and written as vt's readers want it.
    let mut files = sample();
    set(&mut files[0], "/phases/0/tasks/2/time", json!(1));
    set(&mut files[0], "/phases/0/communications/0/bytes", json!(7));
    let trace = read_sources(sources(&files), LIMITS).unwrap();
    let again = written(&trace, Encoding::Plain);
    assert!(validate_sources(again, LIMITS).unwrap().problems.is_empty());
}

#[test]
fn the_first_error_is_that_of_the_lowest_rank() {
    let bad = |rank: u32| json!({"phases": [{"id": 0, "tasks": [task(u64::from(rank), rank, rank, -1.0)]}]});
    let files: Vec<_> = (0..64).map(bad).collect();
    for _ in 0..20 {
        refuses_sources(sources(&files), &["t.0.json"]);
    }
}
