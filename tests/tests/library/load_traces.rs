//! Load traces: read, written, balanced by hand, refused.

#![expect(clippy::unwrap_used, reason = "a load trace that should be read")]

use serde_json::{Value, json};
use tresse::files::load_traces::generate::{self, Loads, Setup};
use tresse::files::load_traces::{
    Encoding, LoadTrace, PlacementError, Source, read, read_sources, validate_sources, write,
};
use tresse::report::output::{Inputs, Outputs};
use tresse_core::base::id::ProcessorId;
use tresse_tests::json_schema::faults_of_vt;
use tresse_tests::load_trace_files::{
    LIMITS, compressed, message, sample, source, sources, task, written,
};

fn read_all(files: &[Value]) -> LoadTrace {
    read_sources(sources(files), LIMITS).unwrap()
}

pub fn json(source: &Source) -> Value {
    serde_json::from_slice(&source.bytes).unwrap()
}

/// Checks that a trace is written, and read again as it was; JSON is in the form of vt's readers.
pub fn assert_written_and_read_again(trace: &LoadTrace) {
    for encoding in [Encoding::Plain, Encoding::Brotli] {
        let files = written(trace, encoding);
        if encoding == Encoding::Plain {
            for file in &files {
                assert_eq!(faults_of_vt(&json(file)), [""; 0], "{}", file.path.display());
            }
        }
        assert!(read_sources(files, LIMITS).unwrap() == *trace, "{encoding:?}");
    }
}

#[test]
fn everything_goes_through_unchanged() {
    let files = sample();
    let trace = read_all(&files);
    assert_written_and_read_again(&trace);
    for (file, original) in written(&trace, Encoding::Plain).iter().zip(&files) {
        assert_eq!(&json(file), original);
    }
    // The text of numbers, too.
    let text = files[0].to_string().replace("2.5,", "2.500,").replace("0.125", "1.25E-1");
    let pretty = serde_json::to_string_pretty(&files[1]).unwrap();
    let sources = vec![source(0, text.as_bytes()), source(1, pretty.as_bytes())];
    let again = written(&read_sources(sources, LIMITS).unwrap(), Encoding::Plain);
    let [first, second] = again.as_slice() else { panic!() };
    let first = String::from_utf8(first.bytes.clone()).unwrap();
    assert!(first.contains("2.500,") && first.contains("1.25E-1"), "{first}");
    assert_eq!(json(second), files[1]);
    assert!(!second.bytes.trim_ascii_end().contains(&b'\n'));
}

#[test]
fn compressed_or_not_whatever_the_name_says() {
    let files = sample();
    let plain = read_all(&files);
    let pack = |rank: usize, name: &str| Source {
        path: name.into(),
        bytes: compressed(files[rank].to_string().as_bytes()),
    };
    for names in [["t.0.json", "t.1.json"], ["t.0.json.br", "t.1.json"]] {
        let packed = vec![pack(0, names[0]), pack(1, names[1])];
        assert!(read_sources(packed, LIMITS).unwrap() == plain);
    }
    // The metadata has the rank where the name has none; files come in any order.
    let mut files = files;
    files[1]["metadata"] = json!({"rank": 1});
    let unnamed = |rank: usize| Source {
        path: format!("file{rank}").into(),
        bytes: files[rank].to_string().into_bytes(),
    };
    let trace = read_sources(vec![unnamed(1), unnamed(0)], LIMITS).unwrap();
    assert_eq!((trace.stem(), trace.phases()), ("data", plain.phases()));
}

#[test]
fn the_plain_form_has_what_balancing_needs() {
    let objects = read_all(&sample()).phases()[1].objects();
    // In the order of the ids: 13, then by sequence number.
    assert_eq!(objects.seconds, [0.25, 0.1, 0.2, 0.05, 0.0]);
    assert_eq!(objects.fixed, [true, false, false, false, false]);
    assert_eq!(objects.owners.iter().map(|owner| owner.0).collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
    let memory = objects.memory[1];
    assert_eq!((memory.shared_id, memory.home_rank), (Some(4), Some(0)));
    let bytes = (memory.shared_bytes, memory.working_bytes, memory.footprint_bytes);
    assert_eq!(bytes, (1600.0, 110.0, 1024.0));
    assert_eq!((memory.serialized_bytes, memory.rank_working_bytes), (512.0, 9.0));
    assert_eq!(objects.rank_bytes, [9.0, 9.0]);
    let links: Vec<_> =
        objects.links.iter().map(|link| (link.from.0, link.to.0, link.bytes)).collect();
    assert_eq!(links, [(1, 4, 100.0), (0, 4, 3.0)]);
}

fn places(file: &Source, list: &str) -> Vec<String> {
    json(file)["phases"][0][list]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| entry.get("entity").unwrap_or(&entry["type"]).to_string())
        .collect()
}

