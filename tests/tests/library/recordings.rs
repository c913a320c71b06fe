//! Recordings of threaded runs: what they say, and that they replay to the same field.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tresse::engine::checkpoints::Checkpoints;
use tresse::engine::solver::Field;
use tresse::engine::threads::{self, Activity, Job, Observers};
use tresse::files::problem::Problem;
use tresse::files::recording::{
    self, Event, Recording, RecordingError, What, export_trace, replay,
};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::run::noise::Noise;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, NodeRule, Nodes, Precision, RunConfig,
};
use tresse_tests::fuzzing::mended;
use tresse_tests::problems::{
    Failure, RECORDING, config, heterogeneous, iterations, methods, placement, random,
    record_schedule, recorder, smallest_grid, tolerance,
};
use tresse_tests::recording::{Both, Recording as Witness};

const GRID: GridSize = GridSize { rows: 23, columns: 31 };
/// Four workers with six subdomains each, on however few cores.
const PARTS: (u32, u32) = (4, 6);
const AVAILABLE: u64 = 1 << 30;

type Read<'b> = Recording<Cursor<&'b [u8]>>;

fn opened(bytes: &[u8]) -> Result<Read<'_>, RecordingError> {
    Recording::open(Cursor::new(bytes), AVAILABLE)
}

/// Returns the events of each track.
fn events(recording: &mut Read<'_>) -> Result<Vec<Vec<Event>>, RecordingError> {
    let tracks = recording.head().tracks();
    let track = |number| {
        let mut cursor = recording::Cursor::new(number);
        let mut events = Vec::new();
        while let Some(event) = cursor.next(recording)? {
            events.push(event);
        }
        Ok(events)
    };
    (0..tracks).map(track).collect()
}

/// Records, replays, and compares.
fn replays_to_the_same(problem: &Problem, config: &RunConfig) -> Result<(), Failure> {
    let (finished, bytes) = record_schedule(problem, config)?;
    let mut recording = opened(&bytes)?;
    let updates = finished.record.progress.updates;
    let replayed = replay(&mut recording, AVAILABLE)?;
    let name = format!("{} {} {}", config.mode, config.balance, config.precision);
    assert_eq!((&recording.head().config, &recording.head().problem), (config, problem), "{name}");
    assert_eq!((replayed.sweeps, recording.sweeps()), (updates, updates), "{name}");
    assert_eq!(recording.field(), finished.field.hash(), "{name}");
    assert_eq!(replayed.field, finished.field, "{name}");
    Ok(())
}

#[test]
fn a_hundred_runs_replay_to_the_same_field() -> Result<(), Failure> {
    let mut runs = 0;
    for (mode, balance) in methods() {
        for precision in [Precision::F32, Precision::F64] {
            for stop in [iterations(150), tolerance(0.2)] {
                let mut problem = random(runs, GRID, runs % 2 == 0);
                if runs % 5 == 0 {
                    problem = heterogeneous(runs, problem);
                }
                let config = config(GRID, PARTS, (mode, balance), stop);
                let imbalance = Imbalance { millionths: if runs % 3 == 0 { 250_000 } else { 0 } };
                replays_to_the_same(&problem, &RunConfig { precision, imbalance, ..config })?;
                runs += 1;
            }
        }
    }
    assert!(runs >= 100, "{runs}");
    Ok(())
}

/// Checks that the head has everything that decides about the parts of the grid.
#[test]
fn nodes_below_each_other_replay_to_the_same_field() -> Result<(), Failure> {
    let balance = NodeBalance::Dplb { period: Duration::from_micros(1_500), threshold: 3 };
    let cooldown = Duration::from_millis(2);
    let nodes = Nodes { number: 2, balance, rule: NodeRule::Published, cooldown };
    let config = config(GRID, PARTS, (Mode::Async, Balance::None), iterations(100));
    let imbalance = Imbalance { millionths: 400_000 };
    replays_to_the_same(&random(1, GRID, true), &RunConfig { nodes, imbalance, ..config })
}

/// Replays sweeps that take less time than a store needs to become visible, so that halos are read
/// that no order of events explains.
#[test]
fn subdomains_of_one_cell_replay_to_the_same_field() -> Result<(), Failure> {
    for (seed, parts) in (0..).zip([(1, 1), (2, 1), (2, 2), (3, 1), (2, 8)]) {
        let grid = smallest_grid(parts.0, parts.1);
        let balance = Balance::Joint(Duration::from_micros(20));
        for method in [(Mode::Async, Balance::None), (Mode::Async, balance)] {
            let config = config(grid, parts, method, iterations(20_000));
            replays_to_the_same(&random(seed, grid, false), &config)?;
        }
    }
    Ok(())
}

