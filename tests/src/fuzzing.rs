//! The functions of the fuzz targets for arbitrary bytes; on stable, the corpora go through the
//! same code.

use std::io::{self, Cursor};

use serde_json::Value;
use tresse::commands::args::{SolveArgs, read_run_table};
use tresse::commands::decide;
use tresse::files::checkpoint::{Checkpoint, Opened};
use tresse::files::load_traces::{
    Encoding, Limits, LoadTrace, Source, read_sources, validate_sources,
};
use tresse::files::problem::{ProblemError, ProblemFile};
use tresse::files::recording::pool::{self, PoolRecording};
use tresse::files::recording::{self, ExportError, Recording, RecordingError, replay};
use tresse::matrix::market;
use tresse::matrix::subdomain::Subdomain;
use tresse::matrix::system::System;
use tresse_core::base::id::{SocketId, SubdomainId};
use tresse_core::base::rng::Rng;
use tresse_core::base::time::Duration;
use tresse_core::parts::Part as _;
use tresse_core::run::{Balance, End, Mode, PlbParams};
use tresse_core::tasks::sharing::{Arbitration, Managers, Method, Release, SharingConfig};
use twox_hash::XxHash3_64;

use crate::checkpoint_files;
use crate::defaults::{self, Outcome};
use crate::load_trace_files::written;
use crate::systems;
use tresse_core_tests::explorer;
use tresse_core_tests::grapevine::world::World as BalancedWorld;
use tresse_core_tests::migration::bytes as words;
use tresse_core_tests::node_life::Setting as NodeSetting;
use tresse_core_tests::sharing::world::{Fault, Setting, World as SharedWorld};
use tresse_core_tests::simulated;
use tresse_core_tests::simulated::world::VirtualWorld;
use tresse_core_tests::world::{Policy, Sent, World, check, compare};

/// `tresse decide plb`: an answer is the oracle's and keeps every rule, a refusal is one line.
///
/// # Panics
/// Where it is not so.
pub fn decide_plb(bytes: &[u8]) {
    match decide::plb(bytes) {
        Err(refusal) => assert_one_line(&refusal.to_string()),
        Ok(answer) => {
            let world = world(bytes).unwrap_or_else(|| panic!("accepted, but not a world"));
            let moves = moves(&answer).unwrap_or_else(|| panic!("not the promised JSON: {answer}"));
            if let Err(fault) = check(&world, moves.clone()).and_then(|()| compare(&world, moves)) {
                panic!("{fault}");
            }
        }
    }
}

/// Bytes as the order in which the workers of a node go on: every rule of the hand-over and of
/// halts is kept, and all come to the end.
///
/// # Panics
/// Where it is not so.
pub fn worker(bytes: &[u8]) {
    let Some((&[workers, parts, mode, halts, pairs, low, room], order)) = bytes.split_first_chunk()
    else {
        return;
    };
    let modes = [Mode::Async, Mode::SemiSync(1), Mode::SemiSync(3), Mode::Sync, Mode::Exact];
    let balances = [Balance::Joint(Duration(0)), Balance::Auto, Balance::Pull(0), Balance::None];
    let low = u32::from(low % 4) + 1;
    let high = low + u32::from(room % 4) + 1;
    let plb = PlbParams { pairs: usize::from(pairs % 8) + 1, low, high, dead_band: 0 };
    let setting = NodeSetting {
        mode: modes[usize::from(mode) % modes.len()],
        balance: balances[usize::from(mode) / modes.len() % balances.len()],
        plb,
        workers: u32::from(workers % 5) + 2,
        parts: u32::from(parts % 25) + 1,
        are_linked: true,
        iterations: 9,
        halts: usize::from(halts % 4),
        ..NodeSetting::ONE
    };
    // Some modes have no balancer, others have one of their own.
    if setting.config().validate().is_err() {
        return;
    }
    explorer::walk(setting, order.iter().map(|&choice| usize::from(choice)));
}

