//! Replays the committed fuzz corpora, and what a fuzzer found but nobody has mended yet.

use std::fs;
use std::path::Path;

use tresse_tests::fuzzing::{decide_plb, problem_file};

fn replay(target: &str, run: fn(&[u8])) {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let corpus = fuzz.join("corpus").join(target);
    let seeds = fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{corpus:?}: {error}"));
    let found = fs::read_dir(fuzz.join("artifacts").join(target)).into_iter().flatten();
    let mut seeds: Vec<_> = seeds.chain(found).map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(seeds.len() >= 20, "{corpus:?} has only {} seeds", seeds.len());
    for seed in seeds {
        println!("{}", seed.display());
        run(&fs::read(&seed).unwrap());
    }
}

#[test]
fn decide_plb_corpus() {
    replay("decide_plb", decide_plb);
}

#[test]
fn problem_file_corpus() {
    replay("problem_file", problem_file);
}
