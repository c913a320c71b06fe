//! Checks the printed and the stored results of a job.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;
use tempfile::tempdir;
use tresse::platform::Platform;
use tresse_tests::output_files::{assert_whole, names, summary, table};

use crate::launcher::{Mpi, number};
use crate::moves::{assert_sums, per_rank};

/// Keys of `tresse solve --json`.
const KEYS: [&str; 32] = [
    "cpu_share",
    "error_estimate",
    "method",
    "mode",
    "balance",
    "workers",
    "sockets",
    "nodes",
    "subdomains",
    "grid",
    "problem",
    "precision",
    "seed",
    "end",
    "iterations",
    "updates",
    "seconds",
    "virtual",
    "iteration_rate",
    "cell_updates_per_second",
    "spread",
    "staleness",
    "moves",
    "transfers",
    "rounds",
    "auto",
    "residual",
    "converged",
    "noise",
    "machine",
    "version",
    "config",
];
/// Keys that ranks add.
const RANKS_KEYS: [&str; 5] = ["ranks", "halo_retries", "forwards_followed", "mpi", "per_rank"];

const SMALL: &str = "solve --workers 1 --grid 24x32 --tolerance 1e-2";

#[test]
fn the_object_is_the_solvers_and_what_ranks_add() {
    let Some(mpi) = Mpi::find() else { return };
    let line = "solve --workers 2 --grid 40x36 --tolerance 1e-3 --node-balance chaos:1";
    let report = mpi.job(3, line).object(0);
    let found: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected: Vec<_> = KEYS.into_iter().chain(RANKS_KEYS).collect();
    expected.sort_unstable();
    let mut sorted = found.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_sums(&report);
    let figure = |pointer| number(&report, pointer);
    assert_eq!((figure("/ranks"), figure("/nodes"), figure("/workers")), (3.0, 3.0, 6.0));
    assert_eq!(per_rank(&report, "rank"), [0.0, 1.0, 2.0]);
    assert!(figure("/spread/end") <= figure("/spread/max"), "{report:#}");
    let least = per_rank(&report, "least").into_iter().fold(f64::INFINITY, f64::min);
    let most = per_rank(&report, "most").into_iter().fold(0.0, f64::max);
    assert_eq!(most - least, figure("/spread/end"), "{report:#}");
    let [halos, staleness] =
        ["halos", "staleness"].map(|key| per_rank(&report, key).iter().sum::<f64>());
    assert!((staleness / halos - figure("/staleness/mean")).abs() < 1e-6, "{report:#}");
    assert_eq!(report["converged"], true);
    assert!(figure("/residual/relative") <= 1e-3);
    assert!(report["mpi"].as_str().unwrap().contains("MPI"), "{report:#}");
    let ranks = report["per_rank"].as_array().unwrap();
    assert!(ranks.iter().all(|rank| rank["cores"].as_array().unwrap().len() == 2), "{ranks:?}");
    // Ranks of one host are on its cores and sockets, each of which counts once.
    let used: BTreeSet<_> = ranks
        .iter()
        .flat_map(|rank| rank["cores"].as_array().unwrap())
        .map(Value::as_u64)
        .collect();
    let machine = Platform::detect().unwrap();
    let cores = used.len()..=machine.cores.len();
    assert!(cores.contains(&(figure("/machine/cores") as usize)), "{report:#}");
    let sockets: BTreeSet<_> = machine.cores.iter().map(|core| core.socket).collect();
    assert!((1..=sockets.len()).contains(&(figure("/sockets") as usize)), "{report:#}");
}

