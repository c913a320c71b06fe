//! Sides with a flux in place of values: against closed forms, the balance of what flows in and out,
//! and the half of a symmetric problem.

use ndarray::{Array1, Array2, Axis, concatenate, s};
use tempfile::tempdir;

use crate::posed::{Posed, WAYS};
use crate::problems::example;
use crate::program::{number, object, refused, run, tresse};

fn assert_near(field: &Array2<f64>, exact: &Array2<f64>, way: &str) {
    let far = (field - exact).fold(0.0, |far: f64, error| far.max(error.abs()));
    assert!(far < 1e-7, "{way}: {far}\n{field}\n{exact}");
}

/// Through layers of unlike conductivity the same flux goes everywhere, from one end to the other.
#[test]
fn a_flux_through_layers_is_the_closed_form() {
    const LAYERS: [f64; 12] = [1.0, 1.0, 1.0, 8.0, 8.0, 0.25, 0.25, 0.25, 2.0, 2.0, 2.0, 5.0];
    let (cells, height) = (7, 0.5);
    let mut at = 2.0 + 3.0 * height / LAYERS[0];
    let mut exact = vec![at];
    for pair in LAYERS.windows(2) {
        at += 3.0 * height * (0.5 / pair[0] + 0.5 / pair[1]);
        exact.push(at);
    }
    let along = |values: &[f64]| Array2::from_shape_fn((12, cells), |(row, _)| values[row]);
    let text = |[from, to, one, other]: [&str; 4], spacing: &str| {
        format!(
            "spacing = {spacing}\nsource = 0\ninitial = 2\ncoefficient = {{ npy = \"k.npy\" }}\n[boundary]\n\
             {from} = 2\n{to} = {{ flux = 3 }}\n{one} = {{ flux = 0 }}\n{other} = {{ flux = 0 }}\n"
        )
    };
    let down = Posed::new(&text(["top", "bottom", "left", "right"], "[0.5, 2]"));
    let down = down.array("k.npy", &along(&LAYERS));
    let turned = Posed::new(&text(["left", "right", "top", "bottom"], "[2, 0.5]"));
    let turned =
        turned.array("k.npy", &along(&LAYERS).reversed_axes().as_standard_layout().into_owned());
    let mirrored = Posed::new(&text(["bottom", "top", "left", "right"], "[0.5, 2]"));
    let upside_down: Vec<f64> = LAYERS.iter().rev().copied().collect();
    let mirrored = mirrored.array("k.npy", &along(&upside_down));
    let exact = along(&exact);
    for way in WAYS {
        assert_near(&down.solved(way), &exact, way);
        assert_near(&turned.solved(way), &exact.t().to_owned(), way);
        assert_near(&mirrored.solved(way), &exact.slice(s![..;-1, ..]).to_owned(), way);
    }
}

/// What flows in and what sources bring leaves through the one side that has values.
#[test]
fn nothing_is_lost_on_the_way() {
    let text = "grid = [9, 14]\nspacing = [0.5, 2]\nsource = 0.3\n[boundary]\ntop = 1.5\n\
                left = { flux = { npy = \"q.npy\" } }\n\
                bottom = { flux = { gaussian = { amplitude = 4, width = 0.2 } } }\nright = { flux = -0.25 }\n";
    let left = Array1::from_shape_fn(9, |row| 0.1 * row as f64 - 0.3);
    let posed = Posed::new(text).array("q.npy", &left);
    let bell = |place: usize| {
        let from_middle: f64 = (place as f64 + 0.5) / 14.0 - 0.5;
        4.0 * (-0.5 * (from_middle / 0.2).powi(2)).exp()
    };
    let bottom: f64 = (0..14).map(bell).sum();
    let brought = 0.5 * left.sum() + 2.0 * bottom - 0.25 * 0.5 * 9.0 + 0.3 * 9.0 * 14.0;
    for way in WAYS {
        let field = posed.solved(way);
        // Through a face as wide as a cell, to a value as far away as a cell is high.
        let left_again: f64 = field.row(0).iter().map(|value| (value - 1.5) * 2.0 / 0.5).sum();
        assert!((left_again - brought).abs() < 1e-6, "{way}: {left_again} {brought}");
    }
}

