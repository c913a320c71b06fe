//! Solutions: to the bit where ranks go in step, and else as near to the direct solver's as the
//! residual implies.

use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde_json::Value;
use tempfile::{TempDir, tempdir};
use tresse::files::problem::Problem;
use tresse_core::field::stencil::Real;
use tresse_core::run::{GridSize, Precision, RelativeTo, ResidualReport};
use tresse_tests::direct::{check_residual, solve_directly};
use tresse_tests::output_files::{image_of_pieces, single_field};
use tresse_tests::problem_files;
use tresse_tests::problems::{Failure, heterogeneous, random, stretched};
use tresse_tests::reference::Reference;

use crate::launcher::{Job, Mpi, number};
use crate::moves::per_rank;

/// A problem in memory and in a file.
pub struct Posed {
    pub problem: Problem,
    pub file: PathBuf,
    pub folder: TempDir,
}

impl Posed {
    /// Returns a random one: values of all kinds along the sides and in the cells.
    pub fn random(seed: u64, (rows, columns): (usize, usize)) -> Result<Self, Failure> {
        Self::of(random(seed, GridSize { rows, columns }, true))
    }

    /// Returns a random one whose coefficient is different everywhere, and whose cells are not
    /// square.
    pub fn heterogeneous(seed: u64, (rows, columns): (usize, usize)) -> Result<Self, Failure> {
        Self::of(stretched(heterogeneous(seed, random(seed, GridSize { rows, columns }, true))))
    }

    fn of(problem: Problem) -> Result<Self, Failure> {
        let folder = tempdir()?;
        let file = problem_files::write(&problem, folder.path())?;
        Ok(Self { problem, file, folder })
    }

    /// A number of ranks that solve it with the flags of `line`, and leave their files.
    pub fn job(&self, mpi: &Mpi, ranks: u32, line: &str) -> Job {
        let job = mpi.job(ranks, &format!("solve {line}"));
        job.arg("--problem").arg(&self.file).arg("--out").arg(self.out())
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Returns the field of the last run, in double precision, which is exact. It is the same in
    /// all files.
    pub fn field(&self, precision: Precision) -> Array2<f64> {
        let field = match precision {
            Precision::F32 => single_field(&self.out()),
            Precision::F64 => tresse_tests::output_files::field(&self.out()),
        };
        assert_same_image(&self.out(), &field, precision);
        field
    }

    /// Runs, and checks what it comes to: a residual within this tolerance, and a field as near to
    /// the solution as the residual implies.
    pub fn check(
        &self,
        mpi: &Mpi,
        (ranks, line): (u32, &str),
        precision: Precision,
        tolerance: f64,
    ) -> Result<Value, Failure> {
        let flags = format!("{line} --precision {precision}");
        let report = self.job(mpi, ranks, &flags).object(0);
        let reported = ResidualReport {
            initial: number(&report, "/residual/initial"),
            detected: report["residual"]["detected"].as_f64(),
            verified: number(&report, "/residual/verified"),
            relative: number(&report, "/residual/relative"),
            tolerance: report["residual"]["tolerance"].as_f64(),
            relative_to: match report["residual"]["relative_to"].as_str() {
                Some("start") => RelativeTo::Start,
                Some("problem") => RelativeTo::Problem,
                other => return Err(format!("relative to {other:?}").into()),
            },
            ..ResidualReport::default()
        };
        let field = self.field(precision);
        match precision {
            Precision::F32 => check_residual::<f32>(&self.problem, &field, reported, tolerance),
            Precision::F64 => check_residual::<f64>(&self.problem, &field, reported, tolerance),
        }
        .map_err(|error| format!("{ranks} ranks, {flags}: {error}\n{report:#}"))?;
        if precision == Precision::F64 {
            check_estimate(&self.problem, &field, &report)
                .map_err(|error| format!("{ranks} ranks, {flags}: {error}"))?;
        }
        Ok(report)
    }
}

/// The estimated error is the error within a factor of two, where rounding does not hide it.
fn check_estimate(problem: &Problem, field: &Array2<f64>, report: &Value) -> Result<(), Failure> {
    let exact = solve_directly::<f64>(problem).ok_or("no solution")?;
    let largest = (field - &exact).iter().fold(0.0, |largest: f64, error| largest.max(error.abs()));
    let estimated = number(report, "/error_estimate/largest");
    let is_hidden = largest < 1e-9 * number(report, "/error_estimate/range");
    if is_hidden || (0.5..=2.0).contains(&(estimated / largest)) {
        return Ok(());
    }
    Err(format!("the largest error is {largest}, not {estimated}").into())
}

/// The pieces of the image hold the field, bottom row first.
fn assert_same_image(folder: &Path, field: &Array2<f64>, precision: Precision) {
    let (extent, kind, data) = image_of_pieces(&folder.join("field.pvti"));
    assert_eq!(extent, format!("0 {} 0 {} 0 0", field.ncols(), field.nrows()));
    let rows = field.rows().into_iter().rev();
    let cells = rows.flatten();
    let (expected_kind, expected): (_, Vec<u8>) = match precision {
        Precision::F32 => {
            ("Float32", cells.flat_map(|cell| (*cell as f32).to_le_bytes()).collect())
        }
        Precision::F64 => ("Float64", cells.flat_map(|cell| cell.to_le_bytes()).collect()),
    };
    assert_eq!(kind, expected_kind);
    assert!(data == expected, "the image in {} is not the field", folder.display());
}

/// Plain loops over the whole grid.
pub fn serial<F: Real>(problem: &Problem, iterations: u64) -> Array2<f64> {
    let mut reference = Reference::<F>::new(problem);
    for _ in 0..iterations {
        reference.sweep();
    }
    reference.field()
}

pub fn assert_same(found: &Array2<f64>, expected: &Array2<f64>, what: &str) {
    assert_eq!(found.dim(), expected.dim(), "{what}");
    for ((place, cell), expected) in found.indexed_iter().zip(expected) {
        assert_eq!(cell.to_bits(), expected.to_bits(), "{what}: {place:?}: {cell} {expected}");
    }
}

/// Checks any number of ranks, with either way to read each other's edges.
#[test]
fn synchronous_ranks_are_the_serial_reference_to_the_bit() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::heterogeneous(11, (43, 29))?;
    let expected = serial::<f64>(&posed.problem, 60);
    for ranks in [1, 2, 3, 4, 7] {
        for flags in
            ["sync --halo auto", "sync --halo get", "exact --halo auto", "exact --halo get"]
        {
            let line = format!("--iterations 60 --workers 1 --split 2 --mode {flags}");
            let report = posed.job(&mpi, ranks, &line).object(0);
            let what = format!("{ranks} ranks, {line}");
            assert_same(&posed.field(Precision::F64), &expected, &what);
            assert_eq!(number(&report, "/spread/end"), 0.0, "{what}");
            assert_eq!(number(&report, "/staleness/max"), 0.0, "{what}");
        }
    }
    Ok(())
}

