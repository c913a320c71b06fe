//! Recordings of pools, written and read, and changed with their checksums made right again.

use std::io::Cursor;

use tresse_core::sim::owned::timeline::TrackRecorder;
use tresse_core::tasks::sharing::{Activity, Method, SharingConfig};

use super::*;
use crate::recording::AnyRecording;
use crate::recording::format::read_frame;
use crate::recording::{ExportedTrace, Recording};

const AVAILABLE: u64 = 1 << 24;

fn track(at: Activity, changes: &[(Activity, u64)], most: usize) -> Track {
    let mut recorder = TrackRecorder::new(at, most);
    for &(activity, now) in changes {
        recorder.turn_to(activity, Instant(now));
    }
    recorder.finish(Instant(9_000_000))
}

fn recording() -> PoolRecording {
    use Activity::{Copies, Idle, Managing, Searching, Tasks};
    let kinds = [Tasks, Searching, Copies].into_iter().cycle();
    let busy: Vec<_> = kinds.zip((0..90_000_u64).map(|step| step * 99)).collect();
    let workers = vec![track(Searching, &busy, 100_000), track(Searching, &busy, 99)];
    let managers = vec![track(Idle, &[(Managing, 300), (Idle, 450)], 99)];
    let head = PoolHead {
        program: "1".into(),
        subject: "tree \"T1\"\u{1b}".into(),
        config: Some(SharingConfig {
            seed: u64::MAX,
            ..SharingConfig::new(Method::SpeculativeStealing)
        }),
        workers: 2,
        managers: 1,
        has_own_cores: false,
        cores: vec![3, 5],
        machine: "a machine".into(),
        is_virtual: false,
    };
    PoolRecording { head, timeline: Timeline { workers, managers }, messages: 12 }
}

fn written(recording: &PoolRecording) -> Vec<u8> {
    let mut bytes = Vec::new();
    let PoolRecording { head, timeline, messages } = recording;
    write(head, timeline, *messages, &mut bytes).unwrap();
    bytes
}

fn refused(bytes: &[u8]) -> String {
    PoolRecording::read(bytes, AVAILABLE).unwrap_err().to_string()
}

/// Tasks went to whoever was free: there is no method, and no manager.
#[test]
fn a_pool_without_managers_is_read() {
    let PoolRecording { head, timeline, .. } = recording();
    let head = PoolHead { config: None, managers: 0, ..head };
    let timeline = Timeline { managers: vec![], ..timeline };
    let recording = PoolRecording { head, timeline, messages: 0 };
    assert_eq!(PoolRecording::read(written(&recording).as_slice(), AVAILABLE).unwrap(), recording);
    let mut trace = Vec::new();
    assert_eq!(recording.export_trace(&mut trace).unwrap().tracks, 2);
    assert!(!String::from_utf8(trace).unwrap().contains("manager"));
    let config = Some(SharingConfig::new(Method::Sharing));
    for head in [
        PoolHead { config, ..recording.head.clone() },
        PoolHead { managers: 1, ..recording.head.clone() },
    ] {
        let refusal = refused(&written(&PoolRecording { head, ..recording.clone() }));
        assert!(refusal.contains("nobody"), "{refusal}");
    }
}

#[test]
fn what_was_written_is_read() {
    let recording = recording();
    let bytes = written(&recording);
    assert_eq!(PoolRecording::read(bytes.as_slice(), AVAILABLE).unwrap(), recording);
    let Ok(AnyRecording::Pool(read)) = AnyRecording::open(Cursor::new(&bytes), AVAILABLE) else {
        panic!("it is not known as that of a pool");
    };
    assert_eq!(read, recording);
    let track = &recording.timeline.workers[0];
    assert_eq!(&spans::decode(&spans::encode(track)).unwrap(), track);
    let of_run = Recording::open(Cursor::new(&bytes), AVAILABLE).err().unwrap();
    assert!(matches!(of_run, RecordingError::OfPool), "{of_run}");
}

#[test]
fn a_trace_has_every_span_of_work() {
    let recording = recording();
    let mut bytes = Vec::new();
    let exported = recording.export_trace(&mut bytes).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let slices = events.iter().filter(|event| event["ph"] == "X");
    let (mut number, mut duration) = (0, 0.0);
    for slice in slices {
        number += 1;
        if slice["tid"] != 2 {
            duration += slice["dur"].as_f64().unwrap();
        }
    }
    let of_workers: usize =
        recording.timeline.workers.iter().map(|track| track.spans().len()).sum();
    // The manager is idle before and after its one turn.
    assert_eq!(
        (number, exported),
        (of_workers + 1, ExportedTrace { tracks: 3, events: number as u64 })
    );
    assert!((duration - 2.0 * 9_000.0).abs() < 1e-3, "{duration}");
    let names: Vec<_> = events
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| &event["args"]["name"])
        .collect();
    assert_eq!(names, ["worker 0 (core 3)", "worker 1 (core 5)", "manager 0"]);
}