/// A side that nothing goes through is a mirror.
#[test]
fn an_insulated_side_is_the_middle_of_a_symmetric_problem() {
    let half =
        Array2::from_shape_fn((15, 11), |(row, column)| ((row * 7 + column * 5) % 13) as f64);
    let other = half.slice(s![.., ..;-1]);
    let whole = concatenate(Axis(1), &[half.view(), other]).unwrap();
    let text = |right: &str| {
        format!(
            "source = {{ npy = \"f.npy\" }}\n[boundary]\ntop = 3\nbottom = -1\nleft = 2\nright = {right}\n"
        )
    };
    let halved = Posed::new(&text("{ flux = 0 }")).array("f.npy", &half);
    let doubled = Posed::new(&text("2")).array("f.npy", &whole);
    let exact = doubled.solved("solve --workers 2 --method multigrid");
    for way in WAYS {
        assert_near(&halved.solved(way), &exact.slice(s![.., ..11]).to_owned(), way);
    }
}

#[test]
fn the_report_and_a_recording_know_of_fluxes() {
    let posed = Posed::new("grid = [20, 20]\n[boundary]\nleft = { flux = 1 }\n");
    let (out, recording) = (tempdir().unwrap(), posed.path("run.tresse"));
    let way = format!("solve --workers 2 --record {}", recording.display());
    let report = posed.report(&way, out.path());
    let about = report["problem"].as_str().unwrap();
    assert!(about.contains("flux on the left"), "{about}");
    assert!(number(&report, "/error_estimate/largest") < 1e-6, "{report:#}");
    let replayed = object(tresse("replay").arg(&recording), 0);
    assert_eq!(replayed["equal"], true);
}

/// All the heat that the radiator brings goes out on the other side of the wall.
#[test]
fn what_a_radiator_brings_goes_through_the_wall() {
    let out = tempdir().unwrap();
    let mut command = tresse("solve --workers 2 --tolerance 1e-11 --problem");
    object(command.arg(example("wall.toml")).arg("--out").arg(out.path()), 0);
    let field: Array2<f64> = ndarray_npy::read_npy(out.path().join("field.npy")).unwrap();
    let bell = |place: usize| (-0.5 * (((place as f64 + 0.5) / 50.0 - 0.5) / 0.15).powi(2)).exp();
    let brought: f64 = (0..50).map(|place| 60.0 * bell(place) * 0.02).sum();
    let outside: f64 = field.row(0).iter().map(|value| 0.8 * value / 0.01 * 0.02).sum();
    assert!((outside / brought - 1.0).abs() < 1e-7, "{outside} {brought}");
    assert!(field[(19, 25)] > field[(19, 0)] && field[(19, 25)] > field[(10, 25)]);
}

#[test]
fn fluxes_that_cannot_be_are_named() {
    let all =
        "left = { flux = 0 }\nright = { flux = 0 }\ntop = { flux = 1 }\nbottom = { flux = -1 }";
    for (sides, parts) in [
        (all, &["problem.toml", "`boundary`", "up to a constant", "give one of them values"][..]),
        ("left = { flux = \"much\" }", &["problem.toml", "`boundary.left.flux`", "a number"]),
        ("left = { flux = { npy = \"none.npy\" } }", &["boundary.left", "none.npy"]),
        ("left = { flux = 1e308 }", &["problem.toml", "overflow"]),
        ("left = { fluks = 1 }", &["`boundary.left.fluks`", "`boundary.left.flux`"]),
    ] {
        let posed = Posed::new(&format!("spacing = 1e3\n[boundary]\n{sides}\n"));
        let mut command = tresse("solve --workers 2 --grid 20x20 --problem");
        refused(command.arg(posed.path("problem.toml")), parts);
    }
    // Nothing at all happens in a box whose only value is that of the start.
    let posed = Posed::new(
        "grid = [8, 8]\ninitial = 1\n[boundary]\nleft = 1\nright = { flux = 0 }\ntop = 1\nbottom = 1",
    );
    let ended = run(tresse("solve --workers 2 --problem").arg(posed.path("problem.toml")));
    assert_eq!(ended.code, 0, "{}", ended.err);
}
