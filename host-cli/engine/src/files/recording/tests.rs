//! Recordings that were changed with their checksums made right again.

use std::io;
use std::sync::atomic::AtomicBool;

use ndarray::Array2;
use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::{Decomposition, Rectangle};
use tresse_core::field::problem::CellSize;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, Nodes, PlbParams, Precision, RunConfig, Stop,
};
use tresse_files::recording::End;
use tresse_files::recording::chunk::{Coder, START};
use tresse_files::recording::format::{self, FrameWriter, Kind, PREFIX};

use super::*;
use crate::checkpoints::Checkpoints;
use crate::files::output::Outputs;
use crate::files::problem::{Boundary, CellValues, Problem};
use crate::solver::{self, Field, FieldHash};
use crate::threads::Job;
use tresse_files::field_name::{About, FieldName};
use tresse_platform::{Placement, Platform};

const AVAILABLE: u64 = 1 << 30;
const GRID: GridSize = GridSize { rows: 18, columns: 20 };

fn config(mode: Mode, balance: Balance) -> RunConfig {
    RunConfig {
        grid: GRID,
        workers: 3,
        split: 4,
        mode,
        balance,
        help: true,
        always_help: false,
        plb: PlbParams { pairs: 8, low: 1, high: 64, dead_band: 0 },
        nodes: Nodes::ONE,
        imbalance: Imbalance::default(),
        stop: Stop { iterations: Some(60), ..Stop::NEVER },
        precision: Precision::F64,
        seed: 3,
        noise: heapless::Vec::new(),
    }
}

/// Returns cells that vary everywhere, so that no edge is like another.
fn problem_cells() -> Array2<f64> {
    let number = |(row, column)| ((row * 7_919 + column * 104_729) % 1_009) as f64 / 1e3;
    Array2::from_shape_fn((GRID.rows, GRID.columns), number)
}

fn initial() -> CellValues {
    CellValues::Values { columns: GRID.columns, values: problem_cells().iter().copied().collect() }
}

fn problem() -> Problem {
    let (initial, source) = (initial(), CellValues::Constant(0.25));
    let coefficient = CellValues::Constant(1.0);
    let boundary = Boundary::default();
    Problem { grid: GRID, boundary, initial, source, coefficient, cell_ratio: 0.5 }
}

fn about() -> About {
    let name = FieldName::new(Some("Height"), Some("m")).unwrap();
    About { name, cell: CellSize { height: 0.25, width: 0.5 } }
}

fn placement(workers: u32) -> Placement {
    Placement::plan(&Platform::detect().unwrap(), Some(workers), None).unwrap()
}

/// Returns a recorded run on three workers, as bytes.
fn recorded(mode: Mode, balance: Balance) -> Vec<u8> {
    let (config, problem, placement) = (config(mode, balance), problem(), placement(3));
    let interrupt = AtomicBool::new(false);
    let job =
        Job { config: &config, problem: &problem, placement: &placement, interrupt: &interrupt };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.tresse");
    let file = Outputs::default().file("--record", &path).unwrap();
    let head = Head::new(&config, &problem, placement.cores(), Vec::new());
    let head = Head { about: about(), ..head };
    let recorder = Recorder::start(head, file).unwrap();
    solver::record(job, Checkpoints::default(), recorder, &mut |_| {}).unwrap().1.unwrap();
    std::fs::read(path).unwrap()
}

/// Returns a recording with its events changed by `change`, which may also drop some.
fn changed(bytes: &[u8], mut change: impl FnMut(usize, &mut Event) -> bool) -> Vec<u8> {
    let mut source = bytes;
    format::read_prefix(&mut source).unwrap();
    let (mut place, mut number) = (PREFIX, 0);
    let mut out = Vec::new();
    let mut frames = FrameWriter::begin(&mut out).unwrap();
    while !source.is_empty() {
        let frame = format::read_frame(&mut source, place).unwrap();
        place = frame.end;
        let (kind, track, mut bytes) = (frame.kind, frame.track, frame.unpack().unwrap());
        if kind == Kind::Events {
            let start = u64::from_le_bytes(*bytes.first_chunk().unwrap());
            let (mut old, mut new) = (Coder::new(start), Coder::new(start));
            let mut other = bytes[..START].to_vec();
            let mut rest = &bytes[START..];
            while let Some(mut event) = old.decode(&mut rest) {
                if change(number, &mut event) {
                    new.encode(&event, &mut other);
                }
                number += 1;
            }
            bytes = other;
        }
        frames.write(kind, track, &bytes).unwrap();
    }
    out
}

