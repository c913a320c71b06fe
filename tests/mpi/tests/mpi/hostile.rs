//! Launches that cannot work: one line from the first rank, the same exit code on all, never a
//! hang.

use std::fs::{self, OpenOptions};
use std::process::Command;

use tempfile::tempdir;
use tresse_tests::output_files::names;
use tresse_tests::program::TRESSE_MPI;
use tresse_tests::skip::note;

use crate::launcher::Mpi;

#[test]
fn what_no_rank_can_use_is_refused_once() {
    let Some(mpi) = Mpi::find() else { return };
    for (ranks, flags, parts) in [
        (7, "--workers 1 --grid 3x3", &["28 subdomains", "3x3", "--grid"][..]),
        (3, "--workers 1 --grid 2x2 --split 1", &["3 subdomains", "2x2"]),
        (2, "--mode rayon --record run.tresse", &["--record", "--mode rayon", "async"]),
        (2, "--mode rayon --checkpoint saved", &["--checkpoint", "--mode rayon", "--mode sync"]),
        (2, "--mode rayon --halo get", &["--halo", "--mode rayon", "--mode sync"]),
        (2, "--mode rayon --progress poll", &["--progress", "--mode rayon", "--mode sync"]),
        (2, "--mode rayon --balance joint:1ms", &["--balance", "--mode rayon", "--balance none"]),
        (2, "--mode rayon --node-balance dplb:1,5", &["--node-balance", "--mode rayon", "async"]),
        (2, "--method multigrid --halo get", &["--halo", "--method multigrid"]),
        (2, "--method multigrid --node-rule settled", &["--node-rule", "--method multigrid"]),
        (2, "--mode exact --node-balance dplb:1,5", &["--node-balance", "--mode exact"]),
        (2, "--workers 0", &["--workers"]),
        (2, "--bogus", &["--bogus"]),
        (2, "--node-balance dplb", &["--node-balance"]),
        (2, "--halo put", &["--halo"]),
        (2, "--problem none.toml", &["--problem none.toml"]),
        (2, "--out /proc/none", &["--out /proc/none", "cannot be written"]),
        (2, "--grid 100000x100000", &["--grid", "GiB"]),
        (2, "--workers 1 --noise node=2,duty=0.5", &["node=2", "no rank"]),
    ] {
        mpi.job(ranks, &format!("solve {flags}")).run().refused(2, parts);
    }
}

/// Starts ranks in the launcher's form for several programs, each with a command line of its own.
#[test]
fn ranks_that_disagree_are_refused() {
    let Some(mpi) = Mpi::find() else { return };
    for (one, other, parts) in [
        ("--seed 1", "--seed 2", &["disagree", "rank 1"][..]),
        ("--grid 20x20", "--grid 30x30", &["disagree", "rank 1"]),
        ("--mode sync", "--mode async", &["disagree"]),
        ("", "--quiet", &["disagree"]),
        ("--quiet", "", &["disagree"]),
    ] {
        let job = mpi.job(1, &format!("solve --workers 1 {one}"));
        job.and(1, &format!("solve --workers 1 {other}")).run().refused(2, parts);
    }
    let job = mpi.job(2, "solve --workers 1").and(1, "solve --workers 2");
    job.run().refused(2, &["disagree", "rank 2"]);
}

/// Files are read by every rank: from a disk of its own, perhaps.
#[test]
fn files_that_ranks_do_not_share_are_refused() {
    let Some(mpi) = Mpi::find() else { return };
    let job = || mpi.job(3, "solve --workers 1 --problem problem.toml");
    let good = b"grid = [20, 20]";
    let missing = job().file(0, "problem.toml", good).file(1, "problem.toml", good);
    missing.run().refused(2, &["rank 2", "problem.toml", "cannot be read"]);
    let first = job().file(1, "problem.toml", good).file(2, "problem.toml", good);
    first.run().refused(2, &["rank 0", "problem.toml"]);
    for other in [&b"grid = [20, 21]"[..], b"grid = [20, 20]\ninitial = 0.5"] {
        let files = [&good[..], good, other];
        let job =
            (0..).zip(files).fold(job(), |job, (rank, it)| job.file(rank, "problem.toml", it));
        job.run().refused(2, &["disagree", "rank 2"]);
    }
    let wrong = [&good[..], b"gird = [20, 20]", good];
    let job = (0..).zip(wrong).fold(job(), |job, (rank, it)| job.file(rank, "problem.toml", it));
    job.run().refused(2, &["rank 1", "`gird`"]);
}

/// A flag that only some ranks cannot read: nobody waits for them.
#[test]
fn a_command_line_that_one_rank_cannot_read_ends_all() {
    let Some(mpi) = Mpi::find() else { return };
    let good = "solve --workers 1 --grid 20x20";
    mpi.job(1, good).and(1, "solve --bogus").run().refused(2, &["rank 1", "--bogus"]);
    mpi.job(1, "solve --bogus").and(1, good).run().refused(2, &["rank 0", "--bogus"]);
}

/// The launcher's own exit code is the program's.
#[test]
fn the_launcher_passes_exit_codes_on() {
    let Some(mpi) = Mpi::find() else { return };
    let ended = mpi.job(2, "solve --mode rayon --halo get").alone().run();
    assert_eq!(ended.code, Some(2), "{ended:#?}");
    let line = "solve --workers 1 --grid 60x60 --tolerance 1e-9 --iterations 20 --quiet";
    let ended = mpi.job(2, line).alone().run();
    assert_eq!(ended.code, Some(1), "{ended:#?}");
    let ended = mpi.job(2, "solve --workers 1 --grid 20x20 --iterations 5").alone().run();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
}

/// A folder that only other ranks can write to, and one that nobody can.
#[test]
fn a_folder_that_cannot_be_written_is_refused_before_the_run() {
    let Some(mpi) = Mpi::find() else { return };
    let root = tempdir().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "mine").unwrap();
    let job = mpi.job(2, "solve --workers 1 --grid 20x20 --out").arg(&file);
    job.run().refused(2, &["--out", file.to_str().unwrap()]);
    assert_eq!(names(root.path()), ["file"]);
    // Rank 1 finds a file where its folder should be.
    let job = mpi.job(2, "solve --workers 1 --grid 20x20 --out results");
    job.file(1, "results", b"mine").run().refused(2, &["rank 1", "--out results"]);
}

#[test]
fn help_that_cannot_be_printed_is_an_error() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        note("this system has no /dev/full", "run the tests on Linux");
        return;
    };
    for line in ["--help", "solve --help", "--version"] {
        let mut command = Command::new(TRESSE_MPI.as_path());
        command.args(line.split_whitespace()).stdout(full.try_clone().unwrap());
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.starts_with("error: standard output: "), "{line}: {said}");
    }
}

#[test]
fn help_is_shown_once() {
    let Some(mpi) = Mpi::find() else { return };
    for line in ["--help", "solve --help", "--version"] {
        let ended = mpi.job(3, line).run();
        ended.codes(0);
        assert!(ended.ranks[0].out.contains("tresse-mpi"), "{ended:#?}");
        assert!(ended.ranks[1..].iter().all(|rank| rank.out.is_empty()), "{ended:#?}");
        assert!(ended.ranks.iter().all(|rank| rank.err.is_empty()), "{ended:#?}");
    }
}