/// Iterations that take longer than a burst of noise and its gap, where nobody else wants the
/// cores.
const ITERATIONS: u64 = 400;

/// A recording and a witness of the same run, which interleaves more than a run of such small
/// subdomains does by itself, agree about every sweep.
#[test]
fn a_recording_says_what_happened() -> Result<(), Failure> {
    let balance = Balance::Joint(Duration::from_micros(20));
    for method in
        [(Mode::Sync, Balance::None), (Mode::SemiSync(2), balance), (Mode::Async, balance)]
    {
        let mut iterations = ITERATIONS;
        while !says_what_happened(method, iterations)? {
            iterations *= 2;
        }
    }
    Ok(())
}

/// False if the run was over before every parasite had two bursts, which come by the clock.
fn says_what_happened(method: (Mode, Balance), count: u64) -> Result<bool, Failure> {
    let mut config = config(GRID, PARTS, method, iterations(count));
    let placement = placement(config.workers)?;
    let core = placement.seats[0].core;
    for what in ["sleep=50us,work=500", "burst=20us,gap=50us", "duty=0.1"] {
        let noise = Noise::parse(&format!("core={core},{what}"))?;
        config.noise.push(noise).map_err(|_| "no room for noise")?;
    }
    let (problem, interrupt) = (random(4, GRID, true), AtomicBool::new(false));
    let job =
        Job { config: &config, problem: &problem, placement: &placement, interrupt: &interrupt };
    let (folder, recorder) = recorder(job)?;
    let (Observers { workers, noise }, unfinished) = recorder.into_parts();
    let workers = (0..).zip(workers);
    let workers = workers.map(|(id, track)| Both(Witness::of_worker(id), track)).collect();
    let (solution, workers) = threads::solve::<f64, _>(
        job,
        Checkpoints::default(),
        Observers { workers, noise },
        &mut |_| {},
    )?;
    let witnesses: Vec<_> = workers.into_iter().map(|Both(witness, _)| witness).collect();
    let (record, field) = (solution.record, Field::F64(solution.field));
    unfinished.finish(field.hash(), record.end)?;

    let bytes = std::fs::read(folder.path().join(RECORDING))?;
    let mut recording = opened(&bytes)?;
    let tracks = events(&mut recording)?;
    let (mut moves, mut rounds, mut decided) = (0, 0, 0);
    for (track, witness) in tracks.iter().zip(&witnesses) {
        let sweeps = track.iter().filter_map(|event| match event.what {
            What::Sweep(sweep) => Some((sweep.subdomain.0, sweep.version, sweep.halos)),
            _ => None,
        });
        let seen = witness.sweeps.iter();
        assert!(sweeps.eq(seen.map(|sweep| (sweep.subdomain, sweep.version, sweep.halos))));
        for event in track {
            match event.what {
                What::Did(Activity::Round { moves: made }) => {
                    (rounds, moves) = (rounds + 1, moves + u64::from(made));
                }
                What::Moved(_) => decided += 1,
                _ => {}
            }
        }
    }
    assert_eq!((moves, decided, rounds), (record.moves, record.moves, record.rounds));
    let took = tracks.iter().flatten().filter(|event| matches!(event.what, What::Took(_)));
    assert!(took.count() as u64 >= 24, "each subdomain was taken once at least");
    assert_eq!(tracks.len(), 7, "four workers and three parasites");
    let noise = &tracks[4..];
    assert!(noise.iter().flatten().all(|event| event.what == What::Burst));
    assert_eq!(replay(&mut recording, AVAILABLE)?.field, field);
    Ok(noise.iter().all(|bursts| bursts.len() > 1))
}

/// Returns a small recording with frames of every kind.
fn small() -> Result<Vec<u8>, Failure> {
    let grid = GridSize { rows: 6, columns: 5 };
    let method = (Mode::Async, Balance::Joint(Duration::from_micros(20)));
    // This seed has arrays of all kinds.
    Ok(record_schedule(&random(9, grid, true), &config(grid, (2, 2), method, iterations(20)))?.1)
}

fn refused(bytes: &[u8]) -> String {
    let error = opened(bytes).err().map(|error| error.to_string());
    let error = error.unwrap_or_else(|| panic!("{} bytes are accepted", bytes.len()));
    assert!(!error.contains('\n'), "{error}");
    error
}

#[test]
fn a_recording_that_is_cut_off_anywhere_is_refused() -> Result<(), Failure> {
    let bytes = small()?;
    for length in 0..bytes.len() {
        let error = refused(&bytes[..length]);
        let expected = if length < 8 { "is not a recording" } else { "is cut off after" };
        assert!(error.contains(expected), "{length} of {}: {error}", bytes.len());
    }
    assert!(opened(&bytes).is_ok());
    assert!(refused(&[&bytes[..], &[0]].concat()).contains("is damaged at byte"));
    assert!(refused(&[&bytes[..], &bytes[..]].concat()).contains("is damaged at byte"));
    Ok(())
}

