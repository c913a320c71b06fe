//! `--method multigrid` on ranks: the field, the sums and the cycles of one process, to the bit.

use std::fs;

use rustix::process::Signal;
use serde_json::Value;
use tempfile::tempdir;
use tresse::files::recording::pool::PoolRecording;
use tresse_core::run::Precision;
use tresse_core::tasks::sharing::Activity;
use tresse_tests::output_files::names;
use tresse_tests::problems::Failure;

use crate::baseline::alone;
use crate::launcher::{Mpi, number};
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
    for key in ["method", "cycles", "levels", "residual", "iterations", "converged", "end"] {
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
    // Too few rows for a band of each rank, with a share of the coarser levels where there are
    // some.
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
    for part in ["method   multigrid", "sent as messages", "interrupted: residual", "cycles"] {
        assert!(said.contains(part), "no {part} in {ended:#?}");
    }
    Ok(())
}

/// A rank that noise slows gives rows to others between cycles, and goes on giving and taking: the
/// field in its files, and the one that goes on from its checkpoints, are those of one process.
/// With `none` all rows stay.
#[test]
fn rows_move_from_a_slow_rank_and_change_no_cell() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(56, (500, 300))?;
    let noise = "--iterations 40 --noise node=1,duty=0.6";
    let mut moved = 0.0;
    for (ranks, workers, precision) in [(2, 1, Precision::F64), (3, 2, Precision::F32)] {
        let flags = format!("{noise} --node-balance rows");
        let line = format!("--method multigrid --workers {workers} --precision {precision}");
        let folder = posed.folder.path().join(format!("moved-{ranks}"));
        let saving = format!("{line} {flags} --every 1ns --checkpoint {}", folder.display());
        let report = posed.job(&mpi, ranks, &saving).object(0);
        let (_, expected) = alone(&posed, "--method multigrid --iterations 40", precision)?;
        assert_same(&posed.field(precision), &expected, &saving);
        let sent = per_rank(&report, "sent").iter().sum::<f64>();
        assert_eq!(number(&report, "/transfers"), sent, "{report:#}");
        moved += sent;
        let line = format!("--workers 1 --iterations 43 --resume {}", folder.display());
        posed.job(&mpi, ranks - 1, &line).object(0);
        let (_, expected) = alone(&posed, "--method multigrid --iterations 43", precision)?;
        assert_same(&posed.field(precision), &expected, &line);
    }
    assert!(moved > 0.0, "no row has moved in 80 cycles");
    let line = format!("--method multigrid --workers 1 {noise} --node-balance none");
    let report = posed.job(&mpi, 2, &line).object(0);
    assert_eq!(report["transfers"], 0, "{report:#}");
    Ok(())
}

/// With a coefficient, or cells that are not square, there are conjugate gradients; the grid is
/// large enough for ranks to share more than one level.
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

/// A track for each worker of each rank, from the first cycle to the end of the run; it changes
/// nothing.
#[test]
fn a_recording_shows_what_the_workers_of_all_ranks_were_at() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (ranks, workers, flags) in [(2, 2, ""), (3, 1, "--cell-size 2x1"), (1, 2, "")] {
        let folder = tempdir()?;
        let path = folder.path().join("run.tresse");
        let line = format!(
            "solve --method multigrid --workers {workers} --grid 231x198 --iterations 5 {flags}"
        );
        let plain = mpi.job(ranks, &line).object(0);
        let report = mpi.job(ranks, &format!("{line} --record")).arg(&path).object(0);
        assert_eq!(report["residual"], plain["residual"], "{line}");
        assert_eq!(names(folder.path()), ["run.tresse"], "{line}");
        let recorded = PoolRecording::read(fs::File::open(&path)?, 1 << 30)?;
        assert_eq!(recorded.head.workers, ranks * workers, "{line}");
        assert_eq!(recorded.head.cores.len(), recorded.timeline.workers.len(), "{line}");
        for tracks in recorded.timeline.workers.chunks(workers as usize) {
            let spent = |activity| tracks.iter().map(move |track| track.spent().with(activity).0);
            assert!(spent(Activity::Tasks).sum::<u64>() > 0, "{line}");
            // Whichever thread of a rank sends for all.
            assert!(spent(Activity::Messages).sum::<u64>() > 0, "{line}");
        }
    }
    Ok(())
}