#[test]
fn every_file_is_there_and_nothing_else() {
    let Some(mpi) = Mpi::find() else { return };
    for ranks in [1, 3] {
        let out = tempdir().unwrap();
        let folder = out.path().join("new/folder");
        let report = mpi.job(ranks, SMALL).arg("--out").arg(&folder).object(0);
        let mut expected: Vec<_> = [
            "braid.csv",
            "braid.png",
            "braid.svg",
            "field.npy",
            "field.png",
            "field.pvti",
            "history.csv",
            "summary.json",
        ]
        .map(str::to_owned)
        .into_iter()
        .chain((0..ranks).map(|rank| format!("field_{rank}.vti")))
        .collect();
        expected.sort();
        assert_eq!(names(&folder), expected);
        assert_whole(&folder);
        assert_eq!(summary(&folder), report);
        // The last sample is of the end, and of all ranks.
        let (header, rows) = table(&folder.join("history.csv"));
        let mean = header.iter().position(|column| column == "mean").unwrap();
        let last = rows.last().unwrap()[mean].unwrap();
        assert!((last - number(&report, "/iterations")).abs() < 1e-9, "{last} {report:#}");
        let (header, rows) = table(&folder.join("braid.csv"));
        assert_eq!(header.len() as f64, number(&report, "/subdomains") + 1.0);
        let updates: f64 = rows.last().unwrap()[1..].iter().flatten().sum();
        assert_eq!(updates, number(&report, "/updates"));
    }
}

/// Files that were there and are not ours stay; those of a run before are replaced.
#[test]
fn a_second_run_replaces_the_first_and_leaves_the_rest() {
    let Some(mpi) = Mpi::find() else { return };
    let out = tempdir().unwrap();
    fs::write(out.path().join("notes.txt"), "mine").unwrap();
    mpi.job(2, SMALL).arg("--out").arg(out.path()).object(0);
    let report = mpi.job(2, SMALL).arg("--seed").arg("9").arg("--out").arg(out.path()).object(0);
    assert_eq!(summary(out.path()), report);
    assert_eq!(fs::read(out.path().join("notes.txt")).unwrap(), b"mine");
}

#[test]
fn the_first_rank_speaks_for_all() {
    let Some(mpi) = Mpi::find() else { return };
    let out = tempdir().unwrap();
    let ended = mpi.job(3, SMALL).arg("--out").arg(out.path()).run();
    ended.codes(0);
    let first = &ended.ranks[0];
    for part in [
        "ranks    3, one node",
        "rank 2: cores",
        "converged to 1e-2",
        "verified",
        "subdomains moved",
        "field_RANK.vti",
        out.path().to_str().unwrap(),
    ] {
        assert!(first.out.contains(part), "no {part} in {ended:#?}");
    }
    for rank in &ended.ranks[1..] {
        assert_eq!((rank.out.as_str(), rank.err.as_str()), ("", ""), "{ended:#?}");
    }
}

#[test]
fn a_quiet_run_says_nothing() {
    let Some(mpi) = Mpi::find() else { return };
    let ended = mpi.job(1, &format!("{SMALL} --quiet")).run();
    ended.codes(0);
    assert_eq!((ended.ranks[0].out.as_str(), ended.ranks[0].err.as_str()), ("", ""), "{ended:#?}");
    // More ranks may have a reason to warn, and say nothing else.
    let ended = mpi.job(4, &format!("{SMALL} --quiet")).run();
    ended.codes(0);
    assert!(ended.ranks.iter().all(|rank| rank.out.is_empty()), "{ended:#?}");
    assert!(ended.ranks[0].err.lines().all(|line| line.starts_with("warning: ")), "{ended:#?}");
    assert!(ended.ranks[1..].iter().all(|rank| rank.err.is_empty()), "{ended:#?}");
}

/// Checks that a run that ends before its tolerance says so with its exit code.
#[test]
fn a_run_that_ends_too_early_says_so() {
    let Some(mpi) = Mpi::find() else { return };
    let line = "solve --workers 1 --grid 60x60 --tolerance 1e-9 --iterations 20";
    let report = mpi.job(2, line).object(1);
    assert_eq!(report["converged"], false);
    assert!(number(&report, "/residual/relative") > 1e-9);
}