/// Checks all threads that let messages through; with several workers on each rank, uneven parts,
/// and in single precision.
#[test]
fn synchronous_ranks_are_the_serial_reference_in_every_form() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(12, (40, 37))?;
    let double = serial::<f64>(&posed.problem, 50);
    let single = serial::<f32>(&posed.problem, 50);
    for (ranks, flags, precision) in [
        (3, "--mode sync --progress poll --halo get --workers 2", Precision::F32),
        (3, "--mode sync --progress thread --halo get --workers 1", Precision::F64),
        (2, "--mode sync --progress none --workers 2 --imbalance 0.4", Precision::F64),
        (2, "--mode sync --progress thread --workers 1 --split 9", Precision::F32),
        (3, "--mode exact --progress poll --halo get --workers 2", Precision::F32),
        (2, "--mode exact --progress thread --halo get --workers 3 --balance none", Precision::F64),
        (3, "--mode exact --progress none --workers 2 --imbalance 0.4", Precision::F64),
        (4, "--mode exact --workers 1 --noise node=1,duty=0.4", Precision::F64),
    ] {
        let line = format!("--iterations 50 {flags} --precision {precision}");
        posed.job(&mpi, ranks, &line).object(0);
        let expected = if precision == Precision::F32 { &single } else { &double };
        assert_same(&posed.field(precision), expected, &format!("{ranks} ranks, {line}"));
    }
    Ok(())
}

/// Workers of a rank that are stopped in sweeps, and others of the same rank that make these; what
/// each rank has counted is reported.
#[test]
fn help_within_ranks_changes_no_cell() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(15, (160, 150))?;
    let expected = serial::<f64>(&posed.problem, 1_500);
    let noise = "--noise core=0,sleep=4ms,work=2000000";
    for (ranks, flags) in [(1, "--workers 2"), (2, "--workers 2 --halo get"), (2, "--workers 3")] {
        let line = format!("--mode exact --iterations 1500 {flags} {noise}");
        let report = posed.job(&mpi, ranks, &line).object(0);
        assert_same(&posed.field(Precision::F64), &expected, &format!("{ranks} ranks, {line}"));
        let sum = |key: &str| per_rank(&report, key).iter().sum::<f64>();
        for key in ["away", "helped"] {
            let counted = sum(&format!("visits/{key}"));
            let reported = number(&report, &format!("/{key}")) * sum("sweeps");
            assert!((reported - counted).abs() < 1e-6 * counted.max(1.0), "{key}: {report:#}");
        }
    }
    Ok(())
}

/// Workers of a rank are stopped again and again, whoever shares their cores: sooner or later all
/// ranks halt once, and go on by pulling.
#[test]
fn ranks_turn_to_pulling_together() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(16, (40, 32))?;
    let flags = "--workers 2 --balance auto --noise core=0,burst=20ms,gap=10ms";
    let turned = (0..8).map(|times| 50_000_u64 << times).find_map(|iterations| {
        let line = format!("--iterations {iterations} {flags}");
        let report = posed.job(&mpi, 2, &line).object(0);
        report.pointer("/auto/turned").filter(|turned| turned.is_object())?;
        Some(report)
    });
    let report = turned.ok_or("6 million iterations beside bursts, and nobody turned")?;
    let [at, end] = ["/auto/turned/at", "/seconds"].map(|key| number(&report, key));
    assert!(0.0 < at && at < end, "{report:#}");
    let away = per_rank(&report, "visits/away");
    assert_eq!(away.len(), 2, "both ranks pull: {report:#}");
    Ok(())
}

