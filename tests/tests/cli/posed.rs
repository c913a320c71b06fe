//! Problem files that a test writes, and every way to solve them.

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::{Array, Array2, Dimension};
use ndarray_npy::WritableElement;
use tempfile::{TempDir, tempdir};

use crate::program::{object, tresse};

/// Every way to solve a problem file.
pub const WAYS: [&str; 7] = [
    "solve --workers 2 --mode sync --balance none",
    "solve --workers 2 --mode async --balance joint:0.001",
    "solve --workers 2 --mode exact --balance pull",
    "solve --workers 2 --mode rayon",
    "solve --workers 2 --method multigrid",
    "simulate --machine laptop --workers 4",
    "simulate --machine laptop --workers 4 --method multigrid",
];

/// A folder with a problem file and its arrays.
pub struct Posed(TempDir);

impl Posed {
    pub fn new(text: &str) -> Self {
        let folder = tempdir().unwrap();
        fs::write(folder.path().join("problem.toml"), text).unwrap();
        Self(folder)
    }

    pub fn array<T: WritableElement, D: Dimension>(self, name: &str, array: &Array<T, D>) -> Self {
        ndarray_npy::write_npy(self.path(name), array).unwrap();
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Solves it in one of the ways, and returns the field.
    pub fn solved(&self, way: &str) -> Array2<f64> {
        let out = tempdir().unwrap();
        let report = self.report(way, out.path());
        assert_eq!(report["converged"], true, "{way}: {report:#}");
        ndarray_npy::read_npy(out.path().join("field.npy")).unwrap()
    }

    pub fn report(&self, way: &str, out: &Path) -> serde_json::Value {
        let mut command = tresse(way);
        command.args(["--tolerance", "1e-12", "--problem"]).arg(self.path("problem.toml"));
        object(command.arg("--out").arg(out), 0)
    }
}
