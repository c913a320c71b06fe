//! `solve --record`, `replay` and `export-trace`: files in, files and exit codes out.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{SMALL, field, names, object, refused, run, tresse};

/// Records a small run; answers what `solve --json` says of it.
fn recorded(path: &Path, flags: &str) -> Value {
    object(tresse(&format!("{SMALL} {flags}")).arg("--record").arg(path), 0)
}

#[test]
fn a_replay_leaves_the_field_of_the_run() {
    for flags in [
        "",
        "--mode sync",
        "--mode ssync:1 --noise node=0,duty=0.2",
        "--imbalance 0.3 --noise any-core=1,burst=40us,gap=100us",
    ] {
        let folder = tempdir().unwrap();
        let (path, out) = (folder.path().join("new/run.tresse"), folder.path().join("out"));
        let line = format!("{flags} --out {}", out.display());
        let report = recorded(&path, &line);
        assert_eq!(names(path.parent().unwrap()), ["run.tresse"]);
        let again = folder.path().join("again");
        let replayed = object(tresse("replay").arg(&path).arg("--out").arg(&again), 0);
        assert_eq!(replayed["equal"], true, "{replayed}");
        assert_eq!(replayed["recorded"], replayed["replayed"]);
        assert_eq!(replayed["sweeps"], report["updates"]);
        assert_eq!(replayed["workers"], report["workers"]);
        assert_eq!(names(&again), ["field.npy", "field.png", "field.vti"]);
        assert_eq!(field(&again), field(&out));
    }
}

#[test]
fn a_recording_needs_no_other_file() {
    let folder = tempdir().unwrap();
    let (problem, array) = (folder.path().join("p.toml"), folder.path().join("a.npy"));
    let numbers = ndarray::Array2::from_shape_fn((24, 32), |(row, column)| (row * column) as f32);
    ndarray_npy::write_npy(&array, &numbers).unwrap();
    fs::write(&problem, "source = { npy = \"a.npy\" }\nspacing = 0.3\n[boundary]\nleft = 0.1\n[field]\nname = \"Heat\"")
        .unwrap();
    let path = folder.path().join("run.tresse");
    let [out, again] = ["out", "again"].map(|name| folder.path().join(name));
    let flags = format!("--problem {} --precision f32 --out {}", problem.display(), out.display());
    recorded(&path, &flags);
    fs::remove_file(problem).unwrap();
    fs::remove_file(array).unwrap();
    let replayed = object(tresse("replay").arg(&path).arg("--out").arg(&again), 0);
    assert_eq!(replayed["equal"], true);
    let image = |folder: &Path| fs::read(folder.join("field.vti")).unwrap();
    assert!(image(&again) == image(&out), "name, spacing and cells are in the recording");
    let image = image(&out);
    let head = String::from_utf8_lossy(&image);
    for part in [r#"Origin="0.15 0.15 0" Spacing="0.3 0.3 1""#, r#"Name="Heat""#] {
        assert!(head.contains(part), "{head}");
    }
}

#[test]
fn people_are_told() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    let ended = run(tresse(SMALL).arg("--record").arg(&path));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert!(ended.out.contains(&format!("recorded    {}", path.display())), "{}", ended.out);
    let ended = run(tresse("replay").arg(&path));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    for part in ["sweeps", "2 workers", "recorded", "replayed", "yes, to the bit", " s\n"] {
        assert!(ended.out.contains(part), "no {part} in {}", ended.out);
    }
    let ended = run(tresse("replay --quiet").arg(&path));
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", ""));
}

