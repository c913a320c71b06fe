//! Checkpoints: when there is one, what is gone on with, and what becomes of those that cannot be
//! written or read.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::Value;
use tempfile::tempdir;
use tresse_core::run::Precision;
use tresse_tests::output_files::names;
use tresse_tests::problems::Failure;
use tresse_tests::skip::note;
use tresse_tests::small_disk::SmallDisk;

use crate::launcher::{Ended, Mpi, Running, number};
use crate::oracles::{Posed, assert_same, serial};

/// Returns the flags of a run that is not finished within the limit, and leaves no checkpoint
/// unless it is asked to.
pub fn endless(folder: &Path) -> String {
    format!("--iterations 1000000000000 --every 1000s --checkpoint {}", folder.display())
}

/// Returns the complete checkpoints in a folder, which may not be there yet, the newest last.
pub fn complete(folder: &Path) -> Vec<PathBuf> {
    if !folder.exists() {
        return Vec::new();
    }
    let number = |name: &str| name.strip_prefix("checkpoint-")?.parse::<u64>().ok();
    let mut found: Vec<_> =
        names(folder).iter().filter_map(|name| Some((number(name)?, folder.join(name)))).collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Waits until there is another newest checkpoint than `before`, and answers where it is.
fn next(job: &mut Running, folder: &Path, before: Option<&PathBuf>) -> PathBuf {
    job.until("left a checkpoint", |_| complete(folder).last() != before);
    complete(folder).pop().unwrap()
}

/// Asks a rank for a checkpoint and waits for it.
pub fn asked(job: &mut Running, rank: u32, folder: &Path) -> PathBuf {
    let before = complete(folder).pop();
    job.signal(rank, Signal::USR1);
    next(job, folder, before.as_ref())
}

/// Runs until it has saved `number` checkpoints on request, and is asked to end.
pub fn interrupted(
    mpi: &Mpi,
    posed: &Posed,
    (ranks, flags): (u32, &str),
    number: u32,
) -> (Ended, PathBuf) {
    let folder = posed.folder.path().join("checkpoints");
    let mut job = posed.job(mpi, ranks, &format!("{flags} {}", endless(&folder))).start();
    job.until_it_works();
    for place in 0..number {
        asked(&mut job, place % ranks, &folder);
    }
    job.signal(ranks - 1, Signal::TERM);
    let ended = job.end();
    ended.codes(130);
    (ended, folder)
}

#[test]
fn any_rank_can_be_asked_for_a_checkpoint() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (flags, signal) in [
        ("--mode async --node-balance chaos:1", Signal::TERM),
        ("--mode sync", Signal::INT),
        ("--mode ssync:2 --halo get", Signal::TERM),
        ("--mode exact", Signal::INT),
    ] {
        let posed = Posed::random(41, (30, 26))?;
        let folder = posed.folder.path().join("checkpoints");
        let line = format!("--workers 1 {flags} {}", endless(&folder));
        let mut job = posed.job(&mpi, 3, &line).start();
        job.until_it_works();
        assert_eq!(complete(&folder), [] as [PathBuf; 0], "before anybody asked");
        let all: Vec<_> = (0..3).map(|rank| asked(&mut job, rank, &folder)).collect();
        // The last two are kept; the older one goes when the newer one is complete.
        job.until("removed the oldest", |_| complete(&folder) == all[1..]);
        job.signal(1, signal);
        let ended = job.end();
        ended.codes(130);
        let left = complete(&folder);
        assert_eq!(left[0], all[2], "{ended:#?}");
        assert_eq!(left.len(), 2, "asked to end, it leaves another one: {ended:#?}");
        let told = left[1].to_str().unwrap();
        assert!(ended.ranks[0].err.contains(told), "no {told} in {ended:#?}");
        assert!(!names(&folder).iter().any(|name| name.ends_with(".part")), "{:?}", names(&folder));
    }
    Ok(())
}

/// Resumes on other numbers of ranks and workers, and in another cut, with synchronous or exact
/// sweeps only.
#[test]
fn synchronous_runs_go_on_to_the_bit() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (first, second, precision) in [
        ((3, "sync --workers 1"), (2, "exact --workers 2 --split 3"), Precision::F64),
        ((1, "sync --workers 2"), (4, "sync --workers 1 --split 2 --halo get"), Precision::F32),
        ((2, "exact --workers 2"), (3, "exact --workers 1 --halo get"), Precision::F64),
    ] {
        // So large that every iteration still changes it, however many there are before the request
        // to end.
        let posed = Posed::heterogeneous(42, (400, 390))?;
        let flags = format!("--mode {} --precision {precision}", first.1);
        let (_, folder) = interrupted(&mpi, &posed, (first.0, &flags), 1);
        let made = iterations(&posed.out());
        let iterations = made + 25;
        let flags = format!("--mode {} --iterations {iterations}", second.1);
        let report = posed.job(&mpi, second.0, &flags).arg("--resume").arg(&folder).object(0);
        let expected = match precision {
            Precision::F32 => serial::<f32>(&posed.problem, iterations),
            Precision::F64 => serial::<f64>(&posed.problem, iterations),
        };
        assert_same(&posed.field(precision), &expected, &format!("{made} {report:#}"));
    }
    Ok(())
}

