//! `--matrix`: sparse systems from files, on threads and in virtual time.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use ndarray::Array1;
use serde_json::Value;
use tempfile::{TempDir, tempdir};
use tresse::matrix::rows::{SparseRows, norm, residual_norm};
use tresse::matrix::vector::VectorForm;
use tresse_tests::systems::{self, LinearSystem, market};

use crate::program::{names, number, object, refused, run, tresse};

/// A folder with the files of a system.
struct Folder(TempDir);

impl Folder {
    fn of(linear: &LinearSystem) -> Self {
        let folder = Self(tempdir().unwrap());
        fs::write(folder.path("A.mtx"), market(&linear.matrix)).unwrap();
        folder.write("b.mtx", &linear.rhs);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, values: &[f64]) {
        let path = self.path(name);
        let form = VectorForm::of(&path).unwrap();
        form.write(values, fs::File::create(path).unwrap()).unwrap();
    }

    /// Returns the program with flags, and with the files of the system.
    fn with(&self, line: &str) -> Command {
        let mut command = tresse(line);
        command.arg("--matrix").arg(self.path("A.mtx")).arg("--rhs").arg(self.path("b.mtx"));
        command
    }
}

fn market_vector(path: &Path) -> Vec<f64> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(2).map(|line| line.parse().unwrap()).collect()
}

fn laplacian() -> LinearSystem {
    systems::all().swap_remove(0)
}

/// Checks a report and a solution against the system.
fn check(linear: &LinearSystem, report: &Value, solution: &[f64]) {
    assert_eq!(report["converged"], true, "{report:#}");
    let residual = residual_norm(&linear.matrix, &linear.rhs, solution);
    let rhs = norm(linear.rhs.iter().copied());
    assert_eq!(number(report, "/residual/verified").to_bits(), residual.to_bits());
    assert_eq!(number(report, "/residual/reference").to_bits(), rhs.to_bits());
    assert!(residual <= 1e-9 * rhs, "{residual:e}");
    let errors = solution.iter().zip(&linear.solution).map(|(found, known)| (found - known).abs());
    let most = linear.solution.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    assert!(errors.fold(0.0, f64::max) < 1e-5 * most, "{}", linear.name);
}

#[test]
fn a_system_is_solved_and_stored_in_the_form_that_is_asked_for() {
    let linear = laplacian();
    let folder = Folder::of(&linear);
    let out = |name: &str| folder.path(name);
    for (flags, name) in [
        ("solve --workers 2 --split 4", "x.mtx"),
        ("solve --workers 2 --split 3 --mode sync --overlap 2", "y.npy"),
        ("solve --workers 1 --split 5 --mode exact --overlap 0", "z.npy"),
        ("solve --workers 2 --mode ssync:3 --balance joint:0.001", "u.mtx"),
        ("simulate --machine laptop --noise core=1,duty=0.4", "folder"),
    ] {
        let mut command = folder.with(flags);
        let command = command.args(["--tolerance", "1e-9", "--out"]).arg(out(name));
        let report = object(command, 0);
        let solution = match name.rsplit_once('.') {
            Some((_, "mtx")) => market_vector(&out(name)),
            Some(_) => ndarray_npy::read_npy::<_, Array1<f64>>(out(name)).unwrap().to_vec(),
            None => market_vector(&out("folder/x.mtx")),
        };
        check(&linear, &report, &solution);
        assert_eq!(report["matrix"]["rows"], 256);
        assert_eq!(report["matrix"]["known_to_converge"], true);
    }
    let expected =
        ["braid.csv", "braid.png", "braid.svg", "history.csv", "summary.json", "x.mtx", "x.npy"];
    assert_eq!(names(&out("folder")), expected);
    let x: Array1<f64> = ndarray_npy::read_npy(out("folder/x.npy")).unwrap();
    assert_eq!(x.to_vec(), market_vector(&out("folder/x.mtx")));
}

#[test]
fn virtual_time_makes_the_same_solution_again() {
    let linear = &systems::all()[4];
    let folder = Folder::of(linear);
    let made = |flags: &str, name: &str| {
        let mut command = folder.with(flags);
        let report = object(command.arg("--out").arg(folder.path(name)), 0);
        (fs::read(folder.path(name)).unwrap(), report["seconds"].clone())
    };
    let noisy = "simulate --machine cirrus --nodes 1 --workers 4 --noise core=2,duty=0.3";
    assert_eq!(made(noisy, "a.npy"), made(noisy, "b.npy"));
    let sync = "--mode sync --iterations 20 --workers 2";
    let virtual_one = made(&format!("simulate {sync}"), "c.npy").0;
    assert_eq!(virtual_one, made(&format!("solve {sync}"), "d.npy").0);
    assert_eq!(
        virtual_one,
        made("solve --mode sync --iterations 20 --workers 1 --split 8", "e.npy").0
    );
}

