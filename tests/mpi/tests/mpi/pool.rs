//! `tresse-mpi uts`: published counts whatever happens to the ranks, or none.

use std::thread::sleep;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;
use tempfile::tempdir;
use tresse::files::recording::{self, AnyRecording};
use tresse_core::base::time::Instant;
use tresse_core::tasks::sharing::{Activity, Method};
use tresse_tests::output_files::{assert_whole, names, summary};

use crate::launcher::{Mpi, Running, number};
use crate::two_hosts::{LONG, two_hosts};

/// Takes minutes.
const LARGE: &str = "uts --tree T3XXL --method speculative";

const COUNTS: [&str; 3] = ["/nodes", "/leaves", "/depth"];

fn counts(report: &Value) -> [f64; 3] {
    COUNTS.map(|name| number(report, name))
}

/// The published counts of T3.
const T3: [f64; 3] = [4_112_897.0, 3_599_034.0, 1_572.0];

/// A complete binary tree, for parameters with a message every few tasks: beside other work a rank
/// waits some milliseconds for each of them.
const BINARY: &str = "-t 3 -b 2 -d 13";
const BINARY_COUNTS: [f64; 3] = [16_383.0, 8_192.0, 13.0];

#[test]
fn every_method_counts_the_same_on_any_number_of_ranks() {
    let Some(mpi) = Mpi::find() else { return };
    for method in Method::NAMES {
        for ranks in [2, 3] {
            let report = mpi.job(ranks, &format!("uts --tree T3 --method {method}")).object(0);
            assert_eq!(counts(&report), T3, "{method}, {ranks}");
            assert_eq!(
                (&report["as_published"], &report["method"]),
                (&true.into(), &(*method).into())
            );
            let workers = report["by_worker"].as_array().unwrap();
            let done = workers.iter().map(|it| number(it, "/executed") + number(it, "/committed"));
            assert_eq!((done.sum::<f64>(), workers.len()), (T3[0], ranks as usize), "{report:#}");
        }
    }
}

#[test]
fn one_rank_dedicated_managers_and_parameters_at_their_bounds_change_no_count() {
    let Some(mpi) = Mpi::find() else { return };
    for (ranks, flags) in [
        (1, ""),
        (3, "--manager dedicated"),
        (2, "--method speculative-stealing --chunk 128 --copies 4 --window 128"),
    ] {
        let report = mpi.job(ranks, &format!("uts --tree T3 {flags}")).object(0);
        assert_eq!(counts(&report), T3, "{flags}");
    }
    for flags in [
        "--manager dedicated --method sharing --chunk 4 --interval 16",
        "--method speculative --release interval --arbitration task --chunk 4 --interval 4",
    ] {
        let report = mpi.job(2, &format!("uts {BINARY} {flags}")).object(0);
        assert_eq!(counts(&report), BINARY_COUNTS, "{flags}");
    }
}

/// Keys of the shares of a worker's time.
const SHARES: [&str; 6] =
    ["/busy", "/speculating", "/searching", "/idle", "/managing", "/messaging"];

