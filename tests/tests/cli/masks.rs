//! Cells that are left out: against a closed form, and against elimination of the equations of the
//! cells that stay.

use std::fs;

use ndarray::{Array1, Array2, s};
use tempfile::tempdir;

use crate::posed::{Posed, WAYS};
use crate::problems::example;
use crate::program::{number, object, refused, run, tresse};

fn masked(text: &str, mask: &Array2<u8>) -> Posed {
    Posed::new(&format!("mask = {{ npy = \"mask.npy\" }}\n{text}")).array("mask.npy", mask)
}

/// Compares the cells that stay; the others must have no number.
fn assert_near(field: &Array2<f64>, exact: &Array2<f64>, way: &str) {
    for ((place, found), wanted) in field.indexed_iter().zip(exact) {
        let is_near = if wanted.is_nan() { found.is_nan() } else { (found - wanted).abs() < 1e-7 };
        assert!(is_near, "{way}: {found} for {wanted} at {place:?}\n{field:.3}");
    }
}

/// A channel one cell wide that goes to and fro from the top to the bottom: from cell to cell values
/// rise by the same.
#[test]
fn a_channel_has_the_closed_form() {
    let (rows, columns) = (9, 6);
    let mut mask = Array2::from_elem((rows, columns), 1_u8);
    let mut channel = Vec::new();
    for row in 0..rows {
        let is_along = row % 2 == 1;
        let goes_back = row % 4 >= 2;
        let of_row: Vec<_> = if is_along {
            let way: Vec<_> = (0..columns).collect();
            if row % 4 == 1 { way } else { way.into_iter().rev().collect() }
        } else {
            vec![if goes_back { columns - 1 } else { 0 }]
        };
        channel.extend(of_row.into_iter().map(|column| (row, column)));
    }
    let mut exact = Array2::from_elem((rows, columns), f64::NAN);
    for (place, &cell) in channel.iter().enumerate() {
        mask[cell] = 0;
        exact[cell] = 3.0 * (place + 1) as f64 / (channel.len() + 1) as f64;
    }
    let text =
        "initial = 7\n[boundary]\ntop = 0\nbottom = 3\nleft = { flux = 0 }\nright = { flux = 0 }\n";
    let posed = masked(text, &mask);
    for way in WAYS {
        assert_near(&posed.solved(way), &exact, way);
    }
}

/// Returns the solution by elimination, in the cells that a path joins to a side; all sides have
/// `values`, by above, below, left and right.
fn eliminated(mask: &Array2<u8>, k: &Array2<f64>, source: f64, values: [f64; 4]) -> Array2<f64> {
    let (rows, columns) = mask.dim();
    let mut matrix = Array2::<f64>::zeros((rows * columns, rows * columns));
    let mut known = Array1::<f64>::zeros(rows * columns);
    for ((row, column), _) in mask.indexed_iter().filter(|(_, is_out)| **is_out == 0) {
        let own = row * columns + column;
        known[own] = source;
        let beside = [
            row.checked_sub(1).map(|row| (row, column)),
            Some((row + 1, column)).filter(|_| row + 1 < rows),
            column.checked_sub(1).map(|column| (row, column)),
            Some((row, column + 1)).filter(|_| column + 1 < columns),
        ];
        for (next, value) in beside.into_iter().zip(values) {
            match next {
                None => {
                    matrix[(own, own)] += k[(row, column)];
                    known[own] += k[(row, column)] * value;
                }
                Some(next) if mask[next] == 0 => {
                    let weight = 2.0 / (1.0 / k[(row, column)] + 1.0 / k[next]);
                    matrix[(own, own)] += weight;
                    matrix[(own, next.0 * columns + next.1)] -= weight;
                }
                Some(_) => {}
            }
        }
    }
    for pivot in 0..known.len() {
        for row in pivot + 1..known.len() {
            let factor = matrix[(row, pivot)] / matrix[(pivot, pivot)];
            if matrix[(row, pivot)] != 0.0 {
                let (above, mut below) =
                    matrix.multi_slice_mut((s![pivot, pivot..], s![row, pivot..]));
                below.scaled_add(-factor, &above);
                known[row] -= factor * known[pivot];
            }
        }
    }
    for row in (0..known.len()).rev() {
        let rest = matrix.slice(s![row, row + 1..]).dot(&known.slice(s![row + 1..]));
        known[row] =
            if matrix[(row, row)] > 0.0 { (known[row] - rest) / matrix[(row, row)] } else { 0.0 };
    }
    let mut field = known.into_shape_with_order((rows, columns)).unwrap();
    field.zip_mut_with(mask, |value, is_out| {
        if *is_out != 0 {
            *value = f64::NAN;
        }
    });
    field
}

