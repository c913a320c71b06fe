//! `tresse-mpi solve --matrix`: what ranks come to is what one process comes to, and the solution.

use std::fs::{self, File};
use std::path::Path;

use tempfile::tempdir;
use tresse::matrix::rows::{norm, residual_norm};
use tresse::matrix::vector::VectorForm;
use tresse_tests::systems::{self, market};

use crate::launcher::{Mpi, number};
use crate::moves::assert_sums;

/// Writes a system's files, and returns the flags that name them.
fn written(linear: &systems::LinearSystem, folder: &Path) -> String {
    let (matrix, rhs) = (folder.join("A.mtx"), folder.join("b.npy"));
    fs::write(&matrix, market(&linear.matrix)).unwrap();
    VectorForm::Npy.write(&linear.rhs, File::create(&rhs).unwrap()).unwrap();
    format!("--matrix {} --rhs {}", matrix.display(), rhs.display())
}

fn solution(path: &Path) -> Vec<f64> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(2).map(|line| line.parse().unwrap()).collect()
}

#[test]
fn ranks_in_step_leave_what_one_leaves() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let linear = &systems::all()[1];
    let files = written(linear, folder.path());
    for mode in ["sync", "exact"] {
        let left = [(1, 4, ""), (2, 2, ""), (4, 1, "--halo get")].map(|(ranks, workers, halo)| {
            let out = folder.path().join(format!("{mode}-{ranks}.mtx"));
            let flags = format!("--mode {mode} --workers {workers} --split 2 --iterations 30");
            let line = format!("solve {files} {flags} {halo} --quiet --out {}", out.display());
            mpi.job(ranks, &line).run().codes(0);
            solution(&out)
        });
        assert_eq!(left[0].len(), linear.rhs.len());
        assert!(left.iter().all(|values| *values == left[0]), "{mode}");
    }
}

#[test]
fn every_system_is_solved_while_blocks_move() {
    let Some(mpi) = Mpi::find() else { return };
    for linear in systems::all().iter().filter(|linear| !linear.is_singular) {
        let folder = tempdir().unwrap();
        let files = written(linear, folder.path());
        let out = folder.path().join("x.mtx");
        let flags = "--workers 1 --split 3 --tolerance 1e-10 --node-balance chaos:2";
        let report =
            mpi.job(2, &format!("solve {files} {flags} --out {}", out.display())).object(0);
        assert_eq!(report["converged"], true, "{}: {report:#}", linear.name);
        assert_eq!(report["ranks"], 2);
        assert_sums(&report);
        let found = solution(&out);
        let residual = residual_norm(&linear.matrix, &linear.rhs, &found);
        assert_eq!(number(&report, "/residual/verified").to_bits(), residual.to_bits());
        assert!(residual <= 1e-10 * norm(linear.rhs.iter().copied()), "{}", linear.name);
        let errors = found.iter().zip(&linear.solution).map(|(found, known)| (found - known).abs());
        let most = linear.solution.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        assert!(errors.fold(0.0, f64::max) < 1e-5 * most, "{}", linear.name);
    }
}

#[test]
fn what_is_wrong_is_said_once() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let files = written(&systems::all()[0], folder.path());
    for (line, message) in [
        ("solve --matrix none.mtx --rhs none.mtx", "--matrix none.mtx"),
        (&format!("solve {files} --split 1000"), "--split 1000"),
        (&format!("solve {files} --mode rayon"), "--mode rayon"),
        (&format!("solve {files} --checkpoint folder"), "--checkpoint"),
        (&format!("solve {files} --mode sync --node-balance chaos:1"), "--node-balance"),
        (&format!("solve {files} --node-balance rows"), "--node-balance rows"),
    ] {
        mpi.job(2, line).run().refused(2, &[message]);
    }
}

/// Values that differ in the last bit lead elsewhere.
#[test]
fn ranks_that_read_other_values_make_no_run() {
    let Some(mpi) = Mpi::find() else { return };
    let folder = tempdir().unwrap();
    let linear = &systems::all()[0];
    let files = written(linear, folder.path());
    let start = |value: f64| {
        let mut bytes = Vec::new();
        VectorForm::Npy.write(&vec![value; linear.rhs.len()], &mut bytes).unwrap();
        bytes
    };
    for (other, code) in [(1.0, 0), (1.0_f64.next_up(), 2)] {
        let job = mpi.job(2, &format!("solve {files} --start x.npy --quiet"));
        let ended = job.file(0, "x.npy", &start(1.0)).file(1, "x.npy", &start(other)).run();
        match code {
            0 => ended.codes(0),
            code => ended.refused(code, &["ranks disagree on the system in its files"]),
        }
    }
}
