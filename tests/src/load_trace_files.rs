//! Load traces made in code.

use std::path::PathBuf;

use brotli::CompressorWriter;
use serde_json::{Value, json};
use tresse::files::load_traces::{Encoding, Limits, LoadTrace, Source};

use crate::skip::note;

/// Plenty for what the tests read.
pub const LIMITS: Limits = Limits { file: 1 << 28, memory: 1 << 32 };

/// Returns a task of the number `seq`, made on `home` and now on `node`.
pub fn task(seq: u64, home: u32, node: u32, time: f64) -> Value {
    json!({
        "entity": {"collection_id": 7, "home": home, "id": seq << 18 | u64::from(home) << 2 | 3,
            "index": [home, seq], "migratable": true, "type": "object"},
        "node": node, "resource": "cpu", "time": time
    })
}

/// Returns a message between two objects of [`task`].
pub fn message(from: (u64, u32), to: (u64, u32), bytes: f64) -> Value {
    let end = |(seq, home): (u64, u32)| {
        json!({"home": home, "id": seq << 18 | u64::from(home) << 2 | 3, "migratable": true,
            "type": "object"})
    };
    json!({"bytes": bytes, "from": end(from), "messages": 2, "to": end(to), "type": "SendRecv"})
}

/// Two ranks, two phases: five objects of which one must stay, three communications, and keys of
/// every kind that balancing has no use for.
pub fn sample() -> [Value; 2] {
    let sentinel = json!({
        "entity": {"home": 0, "id": 13, "migratable": false, "objgroup_id": 5, "type": "object"},
        "node": 0, "resource": "cpu", "time": 0.25,
        "subphases": [{"id": 0, "time": 0.125}, {"id": 1, "time": 0.125}]
    });
    let mut rich = task(1, 0, 0, 0.1);
    rich["user_defined"] = json!({"shared_id": 4.0, "shared_bytes": 1600.0, "home_rank": 0,
        "task_working_bytes": 110.0, "task_footprint_bytes": 1024.0,
        "task_serialized_bytes": 512.0, "rank_working_bytes": 9.0, "ours": "kept"});
    rich["attributes"] = json!({"a": 1, "b": 2.50, "c": "x \"y\" \\ z"});
    let broadcast = json!({"bytes": 3.0, "messages": 1, "type": "Broadcast",
        "from": {"home": 0, "id": 13, "migratable": false, "objgroup_id": 5, "type": "object"},
        "to": task(4, 1, 1, 0.0)["entity"].clone()});
    let to_node = json!({"bytes": 8.0, "messages": 1, "type": "CollectionToNode",
        "from": task(1, 0, 0, 0.0)["entity"].clone(), "to": {"type": "node", "id": 1}});
    let phases = |phase: Value| {
        let mut again = phase.clone();
        again["id"] = json!(1);
        json!([phase, again])
    };
    let first = json!({
        "id": 0, "tasks": [rich, sentinel, task(2, 0, 0, 0.2)],
        "communications": [message((1, 0), (4, 1), 100.0), to_node],
        "user_defined": {"alpha": 0.5}, "lb_iterations": [{"id": 0, "tasks": []}]
    });
    let second = json!({
        "id": 0, "tasks": [task(4, 1, 1, 0.0), task(3, 0, 1, 0.05)], "communications": [broadcast]
    });
    [
        json!({"metadata": {"type": "LBDatafile", "rank": 0, "rank_alpha": 0.5,
            "shared_node": {"id": 0, "size": 2, "rank": 0, "num_nodes": 1},
            "attributes": {"x": 1}}, "phases": phases(first)}),
        json!({"type": "LBDatafile", "phases": phases(second)}),
    ]
}

/// Returns the files of a load trace of JSON, named as they should be.
pub fn sources(files: &[Value]) -> Vec<Source> {
    files.iter().enumerate().map(|(rank, file)| source(rank, file.to_string().as_bytes())).collect()
}

/// Returns the file of a rank.
pub fn source(rank: usize, bytes: &[u8]) -> Source {
    Source { path: format!("t.{rank}.json").into(), bytes: bytes.to_vec() }
}

/// Compressed with brotli.
///
/// # Panics
/// Never: a list of bytes takes everything.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut to = CompressorWriter::new(Vec::new(), 4096, 5, 22);
    assert!(to.write_all(bytes).is_ok());
    to.into_inner()
}

/// Returns the files that a load trace is written as.
///
/// # Panics
/// Where it cannot be written.
pub fn written(trace: &LoadTrace, encoding: Encoding) -> Vec<Source> {
    let bytes = |rank| {
        let mut bytes = Vec::new();
        if let Err(error) = trace.write_rank(rank, encoding, &mut bytes) {
            panic!("{error}");
        }
        Source { path: format!("{}.{rank}.{}", trace.stem(), encoding.ending()).into(), bytes }
    };
    (0..trace.ranks()).map(bytes).collect()
}

/// Returns the folder of traces that others have recorded, if somebody has them; our own have their
/// shapes.
pub fn real() -> Option<PathBuf> {
    let folder = std::env::var_os("TRESSE_TRACES").map(PathBuf::from);
    if folder.is_none() {
        note("there are no load traces of others", "let TRESSE_TRACES name a folder of them");
    }
    folder
}