/// Blocks that are left out, in a medium that is different everywhere.
#[test]
fn holes_in_a_medium_are_as_elimination_has_them() {
    let mask = Array2::from_shape_fn((17, 23), |(row, column)| {
        u8::from((row / 3 + column / 4) % 4 == 1 || (column == 0 && row > 4))
    });
    let k = Array2::from_shape_fn((17, 23), |(row, column)| {
        1.0 + ((row * 7 + column * 13) % 11) as f64 / 4.0
    });
    let text = "source = 0.1\ncoefficient = { npy = \"k.npy\" }\n[boundary]\ntop = 1\nbottom = -2\nleft = 3\nright = 0.5\n";
    // Whatever the array has where nothing is.
    let of_file =
        Array2::from_shape_fn(mask.dim(), |place| if mask[place] == 0 { k[place] } else { -1.0 });
    let posed = masked(text, &mask).array("k.npy", &of_file);
    assert_near(&posed.solved(WAYS[4]), &eliminated(&mask, &k, 0.1, [1.0, -2.0, 3.0, 0.5]), "-1");
    // Nor is it looked at where it is no number, as a field with holes is.
    let of_file = of_file.mapv(|value| if value < 0.0 { f64::NAN } else { value });
    let text = format!("initial = {{ npy = \"k.npy\" }}\n{text}");
    let posed = masked(&text, &mask).array("k.npy", &of_file);
    let exact = eliminated(&mask, &k, 0.1, [1.0, -2.0, 3.0, 0.5]);
    for way in WAYS {
        assert_near(&posed.solved(way), &exact, way);
    }
}

/// Cells that nothing joins to a side are left out as well, and said.
#[test]
fn what_a_mask_encloses_is_left_out() {
    let mut mask = Array2::<u8>::zeros((12, 12));
    for place in 3..8 {
        for cell in [(3, place), (7, place), (place, 3), (place, 7)] {
            mask[cell] = 1;
        }
    }
    let posed = masked("initial = 2\n[boundary]\ntop = 1\n", &mask);
    mask.slice_mut(s![4..7, 4..7]).fill(1);
    let exact = eliminated(&mask, &Array2::ones((12, 12)), 0.0, [1.0, 0.0, 0.0, 0.0]);
    for way in WAYS {
        assert_near(&posed.solved(way), &exact, way);
    }
    let mut command = tresse("solve --workers 2 --problem");
    let ended = run(command.arg(posed.path("problem.toml")));
    assert!(ended.err.contains("`mask`: 9 more cells are left out"), "{}", ended.err);
    assert!(ended.out.contains("cells left out"), "{}", ended.out);
}

#[test]
fn runs_with_holes_are_recorded_saved_and_gone_on_with() {
    let mask = Array2::from_shape_fn((20, 20), |(row, column)| {
        u8::from((6..12).contains(&row) && (5..15).contains(&column))
    });
    let posed = masked("[boundary]\ntop = 1\nleft = { flux = 0.1 }\n", &mask);
    let (out, recording) = (tempdir().unwrap(), posed.path("run.tresse"));
    let way = format!("solve --workers 2 --record {}", recording.display());
    let report = posed.report(&way, out.path());
    assert!(number(&report, "/error_estimate/largest") < 1e-6, "{report:#}");
    assert_eq!(object(tresse("replay").arg(&recording), 0)["equal"], true);
    let way = format!("solve --workers 2 --checkpoint {}", posed.path("saved").display());
    let mut begun = tresse(&way);
    run(begun
        .args(["--tolerance", "1e-12", "--iterations", "50", "--problem"])
        .arg(posed.path("problem.toml")));
    let way = format!("solve --workers 2 --resume {}", posed.path("saved").display());
    assert_eq!(posed.report(&way, out.path())["converged"], true);
}

/// The heat of the heater leaves by the windows.
#[test]
fn a_room_is_as_warm_as_its_windows_let_it_be() {
    let out = tempdir().unwrap();
    let mut command = tresse("solve --workers 2 --tolerance 1e-11 --problem");
    let report = object(command.arg(example("room.toml")).arg("--out").arg(out.path()), 0);
    let field: Array2<f64> = ndarray_npy::read_npy(out.path().join("field.npy")).unwrap();
    let bell = |place: usize| (-0.5 * (((place as f64 + 0.5) / 62.0 - 0.5) / 0.1).powi(2)).exp();
    let brought: f64 = (1..61).map(|place| 5.0 * bell(place) * 0.1).sum();
    let left: f64 = field.row(0).iter().filter(|cell| !cell.is_nan()).map(|cell| cell - 5.0).sum();
    assert!((left / brought - 1.0).abs() < 1e-7, "{left} {brought}");
    // Walls have no temperature.
    let highest = field.iter().copied().fold(0.0, f64::max);
    let range = number(&report, "/error_estimate/range");
    assert!((range - (highest - 5.0)).abs() < 1e-9, "{range} {highest}");
}

#[test]
fn masks_that_leave_nothing_are_named() {
    let none = Array2::<u8>::zeros((8, 8));
    let all = Array2::from_elem((8, 8), 1_u8);
    let mut around = none.clone();
    for cell in [(3, 4), (5, 4), (4, 3), (4, 5)] {
        around[cell] = 1;
    }
    let enclosed: &[&str] = &["`mask`", "mask.npy", "[4, 4]", "a source or a flux"];
    for (text, mask, parts) in [
        ("", &all, &["problem.toml", "`mask`", "mask.npy", "leaves no cell"][..]),
        ("source = 1\n", &around, enclosed),
        ("grid = [8, 9]\n", &none, &["`mask`", "mask.npy", "8x8", "8x9"]),
    ] {
        let posed = masked(text, mask);
        let mut command = tresse("solve --workers 2 --problem");
        refused(command.arg(posed.path("problem.toml")), parts);
    }
    let folder = tempdir().unwrap();
    let path = folder.path().join("problem.toml");
    fs::write(&path, "grid = [8, 8]\nmask = \"mask.npy\"\n").unwrap();
    refused(tresse("solve --problem").arg(&path), &["`mask`", "{ npy ="]);
}