#[test]
fn what_is_cut_off_damaged_or_longer_is_refused() {
    let bytes = written(&recording());
    for length in [0, 8, 11, 12, 30, 100, bytes.len() - 1] {
        let said = refused(&bytes[..length]);
        assert!(said.contains("cut off") || said.contains("not a recording"), "{length}: {said}");
    }
    for place in [13, 20, 40, bytes.len() / 2, bytes.len() - 3] {
        let mut damaged = bytes.clone();
        damaged[place] ^= 8;
        assert!(refused(&damaged).contains("damaged"), "{place}");
    }
    assert!(refused(&[bytes.as_slice(), b"x"].concat()).contains("damaged"));
    let mut newer = bytes;
    newer[8] += 1;
    assert!(refused(&newer).contains("format 2"));
}

/// Changes one frame of a recording, makes its checksum right again, and returns the result of
/// reading it.
fn changed(number: usize, change: impl Fn(Kind, Vec<u8>) -> (Kind, u32, Vec<u8>)) -> String {
    let bytes = written(&recording());
    let (mut rest, mut place) = (&bytes[usize::try_from(PREFIX).unwrap()..], PREFIX);
    let mut out = Vec::new();
    let mut frames = FrameWriter::begin(&mut out).unwrap();
    let mut at = 0;
    while !rest.is_empty() {
        let frame = read_frame(&mut rest, place).unwrap();
        place = frame.end;
        if at == number {
            let (kind, track, bytes) = change(frame.kind, frame.unpack().unwrap());
            frames.write(kind, track, &bytes).unwrap();
        } else {
            frames.copy(&frame).unwrap();
        }
        at += 1;
    }
    assert!(number < at);
    refused(&out)
}

#[test]
fn what_makes_no_sense_is_refused() {
    let text = |from: &'static str, to: &'static str| {
        move |kind, bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains(from), "{text}");
            (kind, 0, text.replace(from, to).into_bytes())
        }
    };
    for (from, to, said) in [
        ("\"workers\":2", "\"workers\":0", "a pool of nobody"),
        ("\"workers\":2", "\"workers\":4000000000", "without a core"),
        ("\"managers\":1", "\"managers\":4000000000", "of memory"),
        ("\"managers\":1", "\"managers\":2", "ends at another time"),
        ("speculative-stealing", "magic", "its method"),
        ("\"chunk\":12", "\"chunk\":0", "its method"),
        ("\"seed\"", "\"seeds\"", "its head"),
    ] {
        let refusal = changed(0, text(from, to));
        assert!(refusal.contains(said), "{to}: {refusal}");
    }
    // The first track has three frames, the last frame is the end.
    for (from, to, said) in [
        ("\"messages\":12", "\"messages\":-1", "its end"),
        ("\"end\":9000000", "\"end\":9000001", "ends at another time"),
        ("\"spans\":", "\"spans\":1", "as many as its end says"),
    ] {
        let refusal = changed(6, text(from, to));
        assert!(refusal.contains(said), "{to}: {refusal}");
    }
    assert!(changed(4, |kind, bytes| (kind, 9, bytes)).contains("a track of nobody"));
    assert!(changed(4, |_, bytes| (Kind::Events, 1, bytes)).contains("disorder"));
    assert!(changed(0, |_, bytes| (Kind::Head, 0, bytes)).contains("of a solver"));
    for end in [
        &[0][..],
        &[64],
        &[1, 0],
        &[1, 0x80],
        &[3, 1],
        &[2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
    ] {
        let broken = |kind, bytes: Vec<u8>| (kind, 0, [bytes.as_slice(), end].concat());
        assert!(changed(1, broken).contains("a span that is none"), "{end:?}");
    }
    assert!(changed(1, |kind, _| (kind, 0, vec![1; 7])).contains("a span that is none"));
}

#[test]
fn memory_is_refused_before_it_is_taken() {
    let bytes = written(&recording());
    for available in [0, 100, 100_000] {
        let refused = PoolRecording::read(bytes.as_slice(), available).unwrap_err();
        assert!(matches!(refused, RecordingError::Memory { .. }), "{refused}");
    }
}
