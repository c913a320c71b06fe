//! Subdomains that move between ranks: none is lost or doubled, all find their neighbours again,
//! and what they come to is the solution.

use serde_json::Value;
use tresse_core::run::Precision;
use tresse_tests::problems::Failure;

use crate::launcher::{Mpi, number};
use crate::oracles::Posed;

/// Runs that may pass until there was enough of what needs luck.
const ATTEMPTS: u64 = 30;

/// Returns a figure of each rank.
pub fn per_rank(report: &Value, key: &str) -> Vec<f64> {
    let ranks = report["per_rank"].as_array().unwrap();
    ranks.iter().map(|rank| number(rank, &format!("/{key}"))).collect()
}

/// Every subdomain is on one rank, and what ranks have counted is what is reported.
pub fn assert_sums(report: &Value) {
    let sum = |key| per_rank(report, key).iter().sum::<f64>();
    for (key, total) in [
        ("subdomains", "/subdomains"),
        ("updates", "/updates"),
        ("sent", "/transfers"),
        ("sent", "/transfers"),
        ("halo_retries", "/halo_retries"),
        ("forwards_followed", "/forwards_followed"),
        ("moves", "/moves"),
        ("rounds", "/rounds"),
    ] {
        assert_eq!(sum(key), number(report, total), "{key}: {report:#}");
    }
    // Counters travel along with their subdomains: none is swept without being counted.
    assert_eq!(sum("sweeps"), number(report, "/updates"), "{report:#}");
    assert!(per_rank(report, "subdomains").iter().all(|here| *here >= 1.0), "{report:#}");
}

/// Random moves every 2 ms until there were `moves`, and some forwards to follow.
fn chaos(
    mpi: &Mpi,
    (ranks, flags): (u32, &str),
    precision: Precision,
    wanted: f64,
) -> Result<(), Failure> {
    let posed = Posed::heterogeneous(21, (34, 30))?;
    let (mut moves, mut forwards) = (0.0, 0.0);
    for seed in 0..ATTEMPTS {
        let line = format!("{flags} --node-balance chaos:{seed} --iterations 40000");
        // How near it comes in this number of iterations is up to the machine.
        let report = posed.check(mpi, (ranks, &line), precision, 1.0)?;
        assert_sums(&report);
        moves += number(&report, "/transfers");
        forwards += number(&report, "/forwards_followed");
        if moves >= wanted && forwards > 0.0 {
            // It comes as near as is asked for, if it is let.
            let line = format!("{flags} --node-balance chaos:{seed} --tolerance 1e-4");
            posed.check(mpi, (ranks, &line), precision, 1e-4)?;
            return Ok(());
        }
    }
    Err(format!("{moves} moves and {forwards} forwards in {ATTEMPTS} runs").into())
}

#[test]
fn thousands_of_moves_lose_and_double_nothing() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    chaos(&mpi, (2, "--workers 1 --split 6"), Precision::F64, 1_000.0)?;
    chaos(&mpi, (3, "--workers 1 --split 3 --low 1"), Precision::F32, 400.0)?;
    Ok(())
}

#[test]
fn moves_between_ranks_that_only_get_lose_and_double_nothing() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    chaos(&mpi, (2, "--workers 1 --split 6 --halo get"), Precision::F64, 400.0)?;
    chaos(&mpi, (4, "--workers 1 --halo get --progress thread"), Precision::F64, 50.0)?;
    Ok(())
}

/// Checks moves between ranks and, at the same time, between the workers of each.
#[test]
fn moves_between_ranks_and_workers_lose_and_double_nothing() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let flags = "--workers 2 --split 3 --balance joint:500us --low 1 --high 12";
    chaos(&mpi, (2, flags), Precision::F64, 150.0)?;
    chaos(&mpi, (2, "--workers 2 --mode ssync:4 --halo get"), Precision::F64, 50.0)?;
    Ok(())
}

/// DPLB: the slow rank gives work away. Its subdomains have 19 times the rows of the other's, and
/// of eight it may give one: after that, as before, it is behind on any machine, so that the other
/// never gives anything.
#[test]
fn the_slow_rank_sends_subdomains_away() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for flags in ["--halo auto", "--halo get --node-rule boundary"] {
        let line = format!(
            "solve --workers 1 --split 8 --low 7 --high 16 --grid 800x600 --imbalance 0.9 \
             --iterations 20000 --node-balance dplb:0.01,200 {flags}"
        );
        let report = mpi.job(2, &line).object(0);
        assert_sums(&report);
        let [sent, left] = ["sent", "subdomains"].map(|key| per_rank(&report, key));
        assert_eq!((sent, left), (vec![0.0, 1.0], vec![9.0, 7.0]), "{report:#}");
    }
    Ok(())
}

/// Checks that nothing moves where no rank is behind by the threshold, or there is no balancer.
#[test]
fn nothing_moves_without_a_reason() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for balance in ["none", "dplb:0.01,1000000000"] {
        let line =
            format!("solve --workers 1 --grid 60x60 --iterations 2000 --node-balance {balance}");
        let report = mpi.job(2, &line).object(0);
        assert_sums(&report);
        assert_eq!(number(&report, "/transfers"), 0.0, "{report:#}");
        assert_eq!(number(&report, "/forwards_followed"), 0.0, "{report:#}");
    }
    Ok(())
}
