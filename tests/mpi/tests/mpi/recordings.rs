//! `--record` on several ranks: one file, which replays to the same field.

use std::collections::BTreeSet;
use std::path::Path;
use std::slice;

use tempfile::tempdir;
use tresse::files::recording::{self, Cursor, Event, JoinedHead, Recording, What, join, replay};
use tresse_core::base::id::{NodeId, WorkerId};
use tresse_core::run::End;
use tresse_core::run::noise::NoisePlace;
use tresse_tests::output_files::names;

use crate::launcher::{Mpi, number};

/// Memory that is enough for every recording.
pub const MEMORY: u64 = 1 << 30;

/// Returns the events of every track.
pub fn events(path: &Path) -> (Recording<std::fs::File>, Vec<Vec<Event>>) {
    let mut recording = recording::open(path, MEMORY).unwrap();
    let tracks = (0..recording.head().tracks()).map(|track| {
        let mut cursor = Cursor::new(track);
        let mut events = Vec::new();
        while let Some(event) = cursor.next(&mut recording).unwrap() {
            events.push(event);
        }
        events
    });
    let tracks = tracks.collect();
    (recording, tracks)
}

#[test]
fn what_ranks_have_done_is_done_again_to_the_bit() {
    let Some(mpi) = Mpi::find() else { return };
    for (ranks, flags, moves) in [
        (1, "--workers 2", 0.0),
        (2, "--workers 1 --mode sync", 0.0),
        (3, "--workers 2 --mode exact --halo get", 0.0),
        (3, "--workers 2 --node-balance chaos:1", 20.0),
        (3, "--workers 2 --node-balance chaos:2 --halo get --precision f32", 20.0),
        (4, "--workers 1 --mode ssync:2 --node-balance chaos:3", 20.0),
    ] {
        let folder = tempdir().unwrap();
        let path = folder.path().join("run.tresse");
        let mut iterations = 1_500;
        // Subdomains change their rank by the clock: a fast machine sweeps more often until they
        // have.
        let (line, report) = loop {
            let line = format!("solve --grid 96x80 --iterations {iterations} {flags} --record");
            let report = mpi.job(ranks, &line).arg(&path).object(0);
            if number(&report, "/transfers") >= moves {
                break (line, report);
            }
            iterations *= 2;
        };
        // Nothing is left of the parts.
        assert_eq!(names(folder.path()), ["run.tresse"], "{line}");
        let mut recording = recording::open(&path, MEMORY).unwrap();
        let replayed = replay(&mut recording, MEMORY).unwrap();
        assert_eq!(replayed.field.hash(), recording.field(), "{line}");
        assert_eq!(replayed.sweeps as f64, number(&report, "/updates"), "{line}");
    }
}

/// Edges that are written about as fast as they are fetched, by ranks that are put to sleep in
/// between: what was accepted torn is in no replay.
#[test]
fn small_edges_that_are_fetched_are_done_again_to_the_bit() {
    let Some(mpi) = Mpi::find() else { return };
    for flags in ["", "--seed 2", "--seed 3", "--precision f32", "--progress thread"] {
        let folder = tempdir().unwrap();
        let path = folder.path().join("run.tresse");
        let line = format!(
            "solve --workers 1 --split 1 --cells-per-worker 32x150 --halo get --iterations 20000 \
             --noise node=0,sleep=30us,work=500 --noise node=1,sleep=30us,work=500 {flags} --record"
        );
        mpi.job(2, &line).arg(&path).object(0);
        let mut recording = recording::open(&path, MEMORY).unwrap();
        let replayed = replay(&mut recording, MEMORY).unwrap();
        assert_eq!(replayed.field.hash(), recording.field(), "{line}");
    }
}