#[test]
fn every_way_to_write_the_same_system() {
    let linear = laplacian();
    let folder = Folder::of(&linear);
    let x = folder.path("x.npy");
    let solved = |folder: &Folder, flags: &str| {
        let mut command = folder.with("solve --workers 1 --mode sync --iterations 5");
        object(command.args(flags.split_whitespace()).arg("--out").arg(&x), 0);
        fs::read(&x).unwrap()
    };
    let plain = solved(&folder, "");
    let lower = linear.matrix.iter().filter(|(row, column, _)| row >= column);
    let lower: Vec<_> = lower.collect();
    let text: String = lower
        .iter()
        .map(|(row, column, value)| {
            // Each in two halves, which are summed, as Fortran writes them.
            let half = format!("{} {} {}D0\n", row + 1, column + 1, value / 2.0);
            half.clone() + "\n" + &half
        })
        .collect();
    let head = "%%MatrixMarket MATRIX Coordinate Real Symmetric\n%\n\n256 256";
    fs::write(folder.path("A.mtx"), format!("{head} {}\n{text}", 2 * lower.len())).unwrap();
    assert!(solved(&folder, "") == plain, "symmetric");
    folder.write("b.npy", &linear.rhs);
    fs::rename(folder.path("b.npy"), folder.path("b2.npy")).unwrap();
    let zeros = folder.path("zeros.mtx");
    fs::write(&zeros, "%%MatrixMarket matrix coordinate integer general\n256 1 1\n4 1 0\n")
        .unwrap();
    assert!(solved(&folder, &format!("--start {}", zeros.display())) == plain, "start");
    let mut command = tresse("solve --workers 1 --mode sync --iterations 5 --out");
    command.arg(&x).arg("--matrix").arg(folder.path("A.mtx"));
    object(command.arg("--rhs").arg(folder.path("b2.npy")), 0);
    assert!(fs::read(&x).unwrap() == plain, "npy");
    // Who starts with the solution has nothing to do.
    folder.write("start.npy", &linear.solution);
    let mut command = folder.with("solve --workers 1");
    let report = object(command.arg("--start").arg(folder.path("start.npy")), 0);
    assert!(number(&report, "/residual/initial") < 1e-8 * number(&report, "/residual/reference"));
    assert_eq!(report["converged"], true);
}

#[test]
fn files_that_cannot_be_used_are_named_with_the_line() {
    let folder = Folder::of(&laplacian());
    let head = "%%MatrixMarket matrix coordinate real general\n";
    for (text, parts) in [
        (String::new(), &["line 1", "%%MatrixMarket"][..]),
        ("1 1 1\n".into(), &["line 1", "%%MatrixMarket"]),
        (head.replace("real", "complex"), &["line 1", "complex"]),
        (head.replace("general", "hermitian"), &["line 1", "complex"]),
        (head.replace("real", "pattern"), &["line 1", "pattern", "no values"]),
        (format!("{head}2 3 1\n1 1 1\n"), &["line 2", "2 rows and 3 columns", "square"]),
        (format!("{head}0 0 0\n"), &["line 2", "square"]),
        (format!("{head}2 2\n"), &["line 2", "\"2 2\"", "sizes"]),
        (format!("{head}2 2 two\n"), &["line 2", "sizes"]),
        (format!("{head}2 2 2\n1 1 1\n"), &["1 of 2 entries", "cut off"]),
        (format!("{head}2 2 1\n1 1 1\n2 2 1\n"), &["line 4", "one more entry than the 1"]),
        (format!("{head}2 2 2\n1 1 1\n3 2 1\n"), &["line 4", "row 3, column 2"]),
        (format!("{head}2 2 2\n1 1 1\n0 2 1\n"), &["line 4", "row 0, column 2"]),
        (format!("{head}2 2 2\n1 1 nan\n2 2 1\n"), &["line 3", "NaN", "finite"]),
        (format!("{head}2 2 2\n1 1 1e999\n2 2 1\n"), &["line 3", "inf", "finite"]),
        (format!("{head}2 2 2\n1 1 one\n2 2 1\n"), &["line 3", "\"1 1 one\"", "a value"]),
        (format!("{head}2 2 2\n1 1\n2 2 1\n"), &["line 3", "\"1 1\"", "a value"]),
        (format!("{head}2 2 2\n1 1 1 1\n2 2 1\n"), &["line 3", "a value"]),
        (format!("{head}3 3 2\n1 1 1\n3 3 1\n"), &["row 2", "no entry"]),
        (format!("{head}2 2 3\n1 1 1\n1 2 1\n1 1 1\n"), &["row 2", "no entry"]),
        (format!("{head}2 2 3\n1 1 1\n2 1 0\n2 2 0\n"), &["row 2", "other than 0"]),
        (format!("{head}4000000000 4000000000 1\n1 1 1\n"), &["row 2", "no entry"]),
        (format!("{head}5000000000 5000000000 1\n1 1 1\n"), &["line 2", "sizes"]),
        (format!("{head}2 2 3\n1 1 1e308\n1 1 1e308\n2 2 1\n"), &["row 1", "not finite"]),
        (
            format!(
                "{}3 3 4\n1 1 2\n2 1 -1\n2 3 -1\n3 3 2\n",
                head.replace("general", "symmetric")
            ),
            &["line 5", "row 2, column 3", "other side of the diagonal"],
        ),
        (format!("{head}2 2 2\n1 1 {}\n2 2 1\n", "1".repeat(5000)), &["line 3", "no line of text"]),
    ] {
        fs::write(folder.path("A.mtx"), &text).unwrap();
        refused(&mut folder.with("solve --workers 1"), &[parts, &["--matrix", "A.mtx"]].concat());
    }
    fs::write(folder.path("A.mtx"), b"\x1f\x8b\xff\xfe").unwrap();
    refused(&mut folder.with("solve"), &["--matrix", "A.mtx", "line 1", "not compressed"]);
    fs::remove_file(folder.path("A.mtx")).unwrap();
    refused(&mut folder.with("solve"), &["--matrix", "A.mtx", "cannot be read"]);
    fs::create_dir(folder.path("A.mtx")).unwrap();
    refused(&mut folder.with("solve"), &["--matrix", "A.mtx", "not a regular file"]);
}

