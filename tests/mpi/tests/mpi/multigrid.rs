//! `--method multigrid` on ranks: the field, the sums and the visits of one process, to the bit.

use rustix::process::Signal;
use serde_json::Value;
use tresse_core::run::Precision;
use tresse_tests::problems::Failure;

use crate::baseline::alone;
use crate::launcher::Mpi;
use crate::moves::per_rank;
use crate::oracles::{Posed, assert_same};

/// Solves on ranks and in one process; both leave the same.
fn compare(
    mpi: &Mpi,
    posed: &Posed,
    (ranks, workers, flags): (u32, u32, &str),
    precision: Precision,
) -> Result<Value, Failure> {
    let what = format!("{ranks} ranks of {workers} workers, {flags}, {precision}");
    let line = format!("--method multigrid {flags}");
    let on_ranks = format!("{line} --workers {workers} --precision {precision}");
    let report = posed.job(mpi, ranks, &on_ranks).object(0);
    let field = posed.field(precision);
    let (one, expected) = alone(posed, &format!("{line} --workers 1"), precision)?;
    assert_same(&field, &expected, &what);
    for key in ["method", "visits", "levels", "residual", "iterations", "converged", "end"] {
        assert_eq!(report[key], one[key], "{key} of {what}: {report:#}");
    }
    Ok(report)
}

#[test]
fn ranks_leave_what_one_process_leaves() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(51, (99, 70))?;
    for (ranks, workers, flags, precision) in [
        (1, 2, "--tolerance 1e-9", Precision::F64),
        (2, 1, "--tolerance 1e-9", Precision::F64),
        (3, 2, "--tolerance 1e-9 --smoothing 2 --coarsest 9", Precision::F64),
        (4, 1, "--iterations 3", Precision::F32),
    ] {
        let report = compare(&mpi, &posed, (ranks, workers, flags), precision)?;
        assert_eq!(per_rank(&report, "rank").len(), ranks as usize, "{report:#}");
    }
    // Too few rows for a band of each rank, with a share of the coarser levels where there are some.
    for shape in [(21, 90), (8, 30), (2, 3)] {
        let posed = Posed::random(52, shape)?;
        compare(&mpi, &posed, (3, 1, "--tolerance 1e-8"), Precision::F64)?;
    }
    Ok(())
}

/// Checks that the ranks' threads of noise run beside it, and that all ranks end together.
#[test]
fn noise_changes_no_cell_and_one_interrupted_rank_ends_all() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(53, (120, 60))?;
    let line = "--method multigrid --workers 1 --tolerance 1e-8";
    posed.job(&mpi, 2, line).object(0);
    let expected = posed.field(Precision::F64);
    let noisy = format!("{line} --noise node=1,duty=0.3");
    let report = posed.job(&mpi, 2, &noisy).object(0);
    assert_same(&posed.field(Precision::F64), &expected, &noisy);
    assert_eq!(report["noise"].as_array().map(Vec::len), Some(1), "{report:#}");

    let endless = "solve --method multigrid --workers 1 --grid 300x300 --iterations 1000000000";
    let mut job = mpi.job(2, endless).start();
    job.until_it_works();
    job.signal(1, Signal::TERM);
    let ended = job.end();
    ended.codes(130);
    let said = &ended.ranks[0].out;
    for part in ["method   multigrid", "sent as messages", "interrupted: residual", "visits"] {
        assert!(said.contains(part), "no {part} in {ended:#?}");
    }
    Ok(())
}

/// With a coefficient, or cells that are not square, there are conjugate gradients; the grid is large enough for ranks
/// to share more than one level.
#[test]
fn a_coefficient_leaves_the_same_on_any_number_of_ranks() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::heterogeneous(54, (43, 30))?;
    for (ranks, workers, flags, precision) in [
        (1, 2, "--tolerance 1e-8", Precision::F64),
        (3, 1, "--tolerance 1e-8 --cell-size 2x1", Precision::F64),
        (2, 2, "--iterations 3 --smoothing 2 --coarsest 9", Precision::F32),
    ] {
        compare(&mpi, &posed, (ranks, workers, flags), precision)?;
    }
    posed.check(&mpi, (2, "--method multigrid --tolerance 1e-8"), Precision::F64, 1e-8)?;
    let large = Posed::heterogeneous(55, (300, 290))?;
    for ranks in [2, 3] {
        let report = compare(&mpi, &large, (ranks, 1, "--iterations 6"), Precision::F64)?;
        assert_eq!(per_rank(&report, "rank").len(), ranks as usize, "{report:#}");
    }
    Ok(())
}
