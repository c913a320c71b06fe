//! Checks the results of `tresse uts`: files, recordings and traces.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::{TempDir, tempdir};
use tresse_tests::output_files::{assert_whole, summary, table, texts};

use crate::program::{names, object, refused, run, tresse};
use crate::uts::{SHARES, assert_shares};

/// Command lines of runs on threads, with a manager of its own, and in virtual time.
const RUNS: [&str; 4] = [
    "uts --tree T1 --workers 2 --method speculative --chunk 20",
    "uts --tree T3 --workers 3 --method sharing --chunk 4 --interval 16",
    "uts --tree T5 --workers 2 --manager dedicated --method speculative-stealing",
    "uts --tree T3 --machine cirrus --nodes 2 --method speculative --arbitration task --chunk 4",
];

const NAMES: [&str; 5] =
    ["summary.json", "timeline.csv", "timeline.png", "timeline.svg", "workers.csv"];

#[test]
fn the_object_has_these_keys() {
    let report = object(&mut tresse("uts --tree T5 --method speculative"), 0);
    let mut keys: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut expected =
        [
            &[
                "tree",
                "method",
                "workers",
                "nodes",
                "leaves",
                "depth",
                "seconds",
                "nodes_per_second",
            ][..],
            &[
                "ideal_seconds",
                "arbitrations",
                "rolled_back",
                "messages",
                "manager_busy",
                "virtual",
                "version",
            ],
            &["chunk", "interval", "copies", "window", "arbitration", "release", "seed"],
            &["managers", "manager", "as_published", "hash", "by_worker", "machine"],
            &SHARES,
        ]
        .concat();
    expected.sort_unstable();
    assert_eq!(keys, expected);
    let mut claims: Vec<_> = report["arbitrations"].as_object().unwrap().keys().collect();
    claims.sort_unstable();
    assert_eq!(claims, ["asked", "failed"]);
    assert_eq!(report["virtual"], false);
}

/// Spans of a track: where it begins and ends, and what it is spent with.
type Spans = Vec<(f64, f64, [f64; 6])>;

/// Returns the spans by worker or manager and its number.
fn tracks(folder: &Path) -> BTreeMap<(usize, usize), Spans> {
    let (header, rows) = table(&folder.join("timeline.csv"));
    let expected = ["worker", "manager", "start", "end"].into_iter().chain(SHARES);
    assert!(header.iter().map(String::as_str).eq(expected), "{header:?}");
    let mut tracks = BTreeMap::<_, Spans>::new();
    for row in rows {
        let column = usize::from(row[0].is_none());
        assert!(row[1 - column].is_none() && row[2..].iter().all(Option::is_some), "{row:?}");
        let numbers: Vec<f64> = row[2..].iter().flatten().copied().collect();
        let spent = numbers[2..].try_into().unwrap();
        let of = (column, row[column].unwrap().to_string().parse().unwrap());
        tracks.entry(of).or_default().push((numbers[0], numbers[1], spent));
    }
    tracks
}

#[test]
fn the_timeline_is_without_a_gap_and_adds_up_to_the_report() {
    for line in RUNS {
        let out = tempdir().unwrap();
        let folder = out.path().join("new/folder");
        let report = object(tresse(line).arg("--out").arg(&folder), 0);
        assert_eq!(names(&folder), NAMES, "{line}");
        assert_whole(&folder);
        assert_eq!(summary(&folder), report);
        assert_shares(&report);
        let seconds = report["seconds"].as_f64().unwrap();
        let near = |one: f64, other: f64| (one - other).abs() < 1e-8 * seconds.max(1.0);
        let tracks = tracks(&folder);
        let workers = report["by_worker"].as_array().unwrap();
        let managers: usize = report["managers"].to_string().parse().unwrap();
        assert_eq!(tracks.len(), workers.len() + managers, "{line}");
        let mut busiest = 0.0_f64;
        for (&(column, track), spans) in &tracks {
            let (mut at, mut spent) = (0.0, [0.0; 6]);
            for &(start, end, parts) in spans {
                assert!(near(start, at) && end > start, "{line}: {start} after {at}");
                assert!(near(parts.iter().sum::<f64>(), end - start), "{line}: {parts:?}");
                (0..6).for_each(|kind| spent[kind] += parts[kind]);
                at = end;
            }
            assert!(near(at, seconds), "{line}: {at} of {seconds}");
            if column == 1 {
                busiest = busiest.max(spent[4]);
                assert!(near(spent[3] + spent[4], seconds), "{line}: {spent:?}");
                continue;
            }
            // Tasks of its own or of copies come last before it is idle.
            let last = spans.iter().rposition(|(.., spent)| spent[0] + spent[1] > 0.0);
            let first = spans.iter().position(|(.., spent)| spent[3] > 0.0);
            assert!(first.is_none() || last.is_none() || last <= first, "{line}: {spans:?}");
            for (kind, key) in SHARES.iter().enumerate() {
                let told = workers[track][*key].as_f64().unwrap();
                assert!(near(spent[kind], told), "{line}: {key} of {track}: {spent:?}");
            }
        }
        let told = report["manager_busy"].as_f64().unwrap();
        assert!(near(busiest, told * seconds), "{line}: {busiest} {told}");
        let (header, rows) = table(&folder.join("workers.csv"));
        assert_eq!(rows.len(), workers.len());
        let executed = header.iter().position(|name| name == "executed").unwrap();
        for (row, worker) in rows.iter().zip(workers) {
            assert_eq!(row[executed], worker["executed"].as_f64());
        }
    }
}

