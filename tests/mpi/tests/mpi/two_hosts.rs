//! Two hosts, which share no memory: MPI over TCP between two network namespaces, see
//! `tests/mpi/two_hosts.sh`.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use tresse_core::run::Precision;
use tresse_tests::problems::Failure;
use tresse_tests::skip::note;

use crate::launcher::{Mpi, number};
use crate::moves::assert_sums;
use crate::oracles::{Posed, assert_same, serial};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/two_hosts.sh");

/// A cable that carries 100 Mbit/s.
const SLOW: [&str; 2] = ["--rate", "100mbit"];
/// A cable that takes half a millisecond each way.
pub const LONG: [&str; 3] = ["--delay", "500", env!("CARGO_BIN_EXE_delayed_cable")];

/// Returns the launcher on the first of two hosts; none where there cannot be two, which is said.
pub fn two_hosts(cable: &[&str]) -> Option<Mpi> {
    let mpi = Mpi::find()?;
    let check = Command::new(SCRIPT).arg("--check").output().unwrap();
    if !check.status.success() {
        let said = String::from_utf8_lossy(&check.stderr);
        note(said.trim(), "run the tests as root, with ip and tc of iproute2");
        return None;
    }
    let options = cable.iter().map(OsString::from);
    Some(Mpi::by([SCRIPT.into()].into_iter().chain(options).chain(mpi.into_command())))
}

#[test]
fn ranks_on_two_hosts_in_step_are_the_serial_reference_to_the_bit() -> Result<(), Failure> {
    for cable in [&[][..], &SLOW, &LONG] {
        let Some(mpi) = two_hosts(cable) else { return Ok(()) };
        let posed = Posed::random(31, (26, 31))?;
        let expected = serial::<f64>(&posed.problem, 30);
        for mode in ["sync", "exact"] {
            let line = format!("--mode {mode} --iterations 30 --workers 1 --split 2");
            let report = posed.job(&mpi, 2, &line).object(0);
            assert_same(&posed.field(Precision::F64), &expected, &format!("{line} {cable:?}"));
            assert_eq!(number(&report, "/staleness/max"), 0.0);
        }
    }
    Ok(())
}

/// The first rank says that it knows the two.
#[test]
fn ranks_know_that_they_share_no_memory() {
    let Some(mpi) = two_hosts(&[]) else { return };
    let ended = mpi.job(2, "solve --workers 1 --grid 20x20 --iterations 5").run();
    ended.codes(0);
    assert!(ended.ranks[0].out.contains("2 nodes, edges fetched"), "{ended:#?}");
}

#[test]
fn ranks_on_two_hosts_reach_the_solution() -> Result<(), Failure> {
    for (cable, flags) in [
        (&[][..], "--node-balance none"),
        (&[], "--node-balance chaos:3"),
        (&[], "--node-balance dplb:0.02,5 --progress thread"),
        (&[], "--mode ssync:3"),
        (&SLOW, "--node-balance chaos:4 --progress thread"),
        (&LONG, "--node-balance chaos:5"),
    ] {
        let Some(mpi) = two_hosts(cable) else { return Ok(()) };
        let posed = Posed::random(32, (24, 22))?;
        let line = format!("--workers 1 --tolerance 1e-5 {flags}");
        let report = posed.check(&mpi, (2, &line), Precision::F64, 1e-5)?;
        assert_sums(&report);
    }
    Ok(())
}

/// Moves over the cable: cells, edges and forwards have to be fetched.
#[test]
fn moves_between_hosts_lose_and_double_nothing() -> Result<(), Failure> {
    let Some(mpi) = two_hosts(&[]) else { return Ok(()) };
    let posed = Posed::random(33, (24, 22))?;
    let mut moves = 0.0;
    for seed in 0..10 {
        let line = format!("--workers 1 --split 6 --iterations 20000 --node-balance chaos:{seed}");
        let report = posed.check(&mpi, (2, &line), Precision::F64, 1.0)?;
        assert_sums(&report);
        moves += number(&report, "/transfers");
        if moves >= 50.0 {
            return Ok(());
        }
    }
    Err(format!("only {moves} moves in all runs").into())
}

/// Checks that nothing is left of the hosts, whatever became of the jobs.
#[test]
fn hosts_are_taken_away() {
    let Some(mpi) = two_hosts(&[]) else { return };
    let ended = mpi.job(2, "solve --bogus").run();
    ended.codes(2);
    let names = Command::new("ip").args(["netns", "list"]).output().unwrap();
    // There is no other job at the same time, but there may be other people's namespaces.
    let ours = format!("tresse-{}", ended.launcher_id);
    assert!(!String::from_utf8_lossy(&names.stdout).contains(&ours));
    for end in ["a", "b"] {
        assert!(!Path::new("/etc/netns").join(format!("{ours}-{end}")).exists());
    }
}