#[test]
fn objects_move_with_their_communications_and_nothing_else_changes() {
    let trace = read_all(&sample());
    let before = trace.phases()[0].objects();
    let owners = [0, 1, 0, 0, 0].map(ProcessorId);
    let moved = trace.clone().with_owners(0, &owners).unwrap();
    assert_written_and_read_again(&moved);
    let after = moved.phases()[0].objects();
    assert_eq!((&after.names, &after.seconds), (&before.names, &before.seconds));
    assert_eq!(after.owners, owners);
    assert_eq!(after.memory, before.memory);
    assert_eq!(moved.phases()[1], trace.phases()[1]);
    let files = written(&moved, Encoding::Plain);
    assert_eq!([places(&files[0], "tasks").len(), places(&files[1], "tasks").len()], [4, 1]);
    // Noted by its sender 1, which went to rank 1; noted by its receiver 4, which came to rank 0.
    assert_eq!(places(&files[0], "communications"), ["\"Broadcast\""]);
    assert_eq!(places(&files[1], "communications"), ["\"SendRecv\"", "\"CollectionToNode\""]);
    let rich = &json(&files[1])["phases"][0]["tasks"][0];
    assert_eq!((&rich["node"], &rich["entity"]["home"]), (&json!(1), &json!(0)));
    assert_eq!(rich["attributes"], sample()[0]["phases"][0]["tasks"][0]["attributes"]);
    assert_eq!(json(&files[0])["phases"][0]["user_defined"], json!({"alpha": 0.5}));

    let back = moved.with_owners(0, &before.owners).unwrap();
    assert_eq!(back.phases()[0].objects(), before);
}

#[test]
fn owners_that_cannot_be_are_refused() {
    let trace = read_all(&sample());
    let refused = |index, owners: &[u32]| {
        let owners: Vec<_> = owners.iter().map(|&owner| ProcessorId(owner)).collect();
        trace.clone().with_owners(index, &owners).unwrap_err()
    };
    assert!(matches!(refused(0, &[1, 0, 0, 1, 1]), PlacementError::Fixed(..)));
    assert!(matches!(refused(0, &[0, 0, 2, 1, 1]), PlacementError::UnknownOwner(..)));
    assert!(matches!(refused(0, &[0, 0]), PlacementError::Lengths { .. }));
    assert!(matches!(refused(2, &[]), PlacementError::NoPhase { .. }));
}

#[test]
fn phases_that_are_left_out_are_there() {
    let mut file = sample()[1].clone();
    file["metadata"] = json!({"type": "LBDatafile", "rank": 0, "phases": {"count": 9,
        "skipped": {"list": [0], "range": [[5, 6]]},
        "identical_to_previous": {"list": [3], "range": [[8, 8]]}}});
    let phase = |id: u32, time: f64| json!({"id": id, "tasks": [task(1, 0, 0, time)]});
    file["phases"] = json!([phase(1, 1.0), phase(2, 2.0), phase(4, 4.0), phase(7, 7.0)]);
    let trace = read_all(&[file]);
    let seconds: Vec<_> =
        trace.phases().iter().map(|phase| (phase.id, phase.seconds()[0])).collect();
    let expected = [(1, 1.0), (2, 2.0), (3, 2.0), (4, 4.0), (5, 4.0), (6, 4.0), (7, 7.0), (8, 7.0)];
    assert_eq!(seconds, expected);
    assert_written_and_read_again(&trace);
    let said = &json(&written(&trace, Encoding::Plain)[0])["metadata"]["phases"];
    let none = json!({"list": [], "range": []});
    let expected =
        json!({"count": 9, "skipped": {"list": [0], "range": []}, "identical_to_previous": none});
    assert_eq!(said, &expected);
    // One of them is balanced: those that were like it stay as they were.
    let empty = [1, 2, 3].map(|id| json!({"id": id, "tasks": []}));
    let idle = json!({"metadata": {"type": "LBDatafile", "rank": 1}, "phases": empty});
    let mut file = sample()[1].clone();
    file["metadata"] =
        json!({"phases": {"skipped": none, "identical_to_previous": {"list": [3], "range": []}}});
    file["phases"] = json!([phase(1, 1.0), phase(2, 2.0)]);
    let trace = read_all(&[file, idle]);
    let moved = trace.with_owners(1, &[ProcessorId(1)]).unwrap();
    assert_written_and_read_again(&moved);
    let owners: Vec<_> = moved.phases().iter().map(|phase| phase.objects().owners[0].0).collect();
    assert_eq!(owners, [0, 1, 0]);
    let said = &json(&written(&moved, Encoding::Plain)[0])["metadata"]["phases"];
    assert_eq!(said, &json!({"skipped": none, "identical_to_previous": none}));
}

