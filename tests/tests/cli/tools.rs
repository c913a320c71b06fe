//! The subcommands beside `solve` that compute something: decide, noise, bench, compare.

use std::fs;

use serde_json::{Value, json};
use tempfile::tempdir;
use tresse_tests::output_files::assert_pictures;

use crate::program::{names, number, object, refused, run, tresse};

/// Returns the first allowed core.
fn core() -> Value {
    object(&mut tresse("topology"), 0)["cores"][0]["id"].clone()
}

fn decide(input: &str) -> Value {
    let ended = run(tresse("decide plb").write_stdin(input));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""), "{input}");
    serde_json::from_str(&ended.out).unwrap()
}

#[test]
fn a_round_decided_by_hand() {
    // Worker 0 has the most updated subdomain, worker 1 the least: it gives away its most updated
    // one, 5, not the least updated one itself.
    let input = r#"{"counts":[9,8,7,1,2,3],"owners":[0,0,0,1,1,1],"sockets":[0,0],"policy":"joint",
        "pairs":1,"low":2,"high":6,"dead_band":0}"#;
    assert_eq!(decide(input), json!({"moves": [{"subdomain": 5, "from": 1, "to": 0}]}));
    let split = input.replace("joint", "split");
    assert_eq!(decide(&split), decide(input), "one socket is all workers");
    let apart = split.replace("[0,0],\"policy\"", "[0,1],\"policy\"");
    let apart = decide(&apart);
    assert_eq!(apart["moves"], json!([]), "nothing moves between sockets");
    let warning = apart["warning"].as_str().unwrap();
    assert!(warning.contains("nothing can ever move"), "{warning}");
    let band = input.replace("\"dead_band\":0", "\"dead_band\":9");
    assert_eq!(decide(&band), json!({"moves": []}));
    let least =
        r#"{"counts":[9,8,7,1,2,3],"owners":[0,0,0,1,1,1],"sockets":[0,0],"policy":"joint"}"#;
    assert!(!decide(least)["moves"].as_array().unwrap().is_empty(), "the rest has defaults");
}

#[test]
fn rounds_that_are_none() {
    let round = |change: (&str, &str)| {
        r#"{"counts":[9,1],"owners":[0,1],"sockets":[0,0],"policy":"joint"}"#
            .replace(change.0, change.1)
    };
    for (change, parts) in [
        (("joint", "hybrid"), &["policy", "hybrid", "joint"][..]),
        (("joint", "best"), &["policy", "best", "split"]),
        (("policy", "polizy"), &["polizy"]),
        (("[0,1]", "[0]"), &["owners", "counts"]),
        (("[0,1]", "[0,7]"), &["owners", "7", "sockets"]),
        (("[9,1]", "[9,-1]"), &["counts[1]"]),
        (("[9,1]", "[9,1.5]"), &["counts[1]"]),
        (("\"policy\"", "\"pairs\":0,\"policy\""), &["pairs", "1 to 64"]),
        (("\"policy\"", "\"pairs\":1000,\"policy\""), &["pairs", "1000", "1 to 64"]),
        (("\"policy\"", "\"low\":6,\"policy\""), &["low", "high"]),
        (("}", ""), &["line 1", "give an object"]),
    ] {
        refused(tresse("decide plb").write_stdin(round(change)), parts);
    }
    refused(tresse("decide plb").write_stdin(""), &["standard input"]);
    refused(tresse("decide plb").write_stdin([0xff, 0xfe]), &["standard input"]);
    refused(tresse("decide plb").write_stdin("[".repeat(100_000)), &["standard input"]);
}

#[test]
fn a_round_of_a_million_subdomains() {
    let counts: Vec<u64> = (0..1_000_000_u64).map(|id| id * 7_919 % 1_000_003).collect();
    let owners: Vec<u32> = (0..1_000_000).map(|id| id / 4).collect();
    let sockets = vec![0; 250_000];
    let input = json!({"counts": counts, "owners": owners, "sockets": sockets, "policy": "joint"});
    let moves = decide(&input.to_string());
    let moves = moves["moves"].as_array().unwrap();
    assert!((1..=6).contains(&moves.len()), "{moves:?}");
    for made in moves {
        let subdomain = usize::try_from(made["subdomain"].as_u64().unwrap()).unwrap();
        assert_eq!(made["from"], owners[subdomain]);
        assert_ne!(made["from"], made["to"]);
    }
}