/// A program of one process and ranks are given the same, and leave the same field.
#[test]
fn synchronous_ranks_leave_what_one_process_leaves() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let line = "solve --grid 31x26 --mode sync --iterations 40 --quiet";
    let [one, ranks] = [tempdir()?, tempdir()?];
    let mut alone = std::process::Command::new(tresse_tests::program::TRESSE.as_path());
    alone.args(line.split(' ')).args(["--workers", "2", "--out"]).arg(one.path());
    assert!(alone.status()?.success());
    let job = mpi.job(3, line).arg("--workers").arg("1").arg("--out").arg(ranks.path());
    job.run().codes(0);
    let read = |folder: &TempDir| std::fs::read(folder.path().join("field.npy"));
    assert!(read(&one)? == read(&ranks)?, "the files differ");
    Ok(())
}

#[test]
fn every_mode_reaches_the_solution() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(13, (33, 28))?;
    for (ranks, flags, precision, tolerance) in [
        (1, "--mode async --workers 2", Precision::F64, 1e-8),
        (2, "--mode async --workers 1", Precision::F32, 1e-4),
        (2, "--mode async --workers 1 --halo get --progress thread", Precision::F64, 1e-8),
        (3, "--mode async --workers 2 --node-balance chaos:5", Precision::F32, 1e-4),
        (4, "--mode async --workers 1 --node-balance dplb:0.01,5", Precision::F64, 1e-6),
        (7, "--mode async --workers 1 --split 2 --low 1", Precision::F64, 1e-6),
        (2, "--mode ssync:0 --workers 1", Precision::F64, 1e-8),
        (3, "--mode ssync:1 --workers 1 --halo get", Precision::F64, 1e-8),
        (2, "--mode ssync:3 --workers 2 --node-balance dplb:0.01,1", Precision::F64, 1e-8),
        (
            3,
            "--workers 1 --split 6 --node-balance dplb:0.01,1 --node-rule boundary",
            Precision::F64,
            1e-6,
        ),
        (4, "--mode ssync:30 --workers 1 --node-balance chaos:6", Precision::F64, 1e-8),
        (2, "--mode exact --workers 2", Precision::F64, 1e-8),
        (3, "--mode exact --workers 1 --halo get", Precision::F64, 1e-6),
        (2, "--mode async --workers 2 --balance pull:4", Precision::F64, 1e-8),
        (3, "--mode ssync:2 --workers 2 --balance pull:1 --halo get", Precision::F32, 1e-4),
    ] {
        let line = format!("{flags} --tolerance {tolerance:e}");
        posed.check(&mpi, (ranks, &line), precision, tolerance)?;
    }
    Ok(())
}

/// Checks that no edge that is read is more sweeps behind than allowed, where nothing moves between
/// ranks.
#[test]
fn semi_synchronous_ranks_stay_within_their_bound() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    for (ranks, bound, flags) in [
        (2, 0, "--workers 1"),
        (3, 1, "--workers 1 --halo get"),
        (2, 2, "--workers 2"),
        (3, 5, "--workers 1"),
    ] {
        let line = format!("solve --grid 40x40 --mode ssync:{bound} --iterations 400 {flags}");
        let report = mpi.job(ranks, &line).object(0);
        let (staleness, spread) =
            (number(&report, "/staleness/max"), number(&report, "/spread/max"));
        assert!(staleness <= f64::from(bound), "{line}: {report:#}");
        // Subdomains that are no neighbours may be further apart, but not in step with nobody.
        assert!(spread >= staleness, "{line}: {report:#}");
    }
    Ok(())
}

/// Cells that a mask leaves out are no numbers in the files, and change nothing elsewhere.
#[test]
fn a_room_is_the_same_on_any_number_of_ranks() {
    let Some(mpi) = Mpi::find() else { return };
    let room = concat!(env!("CARGO_MANIFEST_DIR"), "/../../host-cli/examples/problems/room.toml");
    for flags in ["--method jacobi --mode sync --iterations 200", "--method multigrid"] {
        let field = |ranks: u32| {
            let out = tempdir().unwrap();
            let job = mpi.job(ranks, &format!("solve --workers 1 {flags}"));
            job.arg("--problem").arg(room).arg("--out").arg(out.path()).run();
            let field = tresse_tests::output_files::field(out.path());
            assert_same_image(out.path(), &field, Precision::F64);
            field
        };
        let (one, more) = (field(1), field(3));
        assert_same(&more, &one, flags);
        assert_eq!(one.iter().filter(|cell| cell.is_nan()).count(), 228, "{flags}");
    }
}