#[test]
fn vectors_that_cannot_be_used_are_named() {
    let folder = Folder::of(&laplacian());
    let array = "%%MatrixMarket matrix array real general\n";
    for (text, parts) in [
        (format!("{array}255 1\n"), &["line 2", "255 rows", "256 rows"][..]),
        (format!("{array}256 2\n"), &["line 2", "2 columns", "one column"]),
        (format!("{array}256 1\n1\n2\n"), &["2 of 256 entries", "cut off"]),
        (format!("{array}256 1\n1\n\n% so\nx\n"), &["line 6", "\"x\"", "one number"]),
        (format!("{array}256 1\n-inf\n"), &["line 3", "-inf"]),
        (format!("{array}256 1\n{}", "1e200\n".repeat(256)), &["too large", "down"]),
        (format!("{array}256 1\n{}", "1e-163\n".repeat(256)), &["too small", "up"]),
    ] {
        fs::write(folder.path("b.mtx"), text).unwrap();
        refused(&mut folder.with("solve"), &[parts, &["--rhs", "b.mtx"]].concat());
    }
    let matrix = || {
        let mut command = tresse("solve --workers 1 --matrix");
        command.arg(folder.path("A.mtx"));
        command
    };
    folder.write("short.npy", &[1.0; 9]);
    ndarray_npy::write_npy(folder.path("square.npy"), &ndarray::Array2::<f64>::zeros((16, 16)))
        .unwrap();
    fs::write(folder.path("text.npy"), "1").unwrap();
    for (name, parts) in [
        ("short.npy", &["9 values", "256 rows"][..]),
        ("square.npy", &["[16, 16]", "one dimension"]),
        ("text.npy", &["not an .npy file"]),
        ("gone.npy", &["cannot be read"]),
        ("b.txt", &[".mtx or .npy"]),
    ] {
        let mut command = matrix();
        refused(command.arg("--rhs").arg(folder.path(name)), &[parts, &["--rhs", name]].concat());
    }
    refused(&mut matrix(), &["--matrix", "--rhs FILE"]);
}

#[test]
fn flags_of_grids_are_refused_by_both_names() {
    let folder = Folder::of(&laplacian());
    for (program, flag) in [
        ("solve", "--grid 5x5"),
        ("solve", "--cells-per-worker 5x5"),
        ("solve", "--problem p.toml"),
        ("solve", "--cell-size 2"),
        ("solve", "--imbalance 0.5"),
        ("solve", "--method multigrid"),
        ("solve", "--coarsest 5"),
        ("solve", "--precision f32"),
        ("solve", "--record r.tresse"),
        ("solve", "--checkpoint c"),
        ("solve", "--resume c"),
        ("simulate", "--timed-as 5x5"),
        ("simulate", "--grid 5x5"),
    ] {
        let name = flag.split(' ').next().unwrap();
        refused(&mut folder.with(&format!("{program} {flag}")), &["--matrix", name]);
    }
    for (flags, parts) in [
        ("solve --mode rayon", &["--matrix", "--mode rayon"][..]),
        ("simulate --mode rayon", &["--mode rayon"]),
        ("solve --workers 2 --split 129", &["--split 129", "258", "256 rows"]),
        ("solve --tolerance 0", &["--tolerance 0"]),
        ("solve --mode sync --balance pull", &["--balance"]),
        ("simulate --workers 9", &["--workers"]),
    ] {
        refused(&mut folder.with(flags), parts);
    }
    let alone = run(&mut tresse("solve --overlap 2"));
    assert!(alone.code == 2 && alone.err.contains("--matrix"), "{}", alone.err);
    let mut command = folder.with("solve");
    refused(command.arg("--out").arg(folder.path("b.mtx")), &["--out", "--rhs", "reads"]);
}