#[test]
fn heads_that_vt_refuses_are_written_as_it_wants_them() {
    let none = json!({"list": [], "range": []});
    for (metadata, expected) in [
        (json!({"rank": 0, "phases": {}}), json!({"skipped": none, "identical_to_previous": none})),
        (
            json!({"phases": {"count": 7, "skipped": {"list": []}}}),
            json!({"count": 1, "skipped": none, "identical_to_previous": none}),
        ),
        (json!({"type": null, "phases": null}), json!(null)),
        (json!({"type": "LBDatafile"}), json!(null)),
    ] {
        let file =
            json!({"metadata": metadata, "phases": [{"id": 0, "tasks": [task(1, 0, 0, 1.0)]}]});
        let trace = read_all(&[file]);
        assert_written_and_read_again(&trace);
        let file = json(&written(&trace, Encoding::Plain)[0]);
        assert_eq!(file["metadata"]["phases"], expected, "{metadata}");
    }
    assert_written_and_read_again(&read_all(&[json!({"phases": [{"id": 0, "tasks": []}]})]));
}

/// Files that vt's validator refuses, and ours for the same reason: the two do not share their
/// rules.
#[test]
fn what_vt_refuses_is_found() {
    let refused = |change: &dyn Fn(&mut Value), place: &str| {
        let mut file = sample()[0].clone();
        change(&mut file);
        let theirs = faults_of_vt(&file);
        assert!(!theirs.is_empty(), "{place}");
        let ours =
            validate_sources(sources(&[file, sample()[1].clone()]), LIMITS).unwrap().problems;
        let ours: Vec<_> = ours.iter().map(ToString::to_string).collect();
        assert!(ours.iter().any(|one| one.contains(place)), "{place}: {theirs:?}, {ours:?}");
    };
    let none = json!({"list": [], "range": []});
    let phases =
        |phases: Value| move |file: &mut Value| file["metadata"]["phases"] = phases.clone();
    refused(&phases(json!({})), "metadata.phases.skipped is missing");
    refused(&phases(json!({"skipped": none})), "metadata.phases.identical_to_previous is missing");
    refused(
        &phases(json!({"skipped": none, "identical_to_previous": {"list": []}})),
        ".range is missing",
    );
    let task = |key: &'static str, value: Value| {
        move |file: &mut Value| file["phases"][0]["tasks"][1][key] = value.clone()
    };
    refused(&task("time", json!(1)), "phase 0, tasks[1].time");
    refused(&task("colour", json!(1)), "phase 0, tasks[1].colour");
    let end = |value: Value| {
        move |file: &mut Value| file["phases"][0]["communications"][1]["to"] = value.clone()
    };
    refused(&end(json!({"type": "node"})), "communications[1].to.id is missing");
    let counted = json!({"type": "object", "seq_id": 1, "home": 0, "migratable": true});
    refused(&end(counted), "communications[1].to.collection_id is missing");
}

#[test]
fn lines_of_commas_are_read_and_written() {
    let lines = |rank, text: &str| Source {
        path: format!("old.{rank}.vom").into(),
        bytes: text.as_bytes().to_vec(),
    };
    let files = vec![
        lines(0, "0,262147,0.5\n0,524291,1e-3\n1,262147,0.25\n0,262147,786439,64\n"),
        lines(1, "0,786439,2\r\n1, 786439, 0.125\r\n\r\n1,524291,3"),
    ];
    let trace = read_sources(files, LIMITS).unwrap();
    assert_eq!((trace.stem(), trace.ranks(), trace.phases().len()), ("old", 2, 2));
    let first = trace.phases()[0].objects();
    assert_eq!(first.seconds, [0.5, 1e-3, 2.0]);
    assert_eq!(first.links.iter().map(|link| link.bytes).collect::<Vec<_>>(), [64.0]);
    assert_written_and_read_again(&trace);
    assert!(read_sources(written(&trace, Encoding::Comma), LIMITS).unwrap() == trace);
}

