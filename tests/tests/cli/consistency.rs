//! The figures of a report agree with each other and with the field.

use ndarray::Array2;
use serde_json::Value;
use tempfile::tempdir;

use crate::program::{field, number, object, run, tresse};

const MODES: [&str; 10] = [
    "--workers 2 --mode sync",
    "--workers 2 --mode rayon",
    "--workers 2 --mode ssync:1",
    "--workers 2 --mode async --balance none",
    "--workers 2 --mode async",
    "--workers 3 --mode async --balance joint:200us",
    "--workers 2 --mode sync --imbalance 0.4",
    "--workers 2 --mode rayon --imbalance 0.4",
    "--workers 2 --method multigrid",
    "--workers 3 --method multigrid --smoothing 1 --coarsest 1",
];

fn assert_near(found: f64, expected: f64, within: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= within * expected.abs(), "{what}: {found} is not {expected}");
}

#[test]
fn the_figures_agree() {
    for mode in MODES {
        let line = format!("solve --grid 40x36 --tolerance 1e-2 {mode}");
        let report = object(&mut tresse(&line), 0);
        let figure = |pointer| number(&report, pointer);
        let iterations = figure("/iterations");
        assert_near(figure("/updates"), iterations * figure("/subdomains"), 1e-9, mode);
        let rate = iterations * 40.0 * 36.0 / figure("/seconds");
        assert_near(figure("/cell_updates_per_second"), rate, 1e-6, mode);
        assert_near(figure("/iteration_rate"), iterations / figure("/seconds"), 1e-6, mode);
        let relative = figure("/residual/verified") / figure("/residual/initial");
        assert_near(figure("/residual/relative"), relative, 1e-9, mode);
        assert_eq!(report["converged"], Value::Bool(true));
        assert!(figure("/residual/relative") <= 1e-2, "{report:#}");
        assert!(figure("/spread/end") <= figure("/spread/max"), "{report:#}");
        assert!(figure("/staleness/mean") <= figure("/staleness/max"), "{report:#}");
    }
}

#[test]
fn the_fields_residual_is_the_verified_one() {
    for mode in MODES {
        let out = tempdir().unwrap();
        let line = format!("solve --grid 37x30 --tolerance 1e-3 {mode}");
        let report = object(tresse(&line).arg("--out").arg(out.path()), 0);
        let field = field(out.path());
        assert_eq!(field.dim(), (37, 30));
        let verified = number(&report, "/residual/verified");
        assert_near(residual(&field), verified, 1e-9, mode);
        let initial = number(&report, "/residual/initial");
        assert_near(residual(&Array2::ones((37, 30))), initial, 1e-9, mode);
    }
}

#[test]
fn synchronous_runs_repeat_to_the_bit() {
    let fields = ["sync", "sync", "rayon"].map(|mode| {
        let out = tempdir().unwrap();
        let line = format!("solve --workers 2 --grid 31x26 --iterations 50 --mode {mode}");
        object(tresse(&line).arg("--out").arg(out.path()), 0);
        field(out.path()).map(|cell| cell.to_bits())
    });
    assert_eq!(fields[0], fields[1]);
    assert_eq!(fields[0], fields[2]);
}

/// Checks that every command solves and names the same problem where no other is asked for.
#[test]
fn every_command_solves_and_names_the_standard_problem() {
    let standard = "Gaussian of height 10 on top, other sides 0, start 1";
    let small = "--cells-per-worker 8x8 --tolerance 1e-1";
    for command in ["solve --workers 2", "simulate"] {
        let report = object(&mut tresse(&format!("{command} {small}")), 0);
        assert_eq!(report["problem"], standard, "{command}");
        let told = run(&mut tresse(&format!("{command} {small}")));
        assert!(told.out.contains(&format!("problem  {standard}\n")), "{}", told.out);
    }
    let out = tempdir().unwrap();
    let line = format!("compare --workers 2 --repetitions 1 {small} --out");
    let comparison = object(tresse(&line).arg(out.path()), 0);
    assert_eq!(comparison["config"]["problem"], standard);
    let picture = std::fs::read_to_string(out.path().join("time.svg")).unwrap();
    assert!(picture.contains(standard), "the picture does not name the problem");
}

/// Returns the l2 norm of `up + down + left + right − 4u` with the paper's boundary: a bell along
/// the top, zero along the other sides.
fn residual(field: &Array2<f64>) -> f64 {
    let columns = field.ncols();
    let bell = |column: usize| {
        let position = (column as f64 + 0.5) / columns as f64;
        10.0 * (-((position - 0.5) / 0.1).powi(2) / 2.0).exp()
    };
    let beside = |row: Option<usize>, column: Option<usize>| {
        row.zip(column).and_then(|place| field.get(place)).copied().unwrap_or(0.0)
    };
    let squares = field.indexed_iter().map(|((row, column), cell)| {
        let up = row.checked_sub(1).map_or_else(|| bell(column), |up| field[(up, column)]);
        let left = beside(Some(row), column.checked_sub(1));
        let down = beside(Some(row + 1), Some(column));
        let right = beside(Some(row), Some(column + 1));
        (up + down + left + right - 4.0 * cell).powi(2)
    });
    squares.sum::<f64>().sqrt()
}