/// The first rank has what all were at, from one beginning to one end.
#[test]
fn the_timeline_has_all_ranks_and_adds_up() {
    let Some(mpi) = Mpi::find() else { return };
    let t3 = "--tree T3";
    for (ranks, tree, flags, managing) in [
        (1, t3, "", true),
        (3, BINARY, "--method sharing --chunk 4 --interval 16", true),
        (3, t3, "--manager dedicated --method speculative", false),
    ] {
        let folder = tempdir().unwrap();
        let (out, path) = (folder.path().join("out"), folder.path().join("pool.tresse"));
        let line = format!("uts {tree} {flags} --out {} --record", out.display());
        let report = mpi.job(ranks, &line).arg(&path).object(0);
        assert_eq!(counts(&report), if tree == t3 { T3 } else { BINARY_COUNTS }, "{line}");
        let seconds = number(&report, "/seconds");
        let workers = report["by_worker"].as_array().unwrap();
        for worker in workers {
            let sum: f64 = SHARES.iter().map(|key| number(worker, key)).sum();
            assert!((sum / seconds - 1.0).abs() < 1e-6, "{sum} of {seconds}: {report:#}");
        }
        let sum: f64 = SHARES.iter().map(|key| number(&report, key)).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{report:#}");
        assert_eq!(number(&report, "/managing") > 0.0, managing, "{report:#}");
        assert_eq!(names(folder.path()), ["out", "pool.tresse"]);
        assert_eq!(summary(&out), report);
        assert_whole(&out);
        let Ok(AnyRecording::Pool(recording)) = recording::open_any(&path, 1 << 30) else {
            panic!("{line}: no recording of a pool");
        };
        let timeline = &recording.timeline;
        assert_eq!((timeline.workers.len(), timeline.managers.len()), (workers.len(), 1));
        assert!((timeline.end().seconds() - seconds).abs() < 1e-8, "{report:#}");
        for (track, worker) in timeline.workers.iter().zip(workers) {
            let busy = track.spent().with(Activity::Tasks).seconds();
            assert!((busy - number(worker, "/busy")).abs() < 1e-8 * seconds, "{report:#}");
            assert_eq!(track.spent().total(), timeline.end().since(Instant::ZERO));
        }
    }
}

/// Most of them never get any.
#[test]
fn more_ranks_than_tasks() {
    let Some(mpi) = Mpi::find() else { return };
    for method in ["adaptive", "sharing", "speculative-stealing"] {
        let line = format!("uts -t 3 -b 2 -d 1 --method {method}");
        assert_eq!(counts(&mpi.job(6, &line).object(0)), [3.0, 2.0, 1.0], "{method}");
        let line = format!("uts -t 0 -b 0 --method {method}");
        assert_eq!(counts(&mpi.job(3, &line).object(0)), [1.0, 1.0, 0.0], "{method}");
    }
}

/// The job does not outlive the rank, and nothing passes for a count.
#[test]
fn a_job_ends_with_a_rank_that_is_killed() {
    let Some(mpi) = Mpi::find() else { return };
    for victim in [0, 2] {
        let mut job = mpi.job(3, LARGE).alone().start();
        job.until_it_works();
        job.signal(victim, Signal::KILL);
        job.until("ends", Running::has_ended);
        let ended = job.end();
        assert_ne!(ended.code, Some(0), "{ended:#?}");
        assert!(!ended.ranks[0].out.contains(" nodes, "), "{ended:#?}");
        // A launcher that notices it first may kill the others before they can say a word, and says
        // so itself.
        let said: String = ended.ranks.iter().map(|rank| rank.err.as_str()).collect();
        let is_said = said.contains("what was counted so far is incomplete");
        assert!(is_said || !ended.launcher.is_empty(), "{ended:#?}");
    }
}

/// Messages wait for who stands still, be it a worker or the manager. What is on the way here stays
/// far below what there is room for; that senders hold back before it is used up is shown in
/// `host-mpi/src/rank/pool/tests.rs`.
#[test]
fn a_rank_that_was_stopped_goes_on_with_its_count() {
    let Some(mpi) = Mpi::find() else { return };
    for (stopped, flags) in [(1, "speculative"), (0, "sharing --chunk 100 --interval 4")] {
        let line = format!("uts --tree T1L --json --method {flags}");
        let mut job = mpi.job(2, &line).start();
        job.until_it_works();
        job.signal(stopped, Signal::STOP);
        sleep(Duration::from_secs(5));
        job.signal(stopped, Signal::CONT);
        let ended = job.end();
        ended.codes(0);
        let report: Value = serde_json::from_str(&ended.ranks[0].out).unwrap();
        assert_eq!(counts(&report), [102_181_082.0, 81_746_377.0, 13.0], "{flags}");
        assert!(number(&report, "/seconds") >= 5.0, "{report:#}");
    }
}

#[test]
fn a_rank_that_is_asked_to_end_ends_all() {
    let Some(mpi) = Mpi::find() else { return };
    for (asked, signal) in [(0, Signal::INT), (1, Signal::TERM)] {
        let mut job = mpi.job(3, LARGE).start();
        job.until_it_works();
        job.signal(asked, signal);
        let ended = job.end();
        ended.codes(130);
        let said = &ended.ranks[0].err;
        assert!(said.contains("interrupted after ") && said.contains("incomplete"), "{ended:#?}");
        assert!(!ended.ranks[0].out.contains(" nodes, "), "{ended:#?}");
    }
}

#[test]
fn ranks_that_cannot_count_say_why() {
    let Some(mpi) = Mpi::find() else { return };
    for (ranks, flags, parts) in [
        (1, "--manager dedicated", &["--manager dedicated", "--manager turn"][..]),
        (2, "--workers 2", &["--workers", "mpirun"]),
        (2, "--tree T9L", &["--tree", "did you mean"]),
        (2, "-t 0 -q 0.5 -m 2", &["-q", "infinite"]),
        (2, "--chunk 0", &["--chunk 0", "1 to 128"]),
        (2, "--record /proc/none/pool", &["--record /proc/none/pool", "cannot be written"]),
        (2, "--out /dev/null", &["--out /dev/null", "a file is in the way"]),
    ] {
        mpi.job(ranks, &format!("uts {flags}")).run().refused(2, parts);
    }
    let ended = mpi.job(1, "uts --tree T1").and(1, "uts --tree T5").run();
    ended.refused(2, &["ranks disagree on the command line"]);
}

#[test]
fn hosts_that_share_no_memory_share_work() {
    for cable in [&[][..], &LONG] {
        let Some(mpi) = two_hosts(cable) else { return };
        for method in ["adaptive", "speculative", "sharing", "prefetch-stealing"] {
            let report = mpi.job(2, &format!("uts --tree T3 --method {method}")).object(0);
            assert_eq!(counts(&report), T3, "{method}, {cable:?}");
        }
    }
}