#[test]
fn the_picture_says_what_it_shows() {
    let out = tempdir().unwrap();
    let line = "uts --tree T3 --machine cirrus --nodes 2 --method sharing --out";
    object(tresse(line).arg(out.path()), 0);
    let texts = texts(&out.path().join("timeline.svg")).join("\n");
    for part in [
        "tree T3, sharing, 68 workers in virtual time",
        "time (ms)",
        "workers 0–1",
        "manager",
        "% own tasks",
        "% searching",
        "% of the workers' time",
    ] {
        assert!(texts.contains(part), "no {part} in {texts}");
    }
}

#[test]
fn a_recording_is_a_trace_with_a_track_for_everybody() {
    for line in RUNS {
        let folder = tempdir().unwrap();
        let (path, out) = (folder.path().join("pool.tresse"), folder.path().join("trace.json"));
        let line = format!("{line} --out {} --record", folder.path().display());
        let report = object(tresse(&line).arg(&path), 0);
        let ended = run(tresse("export-trace").arg(&path).arg("--perfetto").arg(&out));
        assert_eq!((ended.code, ended.err.as_str()), (0, ""));
        let trace: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let workers = report["by_worker"].as_array().unwrap();
        let managers: usize = report["managers"].to_string().parse().unwrap();
        let named = events.iter().filter(|event| event["name"] == "thread_name");
        assert_eq!(named.count(), workers.len() + managers);
        // Slices are the spans, but for those of managers that nobody asks for anything.
        let spans = tracks(folder.path());
        let is_seen = |column, spent: &[f64; 6]| column == 0 || spent[4] > 0.0;
        let seen = spans.iter().flat_map(|((column, _), spans)| {
            spans.iter().filter(move |(.., spent)| is_seen(*column, spent))
        });
        let slices: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
        assert_eq!(slices.len(), seen.count(), "{line}");
        for number in 0..workers.len() {
            let own = slices.iter().filter(|slice| slice["tid"] == number as u64);
            let sum: f64 = own.map(|slice| slice["dur"].as_f64().unwrap()).sum();
            let seconds = report["seconds"].as_f64().unwrap();
            assert!((sum * 1e-6 - seconds).abs() < 1e-7 * seconds.max(1.0), "{line}: {sum}");
        }
        let title = events.iter().find(|event| event["name"] == "process_name").unwrap();
        let title = title["args"]["name"].as_str().unwrap();
        assert!(title.contains("tree T") && title.contains(report["method"].as_str().unwrap()));
        assert_eq!(title.contains("virtual"), report["virtual"] == true, "{title}");
    }
}

/// Returns a folder with a recording `R`.
fn recorded() -> TempDir {
    let folder = tempdir().unwrap();
    let path = folder.path().join("R");
    let ended = run(tresse("uts --tree T5 --workers 2 --record").arg(&path));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    assert!(ended.out.contains(&format!("recorded    {}", path.display())), "{}", ended.out);
    folder
}

#[test]
fn recordings_that_cannot_be_used() {
    let folder = recorded();
    let path = folder.path().join("R");
    let name = path.to_str().unwrap();
    refused(tresse("replay").arg(&path), &[name, "of a pool or", "export-trace"]);
    let bytes = fs::read(&path).unwrap();
    let (mut damaged, mut newer) = (bytes.clone(), bytes.clone());
    damaged[bytes.len() / 2] ^= 4;
    newer[8] += 1;
    for (bytes, part) in [
        (&bytes[..bytes.len() - 1], "cut off"),
        (&bytes[..13], "cut off"),
        (&bytes[..12], "cut off"),
        (&damaged, "damaged at byte"),
        (&newer, "format 2"),
        (&[&bytes[..], b"x"].concat(), "damaged at byte"),
    ] {
        fs::write(&path, bytes).unwrap();
        let out = folder.path().join("trace.json");
        refused(tresse("export-trace").arg(&path).arg("--perfetto").arg(&out), &[name, part]);
        assert!(!out.exists());
    }
}

#[test]
fn results_replace_nothing_that_is_read_and_are_not_one_file() {
    let folder = recorded();
    let at = |name: &str| folder.path().join(name);
    let before = fs::read(at("R")).unwrap();
    refused(
        tresse("export-trace").arg(at("R")).arg("--perfetto").arg(at("R")),
        &["--perfetto", "R (the recording)"],
    );
    assert_eq!(fs::read(at("R")).unwrap(), before);
    fs::write(at("m.toml"), "base = \"laptop\"\n").unwrap();
    for (flags, parts) in [
        ("--machine m.toml --record m.toml", &["--record m.toml", "m.toml (--machine)"][..]),
        ("--out out --record out/timeline.svg", &["--record out/timeline.svg", "of --out"]),
        ("--out m.toml", &["--out m.toml", "a file is in the way"]),
        ("--record new/", &["--record new/", "name a file"]),
        ("--record .", &["--record .", "name a file"]),
    ] {
        let mut command = tresse(&format!("uts --workers 2 {flags}"));
        refused(command.current_dir(folder.path()), parts);
    }
    fs::create_dir(at("in")).unwrap();
    std::os::unix::fs::symlink("../m.toml", at("in/workers.csv")).unwrap();
    let mut command = tresse("uts --machine m.toml --out in");
    refused(command.current_dir(folder.path()), &["--out in/workers.csv", "m.toml (--machine)"]);
    assert_eq!(fs::read(at("m.toml")).unwrap(), b"base = \"laptop\"\n");
    assert_eq!(names(folder.path()), ["R", "in", "m.toml", "out"]);
}
