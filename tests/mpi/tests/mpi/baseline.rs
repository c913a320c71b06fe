//! `--mode rayon`, the bulk-synchronous baseline: on any number of ranks and workers the run of one
//! process, to the bit.

use std::process::Command;

use ndarray::Array2;
use serde_json::Value;
use tempfile::tempdir;
use tresse_core::run::Precision;
use tresse_tests::output_files::{self, names, single_field};
use tresse_tests::problems::Failure;
use tresse_tests::program::TRESSE;

use crate::launcher::{Mpi, number};
use crate::moves::{assert_sums, per_rank};
use crate::oracles::{Posed, assert_same, serial};

/// Returns the report and the field of one process with the same problem.
pub fn alone(
    posed: &Posed,
    line: &str,
    precision: Precision,
) -> Result<(Value, Array2<f64>), Failure> {
    let out = tempdir()?;
    let mut tresse = Command::new(TRESSE.as_path());
    tresse.args(["solve", "--json"]).args(line.split_whitespace());
    tresse.arg("--problem").arg(&posed.file).arg("--out").arg(out.path());
    let ended = tresse.args(["--precision", &precision.to_string()]).output()?;
    assert!(ended.status.success(), "{line}: {ended:?}");
    let field = match precision {
        Precision::F32 => single_field(out.path()),
        Precision::F64 => output_files::field(out.path()),
    };
    Ok((serde_json::from_slice(&ended.stdout)?, field))
}

/// Runs on ranks, and compares all that does not depend on time: with the same baseline in one
/// process of as many workers, and with the cells of the synchronous mode.
fn compare(
    mpi: &Mpi,
    posed: &Posed,
    (ranks, workers, flags): (u32, u32, &str),
    precision: Precision,
) -> Result<Value, Failure> {
    let what = format!("{ranks} ranks of {workers} workers, {flags}, {precision}");
    let line = format!("--mode rayon --workers {workers} --precision {precision} {flags}");
    let report = posed.job(mpi, ranks, &line).object(0);
    let field = posed.field(precision);
    let line = format!("--mode rayon --workers {} {flags}", ranks * workers);
    let (one, expected) = alone(posed, &line, precision)?;
    assert_same(&field, &expected, &what);
    for key in ["residual", "iterations", "updates", "subdomains", "converged", "workers", "spread"]
    {
        assert_eq!(report[key], one[key], "{key} of {what}: {report:#}");
    }
    let line = format!("--mode sync --workers 1 --iterations {}", number(&report, "/iterations"));
    let (_, expected) = alone(posed, &line, precision)?;
    assert_same(&field, &expected, &what);
    Ok(report)
}

#[test]
fn ranks_leave_what_one_process_leaves() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(31, (43, 29))?;
    let tolerance = "--tolerance 3e-2";
    for (ranks, workers, flags, precision) in [
        (1, 3, tolerance, Precision::F64),
        (2, 1, tolerance, Precision::F32),
        (2, 3, "--iterations 70", Precision::F64),
        (3, 2, tolerance, Precision::F64),
        (4, 1, "--iterations 70 --split 2", Precision::F32),
    ] {
        let report = compare(&mpi, &posed, (ranks, workers, flags), precision)?;
        if flags == tolerance {
            assert!(number(&report, "/residual/relative") <= 3e-2, "{report:#}");
            assert!(number(&report, "/iterations") > 70.0, "{report:#}");
        }
    }
    for imbalance in ["0.3", "0.8"] {
        let flags = format!("--iterations 60 --imbalance {imbalance}");
        compare(&mpi, &posed, (3, 2, &flags), Precision::F64)?;
    }
    Ok(())
}

/// Then the last workers have no band, and perhaps a whole rank has none.
#[test]
fn grids_with_fewer_rows_than_workers_are_solved() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (ranks, workers, rows, pieces) in [(2, 4, 5, 2), (2, 4, 4, 1), (3, 4, 6, 2)] {
        let posed = Posed::heterogeneous(u64::from(32 + ranks), (rows, 40))?;
        let report =
            compare(&mpi, &posed, (ranks, workers, "--iterations 50 --split 1"), Precision::F64)?;
        assert_same(
            &posed.field(Precision::F64),
            &serial::<f64>(&posed.problem, 50),
            &format!("{rows} rows on {ranks} ranks"),
        );
        assert_sums(&report);
        let names = names(&posed.out());
        assert_eq!(names.iter().filter(|name| name.ends_with(".vti")).count(), pieces, "{names:?}");
    }
    Ok(())
}

/// Checks that the measured figures are of all ranks, noise included.
#[test]
fn reports_are_of_all_ranks() {
    let Some(mpi) = Mpi::find() else { return };
    let line = "solve --mode rayon --workers 1 --grid 60x50 --tolerance 2e-2";
    let report = mpi.job(3, &format!("{line} --noise node=1,duty=0.3")).object(0);
    assert_sums(&report);
    assert_eq!(per_rank(&report, "rank"), [0.0, 1.0, 2.0]);
    assert_eq!(report["mode"], "rayon");
    assert_eq!(report["converged"], true);
    assert_eq!((number(&report, "/spread/max"), number(&report, "/transfers")), (0.0, 0.0));
    let noise = report["noise"].as_array().unwrap();
    assert_eq!(noise.len(), 1, "{report:#}");
    assert!(number(&noise[0], "/share") > 0.0, "{report:#}");
    // Whoever waits for a slow rank is as slow.
    let updates = per_rank(&report, "updates");
    assert!(updates.iter().all(|own| *own == updates[0]), "{report:#}");
    let ended = mpi.job(2, line).run();
    ended.codes(0);
    for part in ["mode     rayon", "ranks    2, one node, balance", "sent as messages", "converged"]
    {
        assert!(ended.ranks[0].out.contains(part), "no {part} in {ended:#?}");
    }
}