#[test]
fn a_trace_is_json_with_a_track_for_each_worker_and_parasite() {
    let folder = tempdir().unwrap();
    let (path, out) = (folder.path().join("run.tresse"), folder.path().join("trace.json"));
    let report = recorded(&path, "--noise node=0,duty=0.2");
    let ended = run(tresse("export-trace").arg(&path).arg("--perfetto").arg(&out));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert!(ended.out.contains("ui.perfetto.dev") && ended.out.contains(out.to_str().unwrap()));
    let trace: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let of = |key: &str, value: &str| events.iter().filter(|event| event[key] == value).count();
    let tracks = 2 + report["noise"].as_array().unwrap().len();
    assert_eq!(of("name", "thread_name"), tracks);
    assert_eq!(Some(of("cat", "sweep") as u64), report["updates"].as_u64());
    assert_eq!(Some(of("cat", "round") as u64), report["rounds"].as_u64());
    assert!(of("cat", "wait") > 0);
    let ended = run(tresse("export-trace --quiet").arg(&path).arg("--perfetto").arg(&out));
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", ""));
}

#[test]
fn recordings_that_cannot_be_used() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    recorded(&path, "");
    let bytes = fs::read(&path).unwrap();
    let (place, mut damaged) = (bytes.len() / 2, bytes.clone());
    damaged[place] ^= 4;
    let mut newer = bytes.clone();
    newer[8] += 1;
    for (bytes, part) in [
        (&bytes[..bytes.len() - 1], "cut off"),
        (&bytes[..100], "cut off"),
        (&damaged, "damaged at byte"),
        (&newer, "format 2"),
        (&b"[run]\nseed = 1\n"[..], "not a recording"),
        (b"", "not a recording"),
    ] {
        fs::write(&path, bytes).unwrap();
        let (name, out) = (path.to_str().unwrap(), folder.path().join("trace.json"));
        refused(tresse("replay").arg(&path), &[name, part]);
        refused(tresse("export-trace").arg(&path).arg("--perfetto").arg(&out), &[name, part]);
        assert!(!out.exists());
    }
    refused(&mut tresse("replay /nowhere.tresse"), &["/nowhere.tresse", "cannot be read"]);
    refused(&mut tresse("replay /"), &["not a recording"]);
    refused(&mut tresse("replay /dev/zero"), &["not a recording"]);
    assert_eq!(run(&mut tresse("replay")).code, 2);
    assert_eq!(run(&mut tresse("export-trace x")).code, 2);
}

#[test]
fn places_where_nothing_can_be_written_are_refused_before_the_run() {
    let folder = tempdir().unwrap();
    let (path, below) = (folder.path().join("run.tresse"), "run.tresse/below");
    let here = || tresse(SMALL);
    refused(here().arg("--record").arg(folder.path()), &["--record", "name a file"]);
    refused(here().args(["--record", ""]), &["--record"]);
    refused(here().args(["--record", "/proc/run.tresse"]), &["--record /proc/run.tresse"]);
    refused(
        here().args(["--mode", "rayon", "--record"]).arg(&path),
        &["--record", "--mode rayon", "async"],
    );
    refused(
        tresse("simulate --grid 24x32 --record").arg(&path),
        &["simulate has nothing to record", "solve --record"],
    );
    let help = run(&mut tresse("simulate --help")).out;
    assert!(help.contains("--machine") && !help.contains("--record <FILE>"), "{help}");
    assert!(names(folder.path()).is_empty());
    recorded(&path, "");
    let below = folder.path().join(below);
    refused(here().arg("--record").arg(&below), &["--record", "a file is in the way"]);
    refused(
        tresse("export-trace").arg(&path).arg("--perfetto").arg(&below),
        &["--perfetto", "a file is in the way"],
    );
    refused(
        tresse("replay").arg(&path).arg("--out").arg(&below),
        &["--out", "a file is in the way"],
    );
    assert_eq!(names(folder.path()), ["run.tresse"]);
}

#[test]
fn a_run_that_does_not_converge_is_recorded_as_well() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    let line = "solve --workers 2 --grid 24x32 --tolerance 1e-9 --iterations 5 --quiet";
    assert_eq!(run(tresse(line).arg("--record").arg(&path)).code, 1);
    assert_eq!(object(tresse("replay").arg(&path), 0)["equal"], true);
}
