//! Replays the committed fuzz corpora, and what a fuzzer found but nobody has mended yet.

#![expect(clippy::unwrap_used, reason = "without its seeds the test fails")]

use std::fs;
use std::path::Path;

use tresse_tests::fuzzing::{
    checkpoint, decide_plb, defaults, grapevine, load_trace, machine, matrix, migration,
    pool_recording, problem_file, recording, sharing, worker,
};

fn replay(target: &str, run: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let corpus = fuzz.join("corpus").join(target);
    let seeds = fs::read_dir(&corpus).unwrap();
    let found = fs::read_dir(fuzz.join("artifacts").join(target)).into_iter().flatten();
    let mut seeds: Vec<_> = seeds.chain(found).map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(seeds.len() >= 20, "{} has only {} seeds", corpus.display(), seeds.len());
    for seed in seeds {
        let bytes = fs::read(&seed).unwrap();
        assert!(std::panic::catch_unwind(|| run(&bytes)).is_ok(), "{}", seed.display());
    }
}

#[test]
fn checkpoint_corpus() {
    replay("checkpoint", checkpoint);
}

#[test]
fn decide_plb_corpus() {
    replay("decide_plb", decide_plb);
}

#[test]
fn defaults_corpus() {
    replay("defaults", defaults);
}

#[test]
fn grapevine_corpus() {
    replay("grapevine", grapevine);
}

#[test]
fn machine_corpus() {
    replay("machine", machine);
}

#[test]
fn matrix_corpus() {
    replay("matrix", matrix);
}

#[test]
fn migration_corpus() {
    replay("migration", migration);
}

#[test]
fn pool_recording_corpus() {
    replay("pool_recording", pool_recording);
}

#[test]
fn problem_file_corpus() {
    replay("problem_file", problem_file);
}

#[test]
fn recording_corpus() {
    replay("recording", recording);
}

#[test]
fn load_trace_corpus() {
    replay("load_trace", load_trace);
}

#[test]
fn sharing_corpus() {
    replay("sharing", sharing);
}

#[test]
fn worker_corpus() {
    replay("worker", worker);
}
