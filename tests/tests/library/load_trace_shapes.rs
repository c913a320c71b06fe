//! Load traces in the shapes of applications' go through unchanged, and their figures are those of
//! their files; those that others have recorded, and published figures of, where they are.

#![expect(clippy::unwrap_used, reason = "a load trace that should be read")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tresse::files::load_traces::{
    Encoding, EntityId, LoadTrace, Phase, read, read_sources, validate, validate_sources,
};
use tresse::report::load_statistics::LoadStatistics;
use tresse_core::base::id::ProcessorId;
use tresse_tests::load_trace_files::{LIMITS, real, sources, written};
use tresse_tests::load_trace_shapes::{SHAPES, seconds};

use crate::load_traces::{assert_written_and_read_again, json};

const SEEDS: u64 = 3;

/// Returns the drawn traces of all shapes, each with its files.
fn drawn() -> impl Iterator<Item = (String, Vec<Value>)> {
    SHAPES.iter().flat_map(|shape| {
        (0..SEEDS).map(|seed| (format!("{} {seed}", shape.name), shape.files(seed)))
    })
}

fn read_all(files: &[Value]) -> LoadTrace {
    read_sources(sources(files), LIMITS).unwrap()
}

#[test]
fn traces_of_every_shape_go_through_unchanged() {
    for (name, files) in drawn() {
        let trace = read_all(&files);
        for (file, original) in written(&trace, Encoding::Plain).iter().zip(&files) {
            // The list of communications is always written.
            let mut original = original.clone();
            for phase in original["phases"].as_array_mut().unwrap() {
                if phase["communications"].is_null() {
                    phase["communications"] = json!([]);
                }
            }
            assert_eq!(json(file), original, "{name}");
        }
        assert_goes_through(&name, &trace);
    }
}

#[test]
fn figures_of_every_shape_are_those_of_its_files() {
    for (name, files) in drawn() {
        let trace = read_all(&files);
        for (at, phase) in trace.phases().iter().enumerate() {
            let seconds = seconds(&files, at);
            let ours = LoadStatistics::of(&phase.rank_seconds()).unwrap();
            let sum: f64 = seconds.iter().sum();
            let most = seconds.iter().copied().fold(0.0, f64::max);
            let imbalance = most * seconds.len() as f64 / sum - 1.0;
            close(ours.sum, sum, 9);
            close(ours.imbalance, imbalance, 9);
            assert_eq!(ours.n, seconds.len(), "{name}");
        }
    }
}

/// Checks that a trace is read again as it was written, also with its objects elsewhere.
fn assert_goes_through(name: &str, trace: &LoadTrace) {
    assert_written_and_read_again(trace);
    // One of every three objects to another rank.
    let phase = trace.phases()[0].objects();
    let ranks = u32::try_from(trace.ranks()).unwrap();
    let elsewhere = |(index, owner): (usize, &ProcessorId)| {
        let moves = index % 3 == 0 && !phase.fixed[index];
        ProcessorId(if moves { (owner.0 + 1) % ranks } else { owner.0 })
    };
    let owners: Vec<_> = phase.owners.iter().enumerate().map(elsewhere).collect();
    let moved = trace.clone().with_owners(0, &owners).unwrap();
    assert_written_and_read_again(&moved);
    let after = moved.phases()[0].objects();
    assert_eq!((&after.seconds, &after.fixed), (&phase.seconds, &phase.fixed));
    assert_eq!(after.owners, owners);
    let count = |trace: &LoadTrace| trace.phases()[0].communications().count();
    assert_eq!(count(&moved), count(trace));
    let problems = validate_sources(written(&moved, Encoding::Plain), LIMITS).unwrap();
    assert!(problems.problems.is_empty(), "{name}: {:?}", problems.problems.first());
}

fn close(ours: f64, theirs: f64, digits: i32) {
    assert!((ours / theirs - 1.0).abs() < 10_f64.powi(-digits), "{ours} is not {theirs}");
}

/// Returns every real trace, by the names of its folder and its files.
fn real_traces(folder: &Path) -> BTreeMap<String, LoadTrace> {
    let mut traces = BTreeMap::new();
    for (name, stem) in [
        ("ccm_example", "data"),
        ("challenging_toy_fewer_tasks", "toy"),
        ("nolb-8color-16nodes-11firstphases", "data"),
        ("synthetic-blocks", "synthetic-dataset-blocks"),
        ("synthetic-blocks", "synthetic-dataset-blocks-alpha0"),
        ("user-defined-memory-toy-problem", "toy_mem"),
        ("user-defined-memory-toy-problem", "toy_mem_README"),
        ("user-defined-memory-toy-problem", "toy_mem_optimal"),
        ("vt_example_lb_data", "data"),
    ] {
        let trace = read(&[folder.join(name)], Some(stem), LIMITS, &|| {});
        traces.insert(format!("{name}/{stem}"), trace.unwrap());
    }
    traces
}