/// Bytes as the order in which workers step and messages arrive: no task counts twice, none is
/// lost, and the end is found.
///
/// # Panics
/// Where it is not so.
pub fn sharing(bytes: &[u8]) {
    let Some((&[method, workers, chunk, interval, copies, rules, tasks], order)) =
        bytes.split_first_chunk()
    else {
        return;
    };
    let method = Method::ALL[usize::from(method) % Method::ALL.len()];
    let config = SharingConfig {
        chunk: u32::from(chunk % 4) + 1,
        interval: u32::from(interval % 8) + 1,
        copies: u32::from(copies % 5),
        window: u32::from(copies / 5 % 4) + 1,
        arbitration: Arbitration::ALL[usize::from(rules) % Arbitration::ALL.len()],
        release: Release::ALL[usize::from(rules / 2) % Release::ALL.len()],
        ..SharingConfig::new(method)
    };
    let (workers, above) = (u32::from(workers % 5) + 1, u32::from(workers / 5 % 3) + 1);
    let managers = Managers::with(workers, if method.steals() { 1 } else { above });
    let tasks = tasks.min(SharedWorld::MOST_TASKS);
    let setting = Setting { config, managers, tasks, fault: Fault::None };
    let mut world = SharedWorld::new(&setting);
    let once = |world: &SharedWorld| {
        assert!((0..tasks).all(|task| world.committed(task) <= 1), "twice: {world:?}");
    };
    for &choice in order {
        let number = world.possible().count().max(1);
        let Some(next) = world.possible().nth(usize::from(choice) % number) else { break };
        world.apply(next, Fault::None);
    }
    once(&world);
    // In any order that forgets nobody.
    let mut rng = Rng::new(0, 0);
    for _ in 0..200_000 {
        let possible: Vec<_> = world.possible().collect();
        let drawn = u32::try_from(possible.len()).map_or(0, |number| rng.below(number));
        let Some(&next) = possible.get(drawn as usize) else { break };
        world.apply(next, Fault::None);
    }
    once(&world);
    assert!(world.all_have_ended(), "no end: {world:?}");
    let root = u8::from(tasks == 0);
    assert!((0..tasks.max(root)).all(|task| world.committed(task) == 1), "lost: {world:?}");
}

/// Problem files: what is read is read the same way again, a refusal is one line.
///
/// # Panics
/// Where it is not so.
pub fn problem_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match read_problem(text) {
        Err(refusal) => assert_one_line(&refusal.to_string()),
        Ok(file) => {
            // As text, in which a number that is none equals itself.
            let same = |text: &str| {
                let again = read_problem(text).map(|again| format!("{again:?}"));
                assert_eq!(again.ok(), Some(format!("{file:?}")));
            };
            same(text);
            // Comments around a file mean nothing; a byte order mark may only come first.
            let text = text.trim_start_matches('\u{feff}');
            same(&format!("# A problem.\n\n{text}\n# The end.\n"));
        }
    }
}

/// Most rows of a matrix that is cut and factorised.
const ROWS: u32 = 64;

/// Matrices in Matrix Market's form: what is read is read again as it was, and cut and factorised; a
/// refusal of either is one line.
///
/// # Panics
/// Where it is not so.
pub fn matrix(bytes: &[u8]) {
    if let Err(refusal) = market::read_vector(bytes, 4) {
        assert_one_line(&refusal.to_string());
    }
    let matrix = match market::read_system(bytes) {
        Ok(matrix) => matrix,
        Err(refusal) => return assert_one_line(&refusal.to_string()),
    };
    let again = market::read_system(systems::market(&matrix).as_bytes());
    assert_eq!(again.ok().as_ref(), Some(&matrix));
    let rows = matrix.len();
    if rows > ROWS {
        return;
    }
    let (rhs, start) = (vec![1.0; rows as usize], vec![0.0; rows as usize]);
    for (parts, overlap) in [(1, 0), (2, 1), (5, 0)] {
        match System::new(&matrix, &rhs, &start, parts, overlap) {
            Err(refusal) => assert_one_line(&refusal.to_string()),
            Ok(system) => {
                let parts = (0..parts).map(SubdomainId).map(|id| {
                    let mut part = Subdomain::new(&system, id);
                    part.update(true);
                    part
                });
                assert_eq!(system.assembled(&parts.collect::<Vec<_>>()).len(), rhs.len());
            }
        }
    }
}

/// Returns the file, and what it says of flags.
fn read_problem(text: &str) -> Result<(ProblemFile, SolveArgs), ProblemError> {
    let file = ProblemFile::parse(text)?;
    let run = read_run_table(file.run.as_ref())?;
    Ok((file, run))
}

/// Memory that a recording may ask for.
const MEMORY: u64 = 1 << 20;