/// Reports whether a recording replays to what it says it does, or why it cannot be replayed.
fn is_equal(bytes: &[u8]) -> Result<bool, String> {
    let mut recording =
        Recording::open(io::Cursor::new(bytes), AVAILABLE).map_err(|error| one_line(&error))?;
    let replayed = replay(&mut recording, AVAILABLE).map_err(|error| one_line(&error))?;
    Ok(replayed.field.hash() == recording.field())
}

fn one_line(error: &RecordingError) -> String {
    let text = error.to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

fn methods() -> [(Mode, Balance); 3] {
    let balance = Balance::Joint(Duration::from_micros(50));
    [(Mode::Sync, Balance::None), (Mode::SemiSync(1), balance), (Mode::Async, balance)]
}

/// Checks that the hash notices any sweep that is recorded with another halo than it read.
#[test]
fn a_changed_halo_is_found() {
    for (mode, balance) in methods() {
        let bytes = recorded(mode, balance);
        assert_eq!(is_equal(&changed(&bytes, |_, _| true)), Ok(true), "{mode}");
        // Not near the end, where an edge may no longer reach anybody.
        for place in (20..300).step_by(7) {
            for older in [true, false] {
                let mut done = false;
                let other = changed(&bytes, |number, event| {
                    let What::Sweep(swept) = &mut event.what else { return true };
                    let halo = swept.halos.iter_mut().flatten().next();
                    if let (false, true, Some(halo)) = (done, number >= place, halo) {
                        *halo = if older { halo.saturating_sub(1) } else { *halo + 1 };
                        done = true;
                    }
                    true
                });
                if other != bytes {
                    assert!(is_equal(&other) != Ok(true), "{mode}, event {place}, {older}");
                }
            }
        }
    }
}

#[test]
fn schedules_that_cannot_have_been_are_refused() {
    let (mode, balance) = methods()[2];
    let bytes = recorded(mode, balance);
    // The first second sweep of a subdomain: others come before it and after it, whoever was slow.
    let is_second = |event: &Event| matches!(event.what, What::Sweep(Swept { version: 2, .. }));
    let sweep = |change: fn(&mut Swept)| {
        let mut is_done = false;
        changed(&bytes, move |_, event| {
            if !is_done
                && is_second(event)
                && let What::Sweep(swept) = &mut event.what
            {
                is_done = true;
                change(swept);
            }
            true
        })
    };
    let mut is_dropped = false;
    let dropped = changed(&bytes, |_, event| {
        let keeps = is_dropped || !is_second(event);
        is_dropped |= !keeps;
        keeps
    });
    for (bytes, expected) in [
        (dropped, "nothing leads to update"),
        (sweep(|swept| swept.version += 1), "update"),
        (sweep(|swept| swept.version = 1), "is made twice"),
        (sweep(|swept| swept.version = u64::MAX >> 2), "nothing leads to update"),
        (sweep(|swept| swept.subdomain = SubdomainId(12)), "not there"),
        (sweep(|swept| swept.subdomain = SubdomainId(u32::MAX)), "not there"),
        (sweep(|swept| swept.halos = [None; 4]), "other links than neighbours"),
        (sweep(|swept| swept.halos = [Some(0); 4]), "other links than neighbours"),
        (sweep(|swept| swept.halos = swept.halos.map(|halo| halo.map(|_| 1 << 60))), "leads to"),
    ] {
        let error = is_equal(&bytes).unwrap_err();
        assert!(error.contains(expected) && error.contains("record again"), "{error}");
    }
    let all_gone = changed(&bytes, |_, event| !matches!(event.what, What::Sweep(_)));
    assert!(is_equal(&all_gone).unwrap_err().contains("not as many"));
}

/// Replays a run in which one worker is asleep between its subdomains while its neighbour goes on
/// far beyond the edges that are usually kept.
#[test]
fn a_worker_that_is_far_behind_is_replayed() {
    const FAR: u64 = 1_000;
    let config = RunConfig { workers: 2, split: 2, ..config(Mode::Async, Balance::None) };
    let source = CellValues::Constant(0.0);
    let problem = Problem { source, cell_ratio: 1.0, ..problem() };
    let decomposition = Decomposition::new(&config).unwrap();
    // Four strips; worker 1 has taken subdomain 0 and gives it back.
    let strips: Vec<_> = decomposition.ids().map(|id| decomposition.rectangle(id)).collect();
    assert!(strips.iter().all(|strip| strip.size.columns == GRID.columns));
    let sweep = |id: u32, version, top, bottom| {
        let halos = [top, bottom, None, None];
        What::Sweep(Swept { subdomain: SubdomainId(id), version, halos })
    };
    let slow = vec![sweep(0, 2, None, Some(0)), sweep(1, 1, Some(2), Some(FAR))];
    let mut quick: Vec<_> = (1..=FAR).map(|to| sweep(2, to, Some(0), Some(0))).collect();
    quick.push(sweep(0, 1, None, Some(0)));

    let mut cells = problem_cells();
    for id in std::iter::repeat_n(2, usize::try_from(FAR).unwrap()).chain([0, 0, 1]) {
        relax(&mut cells, strips[id]);
    }
    let field = Field::F64(cells).hash();
    let head = Head::new(&config, &problem, vec![0, 0], vec![]);
    assert_eq!(is_equal(&written(&head, &[slow, quick], field)), Ok(true));
}

/// Makes a Jacobi sweep over a part of the grid, with all other cells unchanged and boundary 0.
fn relax(cells: &mut Array2<f64>, part: Rectangle) {
    let old = cells.clone();
    let at = |row: usize, column: usize| {
        // One beyond each side, counted from 1.
        let inner = row.checked_sub(1).zip(column.checked_sub(1));
        inner.and_then(|place| old.get(place).copied()).unwrap_or(0.0)
    };
    for row in part.first_row..part.first_row + part.size.rows {
        for column in part.first_column..part.first_column + part.size.columns {
            let vertical = at(row, column + 1) + at(row + 2, column + 1);
            let horizontal = at(row + 1, column) + at(row + 1, column + 2);
            cells[(row, column)] = (vertical + horizontal) * 0.25;
        }
    }
}

/// Returns a recording of these events, a nanosecond each.
fn written(head: &Head, tracks: &[Vec<What>], field: FieldHash) -> Vec<u8> {
    let mut out = Vec::new();
    let mut frames = FrameWriter::begin(&mut out).unwrap();
    frames.write(Kind::Head, 0, &head.to_json().unwrap()).unwrap();
    for array in head.arrays() {
        let bytes: Vec<u8> = array.iter().flat_map(|number| number.to_le_bytes()).collect();
        frames.write(Kind::Array, 0, &bytes).unwrap();
    }
    for (track, events) in (0..).zip(tracks) {
        let mut bytes = 0_u64.to_le_bytes().to_vec();
        let mut coder = Coder::new(0);
        for (start, &what) in (0..).zip(events) {
            coder.encode(
                &Event { start: Instant(start), end: Instant(start + 1), what },
                &mut bytes,
            );
        }
        frames.write(Kind::Events, track, &bytes).unwrap();
    }
    let sweeps = tracks.iter().map(Vec::len).sum::<usize>() as u64;
    let end = End { events: sweeps, sweeps, field, why: None };
    frames.write(Kind::End, 0, &end.to_json().unwrap()).unwrap();
    out
}

#[test]
fn memory_is_refused_before_it_is_taken() {
    let bytes = recorded(Mode::Async, Balance::None);
    let refused =
        Recording::open(io::Cursor::new(&bytes), 1_000).err().map(|error| one_line(&error));
    assert!(refused.unwrap().contains("of memory"));
    let mut recording = Recording::open(io::Cursor::new(&bytes), AVAILABLE).unwrap();
    let refused = replay(&mut recording, 1_000).err().map(|error| one_line(&error));
    assert!(refused.unwrap().contains("of memory"));
}
