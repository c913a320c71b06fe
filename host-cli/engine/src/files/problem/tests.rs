//! Problem files with their arrays, on the disk.

use std::path::Path;

use ndarray::{Array1, Array2, ShapeBuilder as _, array};
use ndarray_npy::write_npy;
use tresse_core::field::grid::Side;
use tresse_core::run::GridSize;

use super::*;

const GRID: GridSize = GridSize { rows: 2, columns: 3 };

fn built(folder: &Path, text: &str) -> Result<Problem, ProblemError> {
    let file = ProblemFile::parse(text)?;
    let grid = file.grid(folder, &mut open_array)?.unwrap_or(GRID);
    let Built { problem, losses, .. } = file.build(folder, grid, &mut open_array)?;
    assert!(losses.is_empty(), "{losses:?}");
    Ok(problem)
}

#[test]
fn arrays_of_every_kind_and_order_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let numbers = array![[1, 2, 3], [4, 5, 6]];
    let path = folder.path().join("a.npy");
    let text = "initial = { npy = \"a.npy\" }\nsource = { npy = \"a.npy\" }\nspacing = 0.5";
    let check = || {
        let problem = built(folder.path(), text).unwrap();
        assert_eq!(problem.grid, GRID);
        let scaled = |by: f64| CellValues::Values {
            columns: 3,
            values: (1..=6).map(|number| by * f64::from(number)).collect(),
        };
        assert_eq!((problem.initial, problem.source), (scaled(1.0), scaled(0.25)));
    };
    write_npy(&path, &numbers.mapv(f64::from)).unwrap();
    check();
    write_npy(&path, &numbers.mapv(|n| n as f32)).unwrap();
    check();
    write_npy(&path, &numbers.mapv(i64::from)).unwrap();
    check();
    write_npy(&path, &numbers.mapv(|n| u8::try_from(n).unwrap())).unwrap();
    check();
    write_npy(&path, &numbers.mapv(|n| i16::try_from(n).unwrap())).unwrap();
    check();
    let mut fortran = Array2::<i32>::zeros((2, 3).f());
    fortran.assign(&numbers);
    write_npy(&path, &fortran).unwrap();
    check();
}

#[test]
fn sides_take_arrays_of_their_own_length() {
    let folder = tempfile::tempdir().unwrap();
    write_npy(folder.path().join("three.npy"), &Array1::from_vec(vec![7.0, 8.0, 9.0])).unwrap();
    let top = built(folder.path(), "[boundary]\ntop = { npy = \"three.npy\" }").unwrap();
    assert!((top.boundary.value(Side::Top, 2, 3) - 9.0).abs() < 1e-15);
    let left = built(folder.path(), "[boundary]\nleft = { npy = \"three.npy\" }").unwrap_err();
    let text = left.to_string();
    assert!(text.contains("boundary.left") && text.contains("[2]"), "{text}");
}

#[test]
fn bad_arrays_are_named_with_their_key_and_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    write_npy(at("nan.npy"), &array![[0.0, f64::NAN, 0.0], [0.0, 0.0, 0.0]]).unwrap();
    write_npy(at("large.npy"), &Array2::<f32>::zeros((4, 4))).unwrap();
    write_npy(at("flat.npy"), &Array1::<f32>::zeros(6)).unwrap();
    write_npy(at("empty.npy"), &Array2::<f32>::zeros((0, 3))).unwrap();
    write_npy(at("good.npy"), &Array2::<f32>::zeros((2, 3))).unwrap();
    std::fs::write(at("text.npy"), "1 2 3").unwrap();
    let good = std::fs::read(at("good.npy")).unwrap();
    std::fs::write(at("cut.npy"), &good[..good.len() - 1]).unwrap();
    let huge = "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 3), }\n";
    let double = "{'descr': '<f16', 'fortran_order': False, 'shape': (2, 3), }\n";
    for (name, length, header) in [
        ("double.npy", u16::try_from(double.len()).unwrap(), double.to_owned()),
        ("header.npy", 65_535, String::new()),
        ("huge.npy", 70, huge.to_owned()),
        ("nested.npy", 901, "[".repeat(900) + "\n"),
    ] {
        let length: u16 = length;
        let start = [&good[..8], &length.to_le_bytes(), header.as_bytes()].concat();
        std::fs::write(at(name), [start, vec![0; 24]].concat()).unwrap();
    }
    for (name, expected) in [
        ("nan.npy", "NaN at [0, 1]"),
        ("double.npy", "type '<f16'"),
        ("large.npy", "4x4"),
        ("flat.npy", "shape [6]"),
        ("empty.npy", "shape [0, 3]"),
        ("text.npy", "numpy.save"),
        ("cut.npy", "holds 23 bytes"),
        ("header.npy", "a header of 65545 bytes"),
        ("huge.npy", "claims 1199999999988"),
        ("nested.npy", "is not an .npy file"),
        ("missing.npy", "cannot be read"),
        (".", "not a regular file"),
    ] {
        let file = format!("grid = [2, 3]\ninitial = {{ npy = \"{name}\" }}");
        let text = built(folder.path(), &file).unwrap_err().to_string();
        let complete = [expected, name, "`initial`"].iter().all(|part| text.contains(part));
        assert!(complete && !text.contains('\n'), "{name}: {text}");
    }
}

#[test]
fn large_whole_numbers_are_rounded_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let most = 1_i64 << 53;
    let numbers = array![[most, most + 1, -most - 1], [-most, 0, most + 2]];
    write_npy(folder.path().join("large.npy"), &numbers).unwrap();
    let file = ProblemFile::parse("initial = { npy = \"large.npy\" }").unwrap();
    let built = file.build(folder.path(), GRID, &mut open_array).unwrap();
    assert_eq!(built.problem.initial.at(0, 1).to_bits(), (most as f64).to_bits());
    let [loss] = built.losses.as_slice() else { panic!("{:?}", built.losses) };
    let said = loss.to_string();
    for part in ["`initial`", "large.npy", "2 of 6", "2^53"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn the_shipped_examples_can_be_solved() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/problems");
    let load = |name: &str| load(&folder.join(name)).unwrap();
    let paper = load("paper.toml");
    assert_eq!(paper.grid(&folder, &mut open_array).unwrap(), None);
    assert_eq!(paper.build(&folder, GRID, &mut open_array).unwrap().problem, Problem::paper(GRID));
    for (name, rows, columns) in
        [("poisson.toml", 127, 127), ("terrain.toml", 170, 200), ("plate.toml", 60, 90)]
    {
        let grid = load(name).grid(&folder, &mut open_array).unwrap().unwrap();
        assert_eq!(grid, GridSize { rows, columns });
        load(name).build(&folder, grid, &mut open_array).unwrap();
    }
}