#[test]
fn noise_prints_what_it_causes() {
    let core = core();
    let line = format!("noise --core {core} --duty 0.1 --seconds 0.3");
    let ended = run(&mut tresse(&line));
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    // Beside other work there may be nothing to measure.
    let measured = ["slows a thread", "no slow-down was measured"];
    assert!(measured.iter().any(|part| ended.out.contains(part)), "{}", ended.out);
    assert!(ended.out.contains("took") && !ended.out.contains("by -"), "{}", ended.out);
    let line = format!("noise --core {core} --sleep 200us --work 10000 --seconds 0.2");
    let outcome = object(&mut tresse(&line), 0);
    assert_eq!(outcome["core"], core);
    let line = format!("noise --core {core} --burst 46us --gap 200us --seconds 0.2");
    let bursts = object(&mut tresse(&line), 0);
    assert_eq!(bursts["source"], format!("core={core},burst=0.000046s,gap=0.0002s"));
    assert!(number(&bursts, "/share") > 0.0, "{bursts}");
    assert!((0.0..=1.0).contains(&number(&outcome, "/share")), "{outcome}");
    assert!(number(&outcome, "/slow_down") < 1.0, "{outcome}");
    assert!(number(&outcome, "/seconds") >= 0.2, "{outcome}");
}

#[test]
fn noise_that_cannot_be_made() {
    for (flags, parts) in [
        ("--core 99999 --duty 0.1", &["--core 99999", "allowed"][..]),
        ("--core 0 --duty 1", &["--duty"]),
        ("--core 0 --duty 0.1 --work 5", &["--duty", "--work"]),
        ("--core 0 --burst 1us --gap 0", &["--gap"]),
        ("--core 0 --burst 1us --gap 1us --duty 0.1", &["--duty"]),
        ("--core 0 --seconds 0", &["--seconds"]),
        ("--core 0 --seconds -1", &["--seconds"]),
        ("--core 0 --work 0", &["--work"]),
        ("--core 0 --sleep soon", &["--sleep"]),
    ] {
        refused(&mut tresse(&format!("noise {flags}")), parts);
    }
    for (flags, missing) in [
        ("--duty 0.1", "--core <"),
        ("--core 0 --burst 1us", "--gap <"),
        ("--core 0 --gap 1us", "--burst <"),
    ] {
        let ended = run(&mut tresse(&format!("noise {flags}")));
        assert!(ended.code == 2 && ended.err.contains(missing), "{}", ended.err);
    }
}

#[test]
fn benches_of_the_pieces() {
    for flags in ["", "--precision f32", "--threads 2 --no-residual"] {
        let line = format!("bench kernel --size 64x64 --seconds 0.1 {flags}");
        assert!(number(&object(&mut tresse(&line), 0), "/cell_updates_per_second") > 0.0);
    }
    let round = object(&mut tresse("bench round --subdomains 144"), 0);
    assert_eq!(round["subdomains"], 144);
    assert!(number(&round, "/nanoseconds") > 0.0, "{round}");
    let engine = object(&mut tresse("bench engine --seconds 0.5 --cells-per-worker 64x64"), 0);
    for ratio in ["/engine_ratio", "/engine_over_sweep", "/balanced_ratio", "/balancer_ratio"] {
        assert!(number(&engine, ratio) > 0.0, "{engine}");
    }
    let ended = run(&mut tresse("bench round --subdomains 8"));
    assert!(ended.code == 0 && ended.out.contains("ns a round"), "{}", ended.out);
}

