//! `tresse traverse`: the same vertices whatever the method, files of graphs, and what is no graph.

use std::fs;

use serde_json::Value;
use tempfile::tempdir;

use crate::program::{number, object, refused, run, tresse};
use crate::uts::{METHODS, assert_shares, whole};

/// Long and thin, so that there is little to share.
const THIN: &str = "random:vertices=20000,degree=3,span=20,seed=4";

/// Returns the results without those that depend on the schedule.
fn found(report: &Value) -> Vec<&Value> {
    ["vertices", "reached", "arcs", "sinks", "fingerprint", "levels"].map(|key| &report[key]).into()
}

#[test]
fn every_method_reaches_the_same_with_any_number_of_workers() {
    let alone = object(&mut tresse(&format!("traverse --graph {THIN} --workers 1")), 0);
    assert_eq!(whole(&alone, "vertices"), 20_000);
    assert!((18_000..20_000).contains(&whole(&alone, "reached")), "{alone}");
    let parallelism = whole(&alone, "reached") as f64 / whole(&alone, "levels") as f64;
    assert!((number(&alone, "/parallelism") / parallelism - 1.0).abs() < 1e-12);
    for method in METHODS {
        for flags in ["--workers 3", "--workers 2 --chunk 1", "--machine cirrus --nodes 1"] {
            let line = format!("traverse --graph {THIN} --method {method} {flags}");
            let report = object(&mut tresse(&line), 0);
            assert_eq!(found(&report), found(&alone), "{line}");
            assert_eq!(report["as_serial"], true, "{line}");
            let of_workers = report["by_worker"].as_array().unwrap();
            let sum = |key: &str| of_workers.iter().map(|worker| whole(worker, key)).sum::<u64>();
            assert_eq!(sum("executed") + sum("committed"), whole(&report, "reached"), "{line}");
            assert_shares(&report);
        }
    }
    let line =
        format!("traverse --graph {THIN} --machine cirrus --nodes 1 --method speculative-stealing");
    let report = object(&mut tresse(&line), 0);
    assert!(whole(&report, "rolled_back") > 0, "nothing was visited in vain: {report}");
}

#[test]
fn graphs_of_files_are_traversed_from_where_they_begin() {
    let folder = tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let list = path("graph.txt", "# two parts\n2 3\n3 4\n4 2\n0 1\n4 5\n2 3\n");
    let matrix = path(
        "graph.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 1.5\n3 2 -1\n4 4 2\n",
    );
    for (flags, reached, arcs, root, levels) in [
        (format!("--graph {list}"), 4, 4, 2, 4),
        (format!("--graph {list} --root 0"), 2, 1, 0, 2),
        (format!("--graph {list} --root 5"), 1, 0, 5, 1),
        (format!("--graph {list} --undirected --root 5"), 4, 8, 5, 3),
        (format!("--graph {matrix}"), 3, 4, 2, 2),
        (format!("--graph {matrix} --root 4"), 1, 0, 4, 1),
        (format!("--graph {matrix} --root 3 --workers 3 --method stealing"), 3, 4, 3, 3),
    ] {
        let report = object(&mut tresse(&format!("traverse {flags}")), 0);
        let keys = ["reached", "arcs", "root", "levels"].map(|key| whole(&report, key));
        assert_eq!(keys, [reached, arcs, root, levels], "{flags}: {report}");
        assert!(report["hash"].is_null() && report["as_serial"] == true);
    }
    let told = run(&mut tresse(&format!("traverse --graph {list} --root 0"))).out;
    assert!(told.contains(" 1 step from the first to the farthest"), "{told}");
    let unchecked = object(&mut tresse(&format!("traverse --graph {list} --unchecked")), 0);
    assert!(unchecked["as_serial"].is_null() && unchecked["levels"].is_null());
    let mut command = tresse(&format!("traverse --graph {list} --record {list}"));
    refused(&mut command, &["--record", "graph.txt (--graph)"]);
}

/// A vertex with more arcs than a copy has places for.
#[test]
fn hubs_are_traversed_by_copies_as_well() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("hubs.txt");
    let edges = (1..60_u32)
        .flat_map(|hub| (0..300).map(move |leaf| (hub, 60 + (hub * 131 + leaf) % 9_000)));
    let edges: Vec<String> = (1..60_u32)
        .map(|hub| (0, hub))
        .chain(edges)
        .map(|(from, to)| format!("{from} {to}"))
        .collect();
    fs::write(&path, edges.join("\n")).unwrap();
    for method in METHODS {
        let line =
            format!("traverse --method {method} --machine cirrus --nodes 1 --chunk 2 --graph");
        let report = object(tresse(&line).arg(&path), 0);
        assert_eq!(report["as_serial"], true, "{method}: {report}");
    }
}

#[test]
fn graphs_that_cannot_be_are_refused() {
    let folder = tempdir().unwrap();
    let bad = folder.path().join("bad.txt");
    fs::write(&bad, "0 1\n1 2\n2 three\n").unwrap();
    let bad = bad.display().to_string();
    let place = folder.path().display().to_string();
    for (flags, parts) in [
        (format!("--graph {bad}"), vec!["--graph", "bad.txt", "line 3", "2 three"]),
        (format!("--graph {place}"), vec!["--graph", "not a regular file"]),
        ("--graph nowhere.mtx".into(), vec!["--graph nowhere.mtx", "cannot be read", "random:"]),
        ("--graph random:vertices=0".into(), vec!["--graph", "1 to 4294967295"]),
        ("--graph random:edges=5".into(), vec!["--graph", "random:vertices=N"]),
        ("--graph random:vertices=9,span=9".into(), vec!["--graph", "one less"]),
        ("--graph random:vertices=5e9".into(), vec!["--graph", "1 to 4294967295"]),
        ("--graph random:vertices=9 --root 9".into(), vec!["--root 9", "0 to 8"]),
        ("--graph random:vertices=9 --undirected".into(), vec!["--undirected"]),
        ("--method quick".into(), vec!["--method", "quick"]),
        ("--chunk 0".into(), vec!["--chunk 0", "1 to 128"]),
        ("--nodes 2".into(), vec!["--nodes", "--machine"]),
    ] {
        refused(&mut tresse(&format!("traverse {flags}")), &parts);
    }
}

#[test]
fn a_person_is_told_what_was_reached() {
    let line = format!("traverse --graph {THIN} --method speculative-stealing --workers 2");
    let ended = run(&mut tresse(&line));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    for part in [
        THIN,
        "of 20000 vertices reached from 0",
        "as one alone",
        "at a time",
        "per second",
        "claims",
    ] {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
    let quiet = run(&mut tresse(&format!("{line} --quiet")));
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (0, "", ""));
}
