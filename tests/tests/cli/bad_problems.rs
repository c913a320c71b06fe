//! Problem files that cannot be used: exit code 2 and one line that names the file and the key.

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, array};
use tempfile::{TempDir, tempdir};

use crate::program::{refused, tresse};

/// A folder with some arrays, none of which fits a grid of 4 x 5 but `good.npy`, `minus.npy` and
/// `side.npy`.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempdir().unwrap());
        ndarray_npy::write_npy(folder.path("good.npy"), &Array2::<f32>::zeros((4, 5))).unwrap();
        ndarray_npy::write_npy(folder.path("side.npy"), &Array1::<f32>::zeros(5)).unwrap();
        ndarray_npy::write_npy(folder.path("other.npy"), &Array2::<f64>::zeros((3, 5))).unwrap();
        ndarray_npy::write_npy(folder.path("none.npy"), &Array2::<f64>::zeros((0, 5))).unwrap();
        ndarray_npy::write_npy(folder.path("nan.npy"), &array![[0.0, 1.0], [f64::NAN, 2.0]])
            .unwrap();
        ndarray_npy::write_npy(folder.path("huge.npy"), &array![[0.0, 1e300], [1.0, 2.0]]).unwrap();
        let minus = Array2::from_shape_fn((4, 5), |place| if place < (3, 1) { 1.0 } else { -2.0 });
        ndarray_npy::write_npy(folder.path("minus.npy"), &minus).unwrap();
        fs::write(folder.path("text.npy"), "not an array").unwrap();
        fs::write(folder.path("lie.npy"), lying(&folder.path("good.npy"))).unwrap();
        let whole = fs::read(folder.path("good.npy")).unwrap();
        fs::write(folder.path("short.npy"), &whole[..whole.len() - 3]).unwrap();
        let mut void = whole;
        let kind = void.windows(3).position(|part| part == b"<f4").unwrap();
        void[kind..kind + 3].copy_from_slice(b"|V4");
        fs::write(folder.path("void.npy"), void).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Returns the bytes of an array whose header claims far more than there is.
fn lying(good: &Path) -> Vec<u8> {
    let bytes = fs::read(good).unwrap();
    let text = bytes.windows(6).position(|part| part == b"(4, 5)").unwrap();
    let claim = b"(4444444444, 5555555555)";
    // Taken from the padding, so that the header keeps its length.
    let padding = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let mut lie = bytes[..text].to_vec();
    lie.extend_from_slice(claim);
    lie.extend_from_slice(&bytes[text + 6..padding - (claim.len() - 6)]);
    lie.extend_from_slice(&bytes[padding..]);
    assert_eq!(lie.len(), bytes.len());
    lie
}

#[test]
fn keys_and_values() {
    let folder = Folder::new();
    let file = folder.path("problem.toml");
    for (text, parts) in [
        ("gird = [4, 5]", &["`gird`", "did you mean `grid`"][..]),
        ("[boundary]\nletf = 1", &["`boundary.letf`", "did you mean `boundary.left`"]),
        ("[run]\ntolerence = 1", &["`run.tolerence`", "did you mean `run.tolerance`"]),
        ("[run]\nmode = \"fast\"", &["`run.mode`", "ssync:N"]),
        ("grid = [0, 5]", &["`grid`", "above 0"]),
        ("grid = \"4x5\"", &["`grid`", "[rows, columns]"]),
        ("spacing = 0", &["`spacing`", "above 0"]),
        ("spacing = [1, 0]", &["`spacing`", "above 0", "from row to row"]),
        ("spacing = [1, 2, 3]", &["`spacing`", "from row to row"]),
        ("spacing = [1e-200, 1e200]", &["`spacing`", "above 0"]),
        ("spacing = [1e-80, 1e80]\n[run]\nprecision = \"f32\"", &["1e-160", "f32"]),
        ("coefficient = 0", &["`coefficient`", "above 0"]),
        ("coefficient = -1e-3", &["`coefficient`", "-0.001", "above 0"]),
        ("[coefficient]\nnpz = \"k\"", &["`coefficient.npz`", "did you mean `coefficient.npy`"]),
        ("initial = nan", &["`initial`", "finite"]),
        ("grid = [4, 5", &["line 1", "TOML"]),
        ("[run]\nlow = 9", &["--low 9", "--high 6", "[run]"]),
        ("[run]\ntolerance = -1", &["--tolerance -1", "above 0", "[run]"]),
        ("grid = [2000000, 2000000]", &["--problem", "memory", "available"]),
        ("grid = [4, 5]\n[run]\ncells-per-worker = \"9x9\"", &["4x5", "`cells-per-worker`"]),
        ("grid = [20, 20]\nsource = 1e308\n[run]\nprecision = \"f32\"", &["1e308", "f32"]),
    ] {
        fs::write(&file, text).unwrap();
        let named: &[&str] = if parts.contains(&"f32") || parts.contains(&"memory") {
            &[]
        } else {
            &["problem.toml"]
        };
        refused(tresse("solve --workers 1 --problem").arg(&file), &[parts, named].concat());
    }
}