#[test]
fn benches_that_cannot_be_run() {
    for (flags, parts) in [
        ("kernel --size 0x5", &["--size", "at least 1"][..]),
        ("kernel --size 4294967295x4294967295", &["--size", "memory"]),
        ("kernel --threads 0", &["--threads"]),
        ("kernel --threads 99999 --size 8x8", &["--threads"]),
        ("kernel --seconds 0", &["--seconds"]),
        ("kernel --precision f16", &["--precision"]),
        ("round --subdomains 0", &["--subdomains"]),
        ("round --subdomains 4294967295", &["--subdomains"]),
        ("engine --cells-per-worker 4000000000x4000000000", &["--cells-per-worker", "memory"]),
        ("engine --seconds never", &["--seconds"]),
        ("prediction --machine /gone.toml", &["--machine /gone.toml", "cannot be read"]),
        ("prediction --machine laptop --workers 5", &["--workers", "4 cores"]),
    ] {
        refused(&mut tresse(&format!("bench {flags}")), parts);
    }
    for (flags, parts) in [
        ("--workers 1", &["--workers 1", "at least two workers"][..]),
        ("--workers 9999", &["--workers 9999"]),
        ("--out here.csv", &["--out", ".toml"]),
        ("--out /dev/null/here.toml", &["--out /dev/null/here.toml", "cannot be written"]),
    ] {
        refused(&mut tresse(&format!("calibrate {flags}")), parts);
    }
}

const COMPARE: &str =
    "compare --quick --cells-per-worker 24x24 --repetitions 1 --tolerance 1e-2 --workers 2";

#[test]
fn a_comparison_and_its_files() {
    let out = tempdir().unwrap();
    let comparison = object(tresse(COMPARE).arg("--out").arg(out.path()), 0);
    assert_eq!(comparison["interrupted"], false);
    assert_eq!(comparison["config"]["repetitions"], 1);
    let rows = comparison["rows"].as_array().unwrap();
    // Quiet, noisy, and noisy on the other core; on one core alone there is no other.
    let settings = if comparison["config"]["elsewhere"].is_null() { 2 } else { 3 };
    assert_eq!(comparison["runs"], rows.len() * settings);
    assert!(rows.iter().all(|row| row["elsewhere"].is_object() == (settings == 3)), "{rows:?}");
    let expected = [
        "landscape.png",
        "landscape.svg",
        "samples.csv",
        "summary.json",
        "table.csv",
        "time.png",
        "time.svg",
    ];
    assert_eq!(names(out.path()), expected);
    assert_pictures(out.path());
    let summary = fs::read(out.path().join("summary.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&summary).unwrap(), comparison);
    let samples = csv::Reader::from_path(out.path().join("samples.csv")).unwrap();
    assert_eq!(samples.into_records().map(Result::unwrap).count(), rows.len() * settings);
}

#[test]
fn a_comparison_for_a_person_has_every_method() {
    let ended = run(tresse(COMPARE).arg("--quiet"));
    assert_eq!(ended.code, 0, "{}", ended.err);
    for part in [
        "sync",
        "ssync(1)",
        "ssync(30)",
        "async(1)",
        "async(4)",
        "split",
        "joint",
        "hybrid",
        "pull",
        "exact",
    ] {
        assert!(ended.out.contains(part), "no {part} in\n{}", ended.out);
    }
}

#[test]
fn comparisons_that_make_no_sense() {
    let root = tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "").unwrap();
    for (flags, parts) in [
        ("--repetitions 0", &["--repetitions"][..]),
        ("--tolerance 0", &["--tolerance 0", "above 0"]),
        ("--workers 0", &["--workers"]),
        ("--cells-per-worker 0x1", &["--cells-per-worker"]),
        ("--cells-per-worker 4000000000x4000000000", &["--cells-per-worker", "memory"]),
        ("--noise core=99999,duty=0.1", &["--noise core=99999", "allowed"]),
        ("--noise any-node=2,duty=0.1", &["--noise any-node=2", "at most 1"]),
        (&format!("--out {}", file.display()), &["--out", "cannot be written"]),
    ] {
        refused(&mut tresse(&format!("compare {flags}")), parts);
    }
}