#[test]
fn a_damaged_recording_is_refused() -> Result<(), Failure> {
    let bytes = small()?;
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        let error = refused(&damaged);
        let expected = match place {
            0..8 => "is not a recording",
            8..12 => "this program reads format 1",
            _ => "is ",
        };
        assert!(error.contains(expected), "{place}: {error}");
    }
    Ok(())
}

/// Checks that a frame with a right checksum, whatever it says, causes no panic, no hang, and no
/// memory beyond the allowed.
#[test]
fn a_forged_recording_does_no_harm() -> Result<(), Failure> {
    let bytes = small()?;
    for place in 12..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut forged = bytes.clone();
            forged[place] ^= change;
            tresse_tests::fuzzing::recording(&mended(&forged));
        }
    }
    Ok(())
}

#[test]
fn foreign_files_are_refused() {
    for bytes in [&b""[..], b"TRESSE", b"\x89PNG\r\n\x1a\n0123456789", &[0; 4_096]] {
        assert!(refused(bytes).contains("is not a recording"));
    }
    assert!(refused(b"\x89TRESSE\n\x02\0\0\0more").contains("format 2"));
}

#[test]
fn a_trace_has_every_event_on_its_track() -> Result<(), Failure> {
    let balance = Balance::Joint(Duration::from_micros(20));
    for method in [(Mode::SemiSync(1), balance), (Mode::Sync, Balance::None)] {
        let config = config(GRID, PARTS, method, iterations(100));
        let (_, bytes) = record_schedule(&random(2, GRID, false), &config)?;
        let mut recording = opened(&bytes)?;
        let tracks = events(&mut recording)?;
        let mut written = Vec::new();
        let exported = export_trace(&mut recording, &mut written)?;
        assert_eq!(exported.events, tracks.iter().map(Vec::len).sum::<usize>() as u64);
        let value: Value = serde_json::from_slice(&written)?;
        let all = value["traceEvents"].as_array().ok_or("no events")?;
        for (number, track) in tracks.iter().enumerate() {
            check_track(all, number, track);
        }
        let named = all.iter().filter(|event| event["name"] == "thread_name").count();
        assert_eq!(named, tracks.len());
    }
    Ok(())
}

/// A track has a name, and its slices and instants are those of the recording: in order, and none
/// before the end of the one before.
fn check_track(all: &[Value], number: usize, track: &[Event]) {
    let of_track = || all.iter().filter(|event| event["tid"] == number);
    let name = of_track().find(|event| event["name"] == "thread_name");
    let name = name.and_then(|event| event["args"]["name"].as_str()).unwrap_or_default();
    assert!(name.starts_with(&format!("worker {number} ")), "{name}");
    let shown: Vec<_> = of_track().filter(|event| event["ph"] != "M").collect();
    assert_eq!(shown.len(), track.len());
    let mut now = 0;
    let mut counts = BTreeMap::new();
    for (shown, event) in shown.into_iter().zip(track) {
        let (start, end) = (nanoseconds(&shown["ts"]), event.end.since(event.start).0);
        assert_eq!(Instant(start), event.start);
        assert!(start >= now, "{shown} begins before {now}");
        now = start + end;
        let (phase, category) = match event.what {
            What::Sweep(sweep) => {
                assert_eq!(shown["args"]["version"], sweep.version);
                assert_eq!(shown["name"], format!("subdomain {}", sweep.subdomain));
                ("X", "sweep")
            }
            What::Moved(_) | What::Took(_) => ("i", "move"),
            What::Burst => ("X", "noise"),
            What::Did(Activity::Round { moves }) => {
                assert_eq!(shown["args"]["moves"], moves);
                ("X", "round")
            }
            What::Did(Activity::Detection | Activity::Verification) => ("X", "residual"),
            What::Did(_) => ("X", "wait"),
        };
        assert_eq!((&shown["ph"], &shown["cat"]), (&phase.into(), &category.into()), "{shown}");
        if phase == "X" {
            assert_eq!(nanoseconds(&shown["dur"]), end, "{shown}");
        }
        *counts.entry(category).or_insert(0) += 1;
    }
    assert!(counts.contains_key("sweep") && counts.contains_key("wait"), "{counts:?}");
}

/// Returns a number of microseconds with three digits behind the point.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded, and above 0")]
fn nanoseconds(value: &Value) -> u64 {
    value.as_f64().map_or(0, |micros| (micros * 1_000.0).round() as u64)
}