/// Recordings, as they are and with their checksums made right: whatever is in them, they are read,
/// replayed and traced to an end, and a refusal is one line.
///
/// # Panics
/// Where it is not so.
pub fn recording(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), mended(bytes)] {
        let refusal = |error: RecordingError| assert_one_line(&error.to_string());
        match Recording::open(Cursor::new(&bytes), MEMORY) {
            Err(error) => refusal(error),
            Ok(mut recording) => {
                if let Err(error) = replay(&mut recording, MEMORY) {
                    refusal(error);
                }
                match recording::export_trace(&mut recording, &mut io::sink()) {
                    Ok(_) => {}
                    Err(ExportError::Recording(error)) => refusal(error),
                    Err(error @ ExportError::Write(_)) => panic!("a sink refuses: {error}"),
                }
            }
        }
    }
}

/// The same of recordings of pools. What is read is what it is written as.
///
/// # Panics
/// Where it is not so.
pub fn pool_recording(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), mended(bytes)] {
        match PoolRecording::read(bytes.as_slice(), MEMORY) {
            Err(error) => assert_one_line(&error.to_string()),
            Ok(read) => {
                let PoolRecording { head, timeline, messages } = &read;
                let mut written = Vec::new();
                let again = pool::write(head, timeline, *messages, &mut written)
                    .ok()
                    .and_then(|()| PoolRecording::read(written.as_slice(), MEMORY).ok());
                assert_eq!(again.as_ref(), Some(&read));
                let traced = read.export_trace(&mut io::sink());
                assert_eq!(traced.map(|it| it.tracks).ok(), Some(timeline.tracks().count()));
                let other = Recording::open(Cursor::new(&bytes), MEMORY).err();
                assert!(matches!(other, Some(RecordingError::OfPool)), "{other:?}");
            }
        }
    }
}

/// Returns a recording with every checksum made right, as far as there are whole frames. Written
/// from the description of the format, without the product's code.
pub fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    let mut place = 12;
    while let Some((header, stored)) =
        mended.get_mut(place..).and_then(|frame| frame.split_at_mut_checked(21))
    {
        let Ok(length) = header[9..13].try_into() else { break };
        let length = u32::from_le_bytes(length) as usize;
        let Some(stored) = stored.get(..length) else { break };
        let seed = XxHash3_64::oneshot_with_seed(place as u64, &header[..13]);
        let checksum = XxHash3_64::oneshot_with_seed(seed, stored);
        header[13..].copy_from_slice(&checksum.to_le_bytes());
        place += 21 + length;
    }
    mended
}

/// The files of a checkpoint, as they are and with their checksums made right: whatever is in them,
/// they are refused in one line, or every cell of the grid is read once.
///
/// # Panics
/// Where it is not so.
pub fn checkpoint(bytes: &[u8]) {
    let files: Vec<_> = cut(bytes, 4).into_iter().map(|source| source.bytes).collect();
    for files in [checkpoint_files::mended(&files), files] {
        let Ok(folder) = tempfile::tempdir() else { panic!("no room for the files") };
        if let Err(error) = checkpoint_files::store(folder.path(), &files) {
            panic!("{error}");
        }
        match Checkpoint::open(folder.path()) {
            Err(refusal) => assert_one_line(&refusal.to_string()),
            Ok(Opened { checkpoint, .. }) => {
                let (size, _) = checkpoint.manifest().state.stored();
                let cells = checkpoint_files::cells(&checkpoint);
                assert_eq!(cells.ok(), Some(size.cells()), "cells of {size}");
            }
        }
    }
}

/// A virtual machine and a run on it, of any bytes: every rule holds after every event.
///
/// # Panics
/// Where it is not so.
pub fn machine(bytes: &[u8]) {
    let world = VirtualWorld::from_bytes(bytes);
    if let Err(fault) = simulated::run(&world) {
        panic!("{fault}\n  in {world:?}");
    }
}

/// Bytes as a command that a person may type: a run in virtual time comes to an end.
///
/// # Panics
/// Where it is not so.
pub fn defaults(bytes: &[u8]) {
    let line = defaults::simulation(bytes);
    if let Outcome::Ended(end @ (End::Livelock | End::Stalled | End::NotFinite)) =
        defaults::simulate(&line, defaults::MOST_SWEEPS)
    {
        panic!("{line}: {end}");
    }
}

/// Grapevine on objects and processors of any bytes: every rule holds.
///
/// # Panics
/// Where it is not so.
pub fn grapevine(bytes: &[u8]) {
    let world = BalancedWorld::from_bytes(bytes);
    if let Err(broken) = world.verify() {
        panic!("{broken}\n  in {world:?}");
    }
}

/// Headers, directories, mailboxes and packets of any bytes: whatever they say, every search ends,
/// nothing is found that no directory has, and sender and receiver keep their rules.
///
/// # Panics
/// Where it is not so.
pub fn migration(bytes: &[u8]) {
    if let Err(wrong) = words::run(bytes) {
        panic!("{wrong}");
    }
}

