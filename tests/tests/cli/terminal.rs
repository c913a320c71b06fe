//! Checks that text of others in files and names is shown, and never obeyed by a terminal.

use std::fs;

use tempfile::tempdir;
use tresse_tests::fuzzing::mended;
use tresse_tests::load_trace_files::sample;

use crate::program::{Ended, run, tresse};

/// Clears the screen, by one character and by two, and turns text around.
const HOSTILE: &str = "a\u{1b}[2J\u{9b}2J\u{202e}\nb";

/// Only characters that stay in their place, in one line of error.
fn is_shown(ended: &Ended) {
    let obeyed = |it| tresse::terminal::is_obeyed(it) && it != '\n';
    for text in [&ended.out, &ended.err] {
        assert!(!text.contains(obeyed), "{text:?}");
    }
    let lines: Vec<_> = ended.err.lines().collect();
    assert!(
        lines.iter().all(|it| it.starts_with("error: ") || it.starts_with("warning: ")),
        "{lines:?}"
    );
}

#[test]
fn keys_of_a_recording_are_shown() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("R");
    let line = "solve --workers 1 --grid 9x9 --iterations 3 --quiet --record";
    assert_eq!(run(tresse(line).arg(&path)).code, 0);
    // The first key of its head, under a checksum that is right.
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(2).position(|two| two == b"{\"").unwrap() + 2;
    // JSON has no place for others than this one and its like.
    bytes[place..place + 2].copy_from_slice("\u{9b}".as_bytes());
    fs::write(&path, mended(&bytes)).unwrap();
    for line in ["replay", "export-trace --perfetto trace.json"] {
        let ended = run(tresse(line).arg(&path));
        assert_eq!(ended.code, 2, "{}", ended.err);
        assert!(ended.err.contains("unknown field `\\u{9b}ogram`"), "{}", ended.err);
        is_shown(&ended);
    }
}

#[test]
fn names_and_words_of_files_are_shown() {
    let folder = tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refused = |line: &str, path: &std::path::Path| {
        let ended = run(tresse(line).arg(path));
        assert_eq!(ended.code, 2, "{line}: {}", ended.err);
        is_shown(&ended);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
    };
    for text in [
        format!("\"{}\" = 1", "a\\u001B[2J\\u009b\\u202e"),
        format!("initial = \"{}\"", "a\\u001B[2J\\u009b\\u202e"),
        "initial = { npy = \"a\\u001B[2J\\n\\u202e.npy\" }".to_owned(),
        "[run]\nmode = \"a\\u001B[2J\\u009b\\u202e\"".to_owned(),
        "a = \u{9b}2J\u{202e}".to_owned(),
    ] {
        fs::write(at("p.toml"), text).unwrap();
        refused("solve --problem", &at("p.toml"));
        refused("simulate --machine", &at("p.toml"));
    }
    let named = at(HOSTILE);
    for line in
        ["solve --problem", "replay", "traces info", "balance", "solve --record x --problem"]
    {
        refused(line, &named);
    }
    fs::create_dir(&named).unwrap();
    refused("solve --record", &named);
    refused("balance", &named);
}

/// The name of a trace is in every report of it, and in JSON as well.
#[test]
fn a_name_is_shown_in_reports_and_stays_json() {
    let folder = tempdir().unwrap();
    let stem = "a\u{1b}[2J\u{9b}2J\u{202e}";
    for (rank, file) in sample().iter().enumerate() {
        fs::write(folder.path().join(format!("{stem}.{rank}.json")), file.to_string()).unwrap();
    }
    for line in ["traces info", "traces validate", "balance", "balance --compare"] {
        let ended = run(tresse(line).arg(folder.path()));
        assert_eq!(ended.code, 0, "{line}: {}", ended.err);
        is_shown(&ended);
        let ended = run(tresse(line).arg(folder.path()).arg("--json"));
        is_shown(&ended);
        let json: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        assert!(line.contains("validate") || json["stem"] == stem, "{json}");
    }
}