fn setup() -> Setup {
    let loads = Loads::parse("uniform:1e-5,1e-1").unwrap();
    Setup { processors: 12, objects: 100, on: 3, loads }
}

#[test]
fn generated_traces_are_vts_and_the_same_for_a_seed() {
    let trace = generate::trace(&setup(), 3, 0.2, 7, "ours").unwrap();
    assert_written_and_read_again(&trace);
    assert!(trace == generate::trace(&setup(), 3, 0.2, 7, "ours").unwrap());
    assert!(trace != generate::trace(&setup(), 3, 0.2, 8, "ours").unwrap());
    let drawn = generate::phase(&setup(), 7);
    let objects = trace.phases()[0].objects();
    assert_eq!((objects.seconds, objects.owners), (drawn.seconds, drawn.owners));
    let problems = validate_sources(written(&trace, Encoding::Plain), LIMITS).unwrap().problems;
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn folders_are_written_whole_and_nothing_is_mixed_or_lost() {
    let root = tempfile::tempdir().unwrap();
    let into = |inputs| Outputs::new(inputs).folder("--out", root.path(), [""; 0]);
    let out = into(Inputs::default()).unwrap();
    let trace = generate::trace(&setup(), 1, 0.0, 1, "a").unwrap();
    let input = [root.path().to_owned()];
    write(&trace, &out, Encoding::Plain, &|| true, &|| {}).unwrap();
    assert!(read(&input, None, LIMITS, &|| {}).unwrap() == trace);
    write(&trace, &out, Encoding::Plain, &|| true, &|| {}).unwrap();
    let originals = tresse::files::load_traces::select(&input, None).unwrap();
    let reading = into(Inputs::default().with_all("the trace", &originals)).unwrap();
    let error = write(&trace, &reading, Encoding::Plain, &|| true, &|| {}).unwrap_err().to_string();
    assert!(error.contains("--out") && error.contains("a.0.json (the trace), which"), "{error}");
    let error = write(&trace, &out, Encoding::Brotli, &|| true, &|| {}).unwrap_err().to_string();
    assert!(error.contains("--out") && error.contains("another trace"), "{error}");
    let small = Setup { processors: 3, ..setup() };
    let small = generate::trace(&small, 1, 0.0, 1, "a").unwrap();
    let error = write(&small, &out, Encoding::Plain, &|| true, &|| {}).unwrap_err().to_string();
    assert!(error.contains("a.10.json") && error.contains("--stem"), "{error}");
    write(&small.clone().renamed("b"), &out, Encoding::Brotli, &|| true, &|| {}).unwrap();
    let error = read(&input, None, LIMITS, &|| {}).unwrap_err().to_string();
    assert!(error.contains("2 traces (a, b)"), "{error}");
    assert!(read(&input, Some("b"), LIMITS, &|| {}).unwrap() == small.renamed("b"));
    let error = write(&trace, &out, Encoding::Comma, &|| true, &|| {}).unwrap_err().to_string();
    assert!(error.contains("--csv") && error.contains("no object in phase 0"), "{error}");
}

#[test]
fn messages_between_ranks_stay_with_one_end() {
    // Sender and receiver on the same rank: the sender takes the message along.
    let file = json!({"phases": [{"id": 0, "tasks": [task(1, 0, 0, 1.0), task(2, 0, 0, 1.0)],
        "communications": [message((1, 0), (2, 0), 5.0)]}]});
    let idle = json!({"phases": [{"id": 0, "tasks": []}]});
    let trace = read_all(&[file, idle]);
    for (owners, rank) in [([1, 0], 1), ([0, 1], 0), ([1, 1], 1)] {
        let moved = trace.clone().with_owners(0, &owners.map(ProcessorId)).unwrap();
        let files = written(&moved, Encoding::Plain);
        let counts = [0, 1].map(|rank| places(&files[rank], "communications").len());
        assert_eq!((counts[rank], counts.iter().sum::<usize>()), (1, 1), "{owners:?}");
    }
}