#[test]
fn real_traces_go_through_unchanged() {
    let Some(folder) = real() else { return };
    for (name, trace) in real_traces(&folder) {
        println!("{name}");
        assert_goes_through(&name, &trace);
    }
    let input = [folder.join("synthetic-blocks")];
    let error = read(&input, None, LIMITS, &|| {}).unwrap_err().to_string();
    assert!(error.contains("2 traces"), "{error}");
    assert!(
        validate(&input, Some("synthetic-dataset-blocks"), LIMITS, &|| {})
            .unwrap()
            .problems
            .is_empty()
    );
}

#[test]
fn json_of_real_traces_is_the_same_json() {
    let Some(folder) = real() else { return };
    for (name, stem) in [("ccm_example", "data"), ("synthetic-blocks", "synthetic-dataset-blocks")]
    {
        let trace = read(&[folder.join(name)], Some(stem), LIMITS, &|| {}).unwrap();
        for file in written(&trace, Encoding::Plain) {
            let original = fs::read(folder.join(name).join(&file.path)).unwrap();
            let original: Value = serde_json::from_slice(&original).unwrap();
            // The list of communications is always written.
            let mut original = original;
            for phase in original["phases"].as_array_mut().unwrap() {
                if phase["communications"].is_null() {
                    phase["communications"] = json!([]);
                }
            }
            assert_eq!(json(&file), original, "{name}");
        }
    }
}

#[test]
fn figures_of_real_traces_are_the_published_ones() {
    let Some(folder) = real() else { return };
    let traces = real_traces(&folder);
    // Sum and imbalance of the work in phases 0 to 10, as LBAF's own test of its reader has them.
    let published = [
        (10.5817, 0.992_173),
        (0.642_948, 4.91849),
        (0.526_383, 0.221_116),
        (0.521_197, 0.044_230_4),
        (0.52225, 0.046_105_1),
        (0.520_378, 0.046_995_1),
        (0.520_078, 0.043_035_6),
        (0.520_286, 0.053_283_1),
        (0.520_617, 0.046_616_1),
        (0.547_612, 1.44446),
        (0.522_944, 0.098_434),
    ];
    let phases = traces["nolb-8color-16nodes-11firstphases/data"].phases();
    assert_eq!(phases.len(), published.len());
    let example = &traces["vt_example_lb_data/data"].phases()[0];
    let objects = LoadStatistics::of(&example.seconds()).unwrap();
    assert_eq!((objects.n, example.parts.len()), (100, 8));
    close(objects.sum, 4.20758, 5);
    close(objects.deviation, 0.074_587_1, 5);
    close(objects.skewness.unwrap(), 2.88553, 5);
    close(objects.kurtosis.unwrap(), 9.85743, 5);
    let ranks = LoadStatistics::of(&example.rank_seconds()).unwrap();
    close(ranks.mean, 0.525_948, 5);
    close(ranks.deviation, 0.696_324, 5);
    close(ranks.skewness.unwrap(), 2.02999, 5);
    close(ranks.kurtosis.unwrap(), 5.5987, 4);
    close(ranks.imbalance, 3.41278, 5);
    for (phase, (sum, imbalance)) in phases.iter().zip(published) {
        let ours = LoadStatistics::of(&work(phase)).unwrap();
        close(ours.sum, sum, 5);
        close(ours.imbalance, imbalance, 5);
    }
}

/// Work of each rank: seconds, and a hundred-millionth of a second for each byte that its objects
/// send to objects of other ranks, or receive, whichever is more.
fn work(phase: &Phase) -> Vec<f64> {
    let ranks = phase.parts.iter().enumerate();
    let rank_of: BTreeMap<EntityId, usize> =
        ranks.flat_map(|(rank, part)| part.tasks.iter().map(move |task| (task.id, rank))).collect();
    let mut volumes = vec![[0.0; 2]; phase.parts.len()];
    for one in phase.communications().filter(|one| !one.is_noted_by_receiver) {
        let rank = |name: Option<EntityId>| rank_of.get(&name?).copied();
        match (rank(one.from), rank(one.to)) {
            (Some(from), Some(to)) if from != to => {
                volumes[from][0] += one.bytes;
                volumes[to][1] += one.bytes;
            }
            _ => {}
        }
    }
    let loads = phase.rank_seconds();
    loads.iter().zip(volumes).map(|(load, [sent, got])| load + 1e-8 * sent.max(got)).collect()
}