/// A matrix that no iteration of this kind converges for.
fn diverging() -> LinearSystem {
    let rows = 40;
    let entries = (0..rows).flat_map(|row| [(row, row, 1.0), (row, (row + 7) % rows, 3.0)]);
    let matrix = SparseRows::new(rows, entries.collect());
    let rhs = vec![1.0; 40];
    let solution = systems::eliminated(&matrix, &rhs);
    LinearSystem { name: "diverging", matrix, rhs, solution, is_singular: false }
}

#[test]
fn what_does_not_converge_says_so() {
    let folder = Folder::of(&diverging());
    for flags in ["solve --workers 2 --mode sync", "simulate --machine laptop", "solve --workers 1"]
    {
        let report = object(&mut folder.with(flags), 1);
        assert_eq!(report["converged"], false);
        assert!(["not finite", "stagnated"].contains(&report["end"].as_str().unwrap()));
        assert!(report["iteration_rate"].is_null(), "{report:#}");
        assert_eq!(report["matrix"]["known_to_converge"], false);
        let ended = run(&mut folder.with(flags));
        assert!(
            ended.err.contains("not known") && ended.err.contains("converges"),
            "{}",
            ended.err
        );
        assert!(ended.out.contains("--overlap") && !ended.out.contains("--tolerance"));
        assert!(ended.out.contains("not converged") && !ended.out.contains("\nconverged"));
    }
}

#[test]
fn a_residual_that_iterations_have_raised_is_the_reason_for_the_exit_code() {
    let folder = Folder::of(&diverging());
    let ended = run(&mut folder.with("solve --workers 2 --mode sync --iterations 2"));
    assert_eq!(ended.code, 1);
    assert!(ended.out.contains("iterations done, and the residual is larger than at the start"));
    assert!(ended.out.contains("give more --iterations"), "{}", ended.out);
}

#[test]
fn singular_systems_are_refused_or_solved_but_never_both() {
    let linear = systems::all().into_iter().find(|linear| linear.is_singular).unwrap();
    let folder = Folder::of(&linear);
    let parts = ["--matrix", "A.mtx", "singular", "100 rows from 1 to 100"];
    refused(&mut folder.with("solve --workers 1 --split 1"), &parts);
    // The blocks have inverses, and the right-hand side has solutions: they differ by a constant.
    let x = folder.path("x.mtx");
    let mut command = folder.with("solve --workers 2 --tolerance 1e-10");
    let report = object(command.arg("--out").arg(&x), 0);
    let solution = market_vector(&x);
    let residual = residual_norm(&linear.matrix, &linear.rhs, &solution);
    assert_eq!(number(&report, "/residual/verified").to_bits(), residual.to_bits());
    assert_eq!(report["matrix"]["known_to_converge"], false);
    // Without solutions it ends, and says that it has none.
    folder.write("b.mtx", &[1.0; 100]);
    let report = object(&mut folder.with("solve --workers 2 --mode sync"), 1);
    assert_eq!(report["converged"], false);
    // All of them are zero.
    folder.write("b.mtx", &[0.0; 100]);
    let report = object(&mut folder.with("solve --workers 2 --mode sync"), 0);
    assert_eq!((&report["converged"], number(&report, "/residual/verified")), (&true.into(), 0.0));
}

/// Equations of any scale are the same equations.
#[test]
fn rows_of_any_scale_are_solved() {
    let mut linear = systems::all().swap_remove(4);
    let scale = |row: u32| 10.0_f64.powi([0, -25, 20][row as usize % 3]);
    let scaled = linear.matrix.iter().map(|(row, column, value)| (row, column, value * scale(row)));
    linear.matrix = SparseRows::new(linear.matrix.len(), scaled.collect());
    linear.rhs = (0..).zip(&linear.rhs).map(|(row, value)| value * scale(row)).collect();
    let folder = Folder::of(&linear);
    let x = folder.path("x.mtx");
    // The residual is that of the rows that weigh most.
    let mut command = folder.with("solve --workers 2 --mode sync --iterations 400");
    object(command.arg("--out").arg(&x), 0);
    let errors = market_vector(&x).into_iter().zip(&linear.solution);
    assert!(errors.fold(0.0, |most: f64, (found, known)| most.max((found - known).abs())) < 1e-8);
}