/// Separator of the ranks' files in a load trace of several ranks.
pub const NEXT_RANK: &[u8] = b"\n--\n";

/// Load traces: what is read is written and read again as it was, and can be balanced; a refusal is
/// one line, as is every one of what is wrong.
///
/// # Panics
/// Where it is not so.
pub fn load_trace(bytes: &[u8]) {
    let limits = Limits { file: 1 << 20, memory: 1 << 22 };
    let sources = cut(bytes, 8);
    match validate_sources(sources.clone(), limits) {
        Err(refusal) => assert_one_line(&refusal.to_string()),
        Ok(found) => found.problems.iter().for_each(|one| assert_one_line(&one.to_string())),
    }
    match read_sources(sources, limits) {
        Err(refusal) => assert_one_line(&refusal.to_string()),
        Ok(trace) => {
            // Repeated phases may be far more when written than when read.
            let tasks: usize = trace.phases().iter().map(|phase| phase.tasks().count()).sum();
            if trace.phases().len() * trace.ranks() + tasks < 10_000 {
                same_again(&trace);
                let owners = trace.phases()[0].objects().owners;
                match trace.with_owners(0, &owners) {
                    Ok(same) => same_again(&same),
                    Err(error) => panic!("the owners that it has: {error}"),
                }
            }
        }
    }
}

fn cut(bytes: &[u8], most: usize) -> Vec<Source> {
    let (mut files, mut rest) = (Vec::new(), Some(bytes));
    while let Some(bytes) = rest {
        let end = bytes.windows(NEXT_RANK.len()).position(|window| window == NEXT_RANK);
        let end = end.filter(|_| files.len() + 1 < most);
        let path = format!("t.{}.json", files.len()).into();
        files.push(Source { path, bytes: bytes[..end.unwrap_or(bytes.len())].to_vec() });
        rest = end.map(|end| &bytes[end + NEXT_RANK.len()..]);
    }
    files
}

fn same_again(trace: &LoadTrace) {
    let plenty = Limits { file: 1 << 30, memory: 1 << 32 };
    for encoding in [Encoding::Plain, Encoding::Brotli] {
        match read_sources(written(trace, encoding), plenty) {
            Ok(again) => assert!(again == *trace, "not the same again: {trace:?}\n{again:?}"),
            Err(error) => panic!("{error}"),
        }
    }
}

fn assert_one_line(message: &str) {
    assert!(
        !message.trim().is_empty() && !message.contains(char::is_control),
        "not one line: {message:?}"
    );
}

/// Returns the world of an accepted input, read without the product's code.
fn world(bytes: &[u8]) -> Option<World> {
    let input: Value = serde_json::from_slice(bytes).ok()?;
    let field = |place: usize, name: &str| match &input {
        Value::Array(fields) => fields.get(place),
        object => object.get(name),
    };
    let numbers = |place, name| -> Option<Vec<u64>> {
        field(place, name)?.as_array()?.iter().map(Value::as_u64).collect()
    };
    let paper = PlbParams::default();
    let parameter = |place, name| field(place, name).and_then(Value::as_u64);
    let small = |place, name| parameter(place, name).and_then(|value| u32::try_from(value).ok());
    Some(World {
        counts: numbers(0, "counts")?,
        owners: numbers(1, "owners")?
            .into_iter()
            .map(|owner| usize::try_from(owner).ok())
            .collect::<Option<_>>()?,
        sockets: numbers(2, "sockets")?
            .into_iter()
            .map(|socket| u32::try_from(socket).ok().map(SocketId))
            .collect::<Option<_>>()?,
        policy: match field(3, "policy")?.as_str()? {
            "joint" => Policy::Joint,
            "split" => Policy::Split,
            _ => return None,
        },
        params: PlbParams {
            pairs: small(4, "pairs").map_or(paper.pairs, |pairs| pairs as usize),
            low: small(5, "low").unwrap_or(paper.low),
            high: small(6, "high").unwrap_or(paper.high),
            dead_band: parameter(7, "dead_band").unwrap_or(paper.dead_band),
        },
    })
}

fn moves(answer: &str) -> Option<Vec<Sent>> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let sent = |sent: &Value| {
        let number = |name: &str| sent[name].as_u64().and_then(|id| usize::try_from(id).ok());
        let (subdomain, from, to) = (number("subdomain")?, number("from")?, number("to")?);
        Some(Sent { subdomain, from, to })
    };
    answer["moves"].as_array()?.iter().map(sent).collect()
}