/// Returns the iterations in the report that a run has left, which are whole.
pub fn iterations(out: &Path) -> u64 {
    let report: Value =
        serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    number(&report, "/iterations") as u64
}

#[test]
fn asynchronous_runs_go_on_to_the_solution() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (first, second) in [
        ((4, "--workers 1 --node-balance chaos:2"), (2, "--workers 1 --node-balance chaos:3")),
        ((2, "--workers 2 --split 3"), (3, "--workers 1 --split 2 --mode ssync:2")),
    ] {
        let posed = Posed::random(43, (29, 28))?;
        let (_, folder) = interrupted(&mpi, &posed, first, 1);
        let flags = format!("{} --tolerance 1e-8 --resume {}", second.1, folder.display());
        posed.check(&mpi, (second.0, &flags), Precision::F64, 1e-8)?;
    }
    Ok(())
}

/// A run that leaves a checkpoint every so often, and goes on from the newest.
#[test]
fn checkpoints_come_every_so_often() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(44, (28, 33))?;
    let folder = posed.folder.path().join("checkpoints");
    let line = "--workers 1 --mode async --iterations 1000000000000 --every 50ms";
    let mut job = posed.job(&mpi, 2, line).arg("--checkpoint").arg(&folder).start();
    let first = next(&mut job, &folder, None);
    let second = next(&mut job, &folder, Some(&first));
    assert_ne!(first, second);
    job.signal(0, Signal::TERM);
    job.end().codes(130);
    let flags = format!("--workers 2 --tolerance 1e-6 --resume {}", folder.display());
    posed.check(&mpi, (2, &flags), Precision::F64, 1e-6)?;
    Ok(())
}

/// Reports whether all ranks are killed with one, by what the first has printed: MPICH's launcher
/// does so.
fn is_silenced(printed: &str) -> bool {
    printed.contains("MPICH")
}

/// The message is there whatever became of the ranks, also before a resumed run leaves a checkpoint
/// of its own, and what it names can be gone on with.
#[test]
fn a_job_with_a_killed_rank_names_the_checkpoint_to_go_on_from() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (victim, method) in [(0_u32, "jacobi"), (1, "jacobi"), (0, "multigrid")] {
        let posed = Posed::random(45, (27, 30))?;
        let folder = posed.folder.path().join("checkpoints");
        let line = format!("--method {method} --workers 1 {}", endless(&folder));
        let mut job = posed.job(&mpi, 2, &line).alone().start();
        job.until_it_works();
        let newest = asked(&mut job, 1, &folder);
        if is_silenced(&job.printed_by(0)) {
            let named = newest.to_str().unwrap();
            job.until("named the checkpoint", |job| job.said_by(0).contains(named));
        }
        // Ends a job; where the rank that is left has not told what to do, returns what there is.
        let end = |job: Running| {
            job.signal(victim, Signal::KILL);
            let ended = job.end();
            assert_ne!(ended.code, Some(0), "{ended:#?}");
            let said: String = ended.ranks.iter().map(|rank| rank.err.as_str()).collect();
            assert!(said.contains(newest.to_str().unwrap()), "{ended:#?}");
            let told = format!("--resume {}", newest.display());
            let is_told = is_silenced(&ended.ranks[0].out)
                || ended.ranks[1 - victim as usize].err.contains(&told);
            (!is_told).then_some(ended)
        };
        end(job);
        // A launcher gives it a second, which may pass while other programs have its core.
        let mut untold = None;
        for _ in 0..5 {
            let mut job = posed.job(&mpi, 2, &line).arg("--resume").arg(&newest).alone().start();
            job.until_it_works();
            untold = end(job);
            if untold.is_none() {
                break;
            }
        }
        assert!(untold.is_none(), "{untold:#?}");
        let flags = format!("--workers 1 --tolerance 1e-6 --resume {}", newest.display());
        posed.check(&mpi, (3, &flags), Precision::F64, 1e-6)?;
    }
    Ok(())
}

/// The rank that is left waits for the other one's piece then, and tells all the same what there
/// is.
#[test]
fn a_rank_killed_during_a_checkpoint_leaves_a_message() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let ended = loop {
        let root = tempdir()?;
        let folder = root.path().join("checkpoints");
        let line = format!("solve --workers 1 --grid 3000x3000 {}", endless(&folder));
        let mut job = mpi.job(2, &line).alone().start();
        job.until_it_works();
        job.signal(1, Signal::USR1);
        // It has agreed with the first rank then, whose folder is there before.
        job.until("began its own piece", |_| is_written(&folder, "piece-1", 0));
        job.signal(0, Signal::STOP);
        job.until("wrote its own", |_| is_written(&folder, "piece-1", 3_000 * 3_000 / 2 * 8));
        job.signal(0, Signal::KILL);
        let ended = job.end();
        // Else the first rank had written its piece as well before it stood still.
        if complete(&folder).is_empty() {
            break ended;
        }
    };
    if is_silenced(&ended.ranks[0].out) {
        note("this launcher kills all ranks at once", "Open MPI's lets them say something");
        return Ok(());
    }
    assert!(ended.ranks[1].err.contains("there is no checkpoint yet"), "{ended:#?}");
    Ok(())
}