#[test]
fn every_worker_and_every_parasite_has_its_track() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    let line = "solve --workers 2 --grid 96x80 --iterations 3000 --node-balance chaos:1 \
                --noise node=0,duty=0.2 --noise node=2,duty=0.3 --record";
    let report = mpi.job(3, line).arg(&path).object(0);
    let (recording, tracks) = events(&path);
    let head = recording.head();
    assert_eq!(head.cores.len(), 6);
    let (workers, parasites) = tracks.split_at(6);
    let nodes: Vec<_> = head.noise.iter().map(|source| source.noise.place).collect();
    assert!(!nodes.is_empty() && nodes.len() == parasites.len(), "{nodes:?}");
    assert!(nodes.is_sorted_by_key(|place| *place == NoisePlace::Node(NodeId(2))), "{nodes:?}");
    assert!(
        nodes.iter().all(|place| [0, 2].map(|it| NoisePlace::Node(NodeId(it))).contains(place))
    );
    let sweeps = |events: &[Event]| {
        events.iter().filter(|event| matches!(event.what, What::Sweep(_))).count()
    };
    assert!(workers.iter().all(|events| sweeps(events) > 0));
    assert!(parasites.iter().flatten().all(|event| event.what == What::Burst));
    assert!(parasites.iter().any(|events| !events.is_empty()));
    // Within a rank subdomains move between its own workers, under their numbers in the whole run;
    // and nobody sweeps what it has not taken. Some of what arrives is sent on before anybody takes
    // it.
    let (mut moves, mut taken) = (0, BTreeSet::new());
    for (track, event) in
        (0..).zip(workers).flat_map(|(track, all)| all.iter().map(move |event| (track, event)))
    {
        match event.what {
            What::Moved(made) => {
                let rank = |WorkerId(worker)| worker / 2;
                assert_eq!((rank(made.from), rank(made.to)), (track / 2, track / 2), "{made:?}");
                moves += 1;
            }
            What::Took(subdomain) => drop(taken.insert((track, subdomain))),
            What::Sweep(swept) => {
                assert!(taken.contains(&(track, swept.subdomain)), "{track} never took {swept:?}");
            }
            What::Did(_) | What::Burst => {}
        }
    }
    assert_eq!(f64::from(moves), number(&report, "/moves"));
}

/// Each of these ranks works in a folder of its own.
#[test]
fn a_folder_that_is_not_shared_is_found_before_the_run() {
    let Some(mpi) = Mpi::find() else { return };
    let refused = |ranks: u32, flags: &str, parts: &[&str]| {
        mpi.job(ranks, &format!("solve --workers 1 {flags}")).run().refused(2, parts);
    };
    refused(2, "--record run.tresse", &["--record", ".tresse-run.tresse.rank-1.part", "share"]);
    refused(2, "--record /proc/none/run", &["--record /proc/none/run", "cannot be written"]);
    refused(
        2,
        "--record run --resume checkpoints",
        &["--record", "--resume", "cannot be used with"],
    );
    refused(2, "--record run --mode rayon", &["--record", "--mode rayon"]);
}

/// The first rank finds out what another one has left of its part.
#[test]
fn parts_that_are_cut_off_make_no_recording() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    mpi.job(2, "solve --workers 1 --grid 24x20 --iterations 50 --record").arg(&path).object(0);
    let recording = recording::open(&path, MEMORY).unwrap();
    let part = folder.path().join("part");
    std::fs::write(&part, &std::fs::read(&path).unwrap()[..12]).unwrap();
    let joined = folder.path().join("joined");
    let file = tresse::report::output::Outputs::default().file("--record", &joined).unwrap();
    let error =
        join(&JoinedHead::Run(recording.head()), slice::from_ref(&part), End::Iterations, &file)
            .unwrap_err()
            .to_string();
    assert!(error.contains("joined") && error.contains("cut off"), "{error}");
    let error =
        join(&JoinedHead::Run(recording.head()), slice::from_ref(&path), End::Iterations, &file)
            .unwrap_err()
            .to_string();
    assert!(error.contains("run.tresse") && error.contains("two heads"), "{error}");
    std::fs::remove_file(part).unwrap();
    assert_eq!(names(folder.path()), ["run.tresse"]);
}