#[test]
fn arrays() {
    let folder = Folder::new();
    let file = folder.path("problem.toml");
    let grid = "grid = [4, 5]\n";
    for (text, parts) in [
        ("initial = { npy = \"other.npy\" }", &["`initial`", "other.npy", "3x5", "4x5"][..]),
        ("source = { npy = \"other.npy\" }", &["`source`", "other.npy", "3x5", "4x5"]),
        ("coefficient = { npy = \"other.npy\" }", &["`coefficient`", "other.npy", "3x5", "4x5"]),
        ("coefficient = { npy = \"good.npy\" }", &["`coefficient`", "0 at [0, 0]", "above 0"]),
        ("coefficient = { npy = \"minus.npy\" }", &["`coefficient`", "-2 at [3, 1]", "above 0"]),
        ("initial = { npy = \"none.npy\" }", &["`initial`", "none.npy", "[0, 5]", "at least 1"]),
        ("initial = { npy = \"side.npy\" }", &["`initial`", "side.npy", "[5]", "(rows, columns)"]),
        ("initial = { npy = \"void.npy\" }", &["`initial`", "void.npy", "'|V4'", "float64"]),
        ("initial = { npy = \"text.npy\" }", &["`initial`", "text.npy", "not an .npy file"]),
        ("initial = { npy = \"gone.npy\" }", &["`initial`", "gone.npy", "cannot be read"]),
        ("initial = { npy = \".\" }", &["`initial`", "not a regular file"]),
        ("initial = { npy = \"lie.npy\" }", &["`initial`", "lie.npy", "80 bytes", "claims"]),
        ("initial = { npy = \"short.npy\" }", &["`initial`", "short.npy", "77 bytes", "claims 80"]),
        ("[boundary]\nleft = { npy = \"side.npy\" }", &["`boundary.left`", "[5]", "[4]"]),
        ("[boundary]\ntop = { npy = \"good.npy\" }", &["`boundary.top`", "[4, 5]", "[5]"]),
        ("[boundary]\ntop = { npy = \"gone.npy\" }", &["`boundary.top`", "gone.npy"]),
    ] {
        fs::write(&file, format!("{grid}{text}")).unwrap();
        let parts = [parts, &["problem.toml"]].concat();
        refused(tresse("solve --workers 1 --problem").arg(&file), &parts);
    }
    fs::write(&file, "initial = { npy = \"nan.npy\" }").unwrap();
    let parts = ["problem.toml", "`initial`", "nan.npy", "NaN at [1, 0]", "finite"];
    refused(tresse("solve --workers 1 --problem").arg(&file), &parts);
    fs::write(&file, "initial = { npy = \"huge.npy\" }").unwrap();
    refused(tresse("solve --workers 1 --precision f32 --problem").arg(&file), &["1e300", "f32"]);
}

#[test]
fn files_that_are_none() {
    let folder = Folder::new();
    for (name, parts) in [
        ("gone.toml", &["gone.toml", "cannot be read", "--problem"][..]),
        ("good.npy", &["good.npy", "--problem"]),
        (".", &["--problem", "not a folder"]),
    ] {
        refused(tresse("solve --problem").arg(folder.path(name)), parts);
    }
}

#[test]
fn flags_that_contradict_the_arrays() {
    let folder = Folder::new();
    let file = folder.path("problem.toml");
    fs::write(&file, "initial = { npy = \"good.npy\" }").unwrap();
    let parts = ["problem.toml", "`initial`", "good.npy", "4x5", "6x6"];
    refused(tresse("solve --workers 1 --grid 6x6 --problem").arg(&file), &parts);
}