/// Reports whether a checkpoint in this folder has a piece of at least so many bytes.
fn is_written(folder: &Path, piece: &str, bytes: u64) -> bool {
    let checkpoints = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut pieces = checkpoints.map(|checkpoint| checkpoint.path().join(piece));
    pieces.any(|piece| fs::metadata(piece).is_ok_and(|piece| piece.len() >= bytes))
}

/// The newest checkpoint may be damaged in any of its files: the one before it is good enough.
#[test]
fn a_damaged_checkpoint_leads_to_the_one_before() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(46, (26, 31))?;
    let (_, folder) = interrupted(&mpi, &posed, (2, "--workers 1 --mode sync"), 1);
    let [older, newer] = complete(&folder).try_into().unwrap();
    let resume = || {
        let flags = "--workers 1 --tolerance 1e-6 --json";
        posed.job(&mpi, 3, flags).arg("--resume").arg(&folder).run()
    };
    assert!(!resume().ranks[0].err.contains("instead"), "nothing is wrong yet");
    damage(&newer.join("piece-1"));
    let ended = resume();
    ended.codes(0);
    let warning = &ended.ranks[0].err;
    for part in [newer.to_str().unwrap(), "damaged", older.to_str().unwrap(), "instead"] {
        assert!(warning.contains(part), "no {part} in {ended:#?}");
    }
    let report: Value = serde_json::from_str(&ended.ranks[0].out)?;
    assert_eq!(report["converged"], true);
    damage(&older.join("manifest.jsonl"));
    resume().refused(2, &["--resume", "damaged"]);
    fs::remove_dir_all(&older)?;
    fs::remove_file(newer.join("piece-0"))?;
    resume().refused(2, &["--resume"]);
    Ok(())
}

/// Changes a bit in the middle of a file.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Nobody's time is lost with the disk: the run goes on without the checkpoint, and says so.
#[test]
fn a_full_disk_ends_no_run_and_spoils_no_checkpoint() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let root = tempdir()?;
    let Some(disk) = SmallDisk::mount(root.path()) else {
        return Ok(());
    };
    let folder = disk.path().join("checkpoints");
    // One has room, two have not.
    let line = format!("solve --workers 1 --grid 70x70 {}", endless(&folder));
    let mut job = mpi.job(2, &line).start();
    job.until_it_works();
    let first = asked(&mut job, 0, &folder);
    job.signal(1, Signal::USR1);
    job.until("said that the disk is full", |job| job.said_by(0).contains("no checkpoint now"));
    job.signal(0, Signal::INT);
    let ended = job.end();
    ended.codes(130);
    assert!(ended.ranks[0].err.contains("free some space"), "{ended:#?}");
    assert_eq!(complete(&folder), [first], "{ended:#?}");
    assert!(!names(&folder).iter().any(|name| name.ends_with(".part")), "{:?}", names(&folder));
    let line = "solve --workers 1 --tolerance 1e-3 --resume";
    let report = mpi.job(3, line).arg(&folder).object(0);
    assert_eq!(report["converged"], true);
    Ok(())
}

#[test]
fn what_cannot_be_gone_on_with_is_refused() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(47, (26, 31))?;
    let (_, folder) = interrupted(&mpi, &posed, (2, "--workers 1 --mode sync"), 0);
    let path = |flags: &str| mpi.job(2, &format!("solve --workers 1 {flags}")).arg(&folder);
    path("--resume").run().refused(2, &["--resume", "--problem"]);
    path("--grid 26x32 --resume").run().refused(2, &["--resume", "--grid 26x31"]);
    posed
        .job(&mpi, 2, "--precision f32")
        .arg("--resume")
        .arg(&folder)
        .run()
        .refused(2, &["--resume", "--precision f64"]);
    posed
        .job(&mpi, 2, "--iterations 1 --mode sync")
        .arg("--resume")
        .arg(&folder)
        .run()
        .refused(2, &["--iterations"]);
    let rayon = path("--mode rayon --resume").run();
    rayon.refused(2, &["--resume", "--mode rayon", "--mode sync"]);
    // Somebody else's checkpoints are not replaced.
    path("--checkpoint").run().refused(2, &["--checkpoint", folder.to_str().unwrap()]);
    mpi.job(2, "solve --workers 1 --resume /nowhere").run().refused(2, &["--resume /nowhere"]);
    let empty = tempdir()?;
    let job = mpi.job(2, "solve --workers 1 --resume").arg(empty.path());
    job.run().refused(2, &["--resume", "no complete checkpoint"]);
    assert_eq!(complete(&folder).len(), 1);
    Ok(())
}
