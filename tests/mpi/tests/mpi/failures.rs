//! Ranks that are killed, stopped, or asked to end.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tempfile::tempdir;
use tresse_tests::output_files::{assert_whole, names, summary};

use crate::launcher::{LIMIT, Mpi, Running, number};
use crate::processes::is_alive;

/// A run that is not finished within the limit.
const ENDLESS: &str = "solve --workers 1 --grid 600x600 --tolerance 1e-12";

/// The job does not outlive a rank that is gone.
#[test]
fn a_job_ends_with_a_rank_that_is_killed() {
    let Some(mpi) = Mpi::find() else { return };
    for (victim, mode) in [(0, "async"), (1, "sync"), (2, "ssync:2"), (1, "rayon")] {
        let mut job = mpi.job(3, &format!("{ENDLESS} --mode {mode}")).alone().start();
        job.until_it_works();
        let processes = job.processes();
        assert_eq!(processes.len(), 3, "{job:?}");
        job.signal(victim, Signal::KILL);
        job.until("ends", Running::has_ended);
        let ended = job.end();
        // The launcher has ended them, and may itself be gone before they are.
        let end = Instant::now();
        while processes.iter().any(|id| is_alive(*id)) {
            assert!(end.elapsed() < LIMIT, "{ended:#?}");
            sleep(Duration::from_millis(20));
        }
        assert_ne!(ended.code, Some(0), "{ended:#?}");
    }
}

/// Checks that a rank that stands still for a while holds nobody up for ever.
#[test]
fn a_job_goes_on_after_a_rank_was_stopped() {
    let Some(mpi) = Mpi::find() else { return };
    let stopped = Duration::from_secs(5);
    let line = "solve --workers 1 --grid 200x200 --tolerance 1e-10 --node-balance dplb:0.05,50";
    let mut job = mpi.job(2, &format!("{line} --json")).start();
    job.until_it_works();
    job.signal(1, Signal::STOP);
    sleep(stopped);
    job.signal(1, Signal::CONT);
    let ended = job.end();
    ended.codes(0);
    let report: serde_json::Value = serde_json::from_str(&ended.ranks[0].out).unwrap();
    assert_eq!(report["converged"], true);
    assert!(number(&report, "/residual/relative") <= 1e-10, "{report:#}");
    // It cannot have been done while half of it stood still.
    assert!(number(&report, "/seconds") >= stopped.as_secs_f64(), "{report:#}");
}

/// Checks that all ranks end in order, whichever rank is asked, and that the results are reported
/// and stored.
#[test]
fn a_rank_that_is_asked_to_end_ends_all_in_order() {
    let Some(mpi) = Mpi::find() else { return };
    for (asked, signal, flags) in [
        (0, Signal::INT, "--mode async"),
        (1, Signal::TERM, "--mode async --node-balance chaos:1"),
        (2, Signal::INT, "--mode sync"),
        (1, Signal::TERM, "--mode ssync:1 --halo get"),
        (1, Signal::INT, "--mode exact"),
        (2, Signal::INT, "--mode rayon"),
    ] {
        let out = tempdir().unwrap();
        let line = format!("{ENDLESS} {flags} --out");
        let mut job = mpi.job(3, &line).arg(out.path()).start();
        job.until_it_works();
        job.signal(asked, signal);
        let ended = job.end();
        ended.codes(130);
        for part in ["interrupted: residual", "verified", "ranks", "written"] {
            assert!(ended.ranks[0].out.contains(part), "no {part} in {ended:#?}");
        }
        assert!(ended.ranks[1..].iter().all(|rank| rank.out.is_empty() && rank.err.is_empty()));
        assert_whole(out.path());
        assert_eq!(names(out.path()).len(), 11, "{:?}", names(out.path()));
        let report = summary(out.path());
        assert_eq!(report["converged"], false);
        assert!(number(&report, "/updates") > 0.0);
    }
}

/// Sends the signals that launchers pass on when a person presses Ctrl-C, or a scheduler ends a
/// job.
#[test]
fn ranks_that_are_all_asked_to_end_end_in_order() {
    let Some(mpi) = Mpi::find() else { return };
    let mut job = mpi.job(3, &format!("{ENDLESS} --quiet")).start();
    job.until_it_works();
    for rank in 0..3 {
        job.signal(rank, Signal::TERM);
    }
    let ended = job.end();
    ended.codes(130);
    assert!(ended.ranks.iter().all(|rank| rank.out.is_empty()), "{ended:#?}");
}
