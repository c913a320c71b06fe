//! Problem files: the shipped ones, arrays, and what goes over what.

use std::path::{Path, PathBuf};

use ndarray::{Array1, Array2, array};
use serde_json::json;
use tempfile::tempdir;

use crate::program::{field, number, object, tresse};

pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-cli/examples/problems").join(name)
}

#[test]
fn the_papers_problem_written_out_is_the_default() {
    let fields = [None, Some(example("paper.toml"))].map(|problem| {
        let out = tempdir().unwrap();
        let mut command = tresse("solve --workers 2 --grid 30x31 --mode sync --iterations 40");
        if let Some(problem) = problem {
            command.arg("--problem").arg(problem);
        }
        object(command.arg("--out").arg(out.path()), 0);
        field(out.path()).map(|cell| cell.to_bits())
    });
    assert_eq!(fields[0], fields[1]);
}

#[test]
fn poissons_equation_has_its_known_value_in_the_middle() {
    let out = tempdir().unwrap();
    let mut command = tresse("solve --workers 2");
    command.arg("--problem").arg(example("poisson.toml"));
    let report = object(command.arg("--out").arg(out.path()), 0);
    assert_eq!(report["grid"], json!([127, 127]));
    assert_eq!(report["residual"]["tolerance"], json!(1e-6), "from [run]");
    let middle = field(out.path())[(63, 63)];
    // The discretisation's own error is 0.057 h² = 3.5e-6 (extrapolated from h = 1/4 and 1/8, which
    // are solved by hand).
    assert!((middle - 0.073_671_3).abs() < 5e-6, "{middle}");
}

#[test]
fn the_terrain_keeps_within_its_border() {
    let out = tempdir().unwrap();
    let mut command = tresse("solve --workers 2 --tolerance 1e-2");
    command.arg("--problem").arg(example("terrain.toml"));
    let report = object(command.arg("--out").arg(out.path()), 0);
    assert_eq!(report["grid"], json!([170, 200]));
    let terrain: Array2<f32> = ndarray_npy::read_npy(example("terrain.npy")).unwrap();
    let sides = ["top", "bottom", "left", "right"].map(|side| {
        let path = example(&format!("terrain-{side}.npy"));
        ndarray_npy::read_npy::<_, Array1<f32>>(path).unwrap()
    });
    let given = || terrain.iter().chain(sides.iter().flatten()).copied().map(f64::from);
    let (least, most) = (given().fold(f64::MAX, f64::min), given().fold(f64::MIN, f64::max));
    let field = field(out.path());
    assert!(field.iter().all(|cell| (least..=most).contains(cell)), "{least} to {most}");
    assert!(
        field.iter().zip(&terrain).any(|(cell, before)| (cell - f64::from(*before)).abs() > 1.0)
    );
}

#[test]
fn flags_go_over_the_file_and_the_file_over_the_defaults() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("problem.toml");
    let text = "grid = [20, 24]\n[run]\nseed = 7\nsplit = 3\nmode = \"ssync:2\"\n\
                noise = [\"node=0,duty=0.1\"]\ntolerance = 0.05\nworkers = 2\nprecision = \"f32\"\n\
                imbalance = 0.25";
    std::fs::write(&file, text).unwrap();
    let report = object(tresse("solve --split 2 --low 1").arg("--problem").arg(&file), 0);
    let config = &report["config"];
    assert_eq!(config["grid"], json!([20, 24]));
    assert_eq!((&config["seed"], &config["split"]), (&json!(7), &json!(2)));
    assert_eq!((&config["mode"], &config["precision"]), (&json!("ssync:2"), &json!("f32")));
    assert_eq!((&config["workers"], &config["plb"]["low"]), (&json!(2), &json!(1)));
    assert_eq!(config["imbalance"], json!(0.25));
    assert_eq!(config["plb"]["high"], json!(3), "a default: one and a half of the split");
    assert_eq!(config["noise"], json!(["node=0,duty=0.1"]));
    assert!((number(&report, "/residual/tolerance") - 0.05).abs() < 1e-12);

    let flags = "solve --grid 12x13 --mode async --noise node=0,duty=0.2 --tolerance 0.1";
    let report = object(tresse(flags).arg("--problem").arg(&file), 0);
    let config = &report["config"];
    assert_eq!(config["grid"], json!([12, 13]));
    assert_eq!((&config["mode"], &config["noise"]), (&json!("async"), &json!(["node=0,duty=0.2"])));
}

#[test]
fn noise_anywhere_is_reported_where_it_was() {
    let noise = |seed: u32| {
        let noise = "--noise any-core=1,burst=50us,gap=1ms --noise any-node=0..1,duty=0.05..0.1";
        let line = format!("solve --grid 30x30 --iterations 300 {noise} --seed {seed}");
        let report = object(&mut tresse(&line), 0);
        let asked = report["config"]["noise"].as_array().unwrap().clone();
        let made = report["noise"].as_array().unwrap();
        assert!(made.iter().all(|made| asked.contains(&made["source"])), "{report:#}");
        assert!(asked.iter().all(|asked| made.iter().any(|made| made["source"] == *asked)));
        assert!(!report.to_string().contains("any-"), "{report:#}");
        asked
    };
    assert_eq!(noise(5), noise(5), "the seed decides");
    let several: Vec<_> = (0..8).map(noise).collect();
    let first = several[0][0].as_str().unwrap();
    assert!(first.starts_with("core=") && first.ends_with(",burst=0.00005s,gap=0.001s"), "{first}");
    assert!(several.iter().any(|noise| noise.len() == 2), "{several:?}");
    assert!(several.iter().any(|noise| noise.len() == 1), "{several:?}");
}

#[test]
fn every_array_has_its_effect() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    ndarray_npy::write_npy(path("initial.npy"), &array![[1_i32, 2, 3], [4, 5, 6]]).unwrap();
    ndarray_npy::write_npy(path("source.npy"), &array![[8.0_f64, 0.0, 0.0], [0.0, 0.0, 0.0]])
        .unwrap();
    ndarray_npy::write_npy(path("top.npy"), &array![10.0_f32, 20.0, 30.0]).unwrap();
    let text = "initial = { npy = \"initial.npy\" }\nsource = { npy = \"source.npy\" }\nspacing = 0.5\n\
                [boundary]\ntop = { npy = \"top.npy\" }\nright = 4";
    std::fs::write(path("problem.toml"), text).unwrap();
    let out = tempdir().unwrap();
    let mut command = tresse("solve --workers 1 --split 1 --mode sync --iterations 1 --problem");
    object(command.arg(path("problem.toml")).arg("--out").arg(out.path()), 0);
    // One sweep by hand: (up + down + left + right + h² f) / 4.
    let expected = array![
        [
            (10.0 + 4.0 + 0.0 + 2.0 + 2.0) / 4.0,
            (20.0 + 5.0 + 1.0 + 3.0) / 4.0,
            (30.0 + 6.0 + 2.0 + 4.0) / 4.0
        ],
        [
            (1.0 + 0.0 + 0.0 + 5.0) / 4.0,
            (2.0 + 0.0 + 4.0 + 6.0) / 4.0,
            (3.0 + 0.0 + 5.0 + 4.0) / 4.0
        ],
    ];
    assert_eq!(field(out.path()), expected);
}

/// What heat does in a plate of three materials: it follows the bar that conducts, and the block is
/// in its way.
#[test]
fn the_heat_follows_the_bar_and_stops_at_the_block() {
    let out = tempdir().unwrap();
    let mut command = tresse("solve --workers 2");
    command.arg("--problem").arg(example("plate.toml"));
    let report = object(command.arg("--out").arg(out.path()), 0);
    assert_eq!(report["grid"], json!([60, 90]));
    let field = field(out.path());
    assert!(field.iter().all(|cell| (20.0..=100.0).contains(cell)));
    let [in_bar, in_steel] = [30, 5].map(|row| field[(row, 30)]);
    assert!(in_bar > in_steel + 25.0, "{in_bar} {in_steel}");
    let (before, behind) = (field[(30, 38)], field[(30, 48)]);
    assert!(before > behind + 30.0, "{before} {behind}");
    // The problem is symmetric, and the tolerance is small.
    let turned = field.slice(ndarray::s![..;-1, ..]);
    let far = (&field - &turned).iter().fold(0.0, |far: f64, off| far.max(off.abs()));
    assert!(far < 0.2, "{far}");
}

/// One sweep by hand, with weights of faces that are short binary fractions.
#[test]
fn a_coefficient_has_its_effect_and_is_reported() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    ndarray_npy::write_npy(path("k.npy"), &array![[1.0_f64, 3.0], [1.0, 3.0]]).unwrap();
    let text = "grid = [2, 2]\ninitial = 2\nsource = 8\nspacing = 0.5\n\
                [boundary]\nleft = 4\n[coefficient]\nnpy = \"k.npy\"";
    std::fs::write(path("problem.toml"), text).unwrap();
    // (source + the neighbours by their weights) / (the weights); between the columns it is 1.5.
    let left = (2.0 + 1.0 * 0.0 + 1.0 * 2.0 + 1.0 * 4.0 + 1.5 * 2.0) / 4.5;
    let right = (2.0 + 3.0 * 0.0 + 3.0 * 2.0 + 1.5 * 2.0 + 3.0 * 0.0) / 10.5;
    for program in ["solve", "simulate --machine laptop"] {
        let out = tempdir().unwrap();
        let flags = "--workers 1 --split 1 --mode sync --iterations 1";
        let mut command = tresse(&format!("{program} {flags} --problem"));
        let report = object(command.arg(path("problem.toml")).arg("--out").arg(out.path()), 0);
        assert_eq!(field(out.path()), array![[left, right], [left, right]]);
        let told = report["problem"].as_str().unwrap();
        let expected = ", start 2, source term times a cell's area 2, coefficient a given field of 1 to 3 from ";
        assert!(told.contains(expected) && told.ends_with("k.npy, spacing 0.5x0.5"), "{told}");
        // up + down + left + right + source − centre, with the weights, before the sweep.
        let [of_left, of_right]: [f64; 2] = [11.0 - 4.5 * 2.0, 11.0 - 10.5 * 2.0];
        let expected = (2.0 * (of_left * of_left + of_right * of_right)).sqrt();
        assert!((number(&report, "/residual/initial") - expected).abs() < 1e-12, "{report:#}");
    }
}

/// A constant coefficient is the equation divided by it: the field of a coefficient of 1 and a
/// source that is so much smaller, and a residual that is so much larger.
#[test]
fn a_constant_coefficient_divides_the_source() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("problem.toml");
    let solved = |text: &str| {
        std::fs::write(&path, format!("grid = [12, 9]\n{text}\n[boundary]\ntop = 1")).unwrap();
        let out = tempdir().unwrap();
        let mut command = tresse("solve --workers 2 --mode sync --iterations 40 --problem");
        let report = object(command.arg(&path).arg("--out").arg(out.path()), 0);
        (field(out.path()), number(&report, "/residual/initial"), report["problem"].to_string())
    };
    let (with, residual, told) = solved("source = 0.5\ncoefficient = 4");
    assert!(told.contains("coefficient 4"), "{told}");
    let (without, smaller, told) = solved("source = 0.125");
    assert!(!told.contains("coefficient"), "{told}");
    assert_eq!(with, without, "4 is a power of two, so that nothing rounds");
    assert!((residual / smaller - 4.0).abs() < 1e-14);
    assert_eq!(solved("source = 0.125\ncoefficient = 1").0, without);
}

/// The flag goes over the file; both methods solve the same equation, which is not that of square
/// cells.
#[test]
fn cells_have_a_height_and_a_width() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("problem.toml");
    let solved = |text: &str, flags: &str| {
        let text = format!("grid = [33, 28]\n{text}\n[boundary]\ntop = 1");
        std::fs::write(&path, text).unwrap();
        let out = tempdir().unwrap();
        let mut command = tresse(&format!("solve {flags} --problem"));
        let report = object(command.arg(&path).arg("--out").arg(out.path()), 0);
        let image = std::fs::read(out.path().join("field.vti")).unwrap();
        (
            field(out.path()),
            report["problem"].to_string(),
            String::from_utf8_lossy(&image).into_owned(),
        )
    };
    let flags = "--workers 2 --mode sync --iterations 40";
    let (of_file, told, image) = solved("source = 0.5\nspacing = [2, 0.5]", flags);
    assert!(told.contains("cells 4 times as high as wide"), "{told}");
    assert!(image.contains(r#"Origin="0.25 1 0" Spacing="0.5 2 1""#), "{image}");
    let of_flag = |text| solved(text, &format!("{flags} --cell-size 2x0.5")).0;
    assert_eq!(of_flag("source = 0.5"), of_file);
    assert_eq!(of_flag("source = 0.5\nspacing = 0.1"), of_file);
    let (square, told, _) = solved("source = 0.5", flags);
    assert!(square != of_file && !told.contains("cells"), "{told}");

    let text = "source = 0.5\nspacing = [0.5, 1.5]";
    let (jacobi, _, _) = solved(text, "--workers 2 --tolerance 1e-11");
    let (multigrid, _, _) = solved(text, "--workers 2 --tolerance 1e-11 --method multigrid");
    let far = (&jacobi - &multigrid).iter().fold(0.0, |far: f64, off| far.max(off.abs()));
    assert!(far < 1e-7, "{far}");
}

/// Both methods solve the same equation, to the same field as far as their residuals say; how many
/// threads there are changes no bit of that of multigrid.
#[test]
fn multigrid_solves_with_a_coefficient() {
    let folder = tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let k =
        Array2::from_shape_fn(
            (33, 28),
            |(row, column)| {
                if (row / 5 + column / 4) % 2 == 0 { 1.0 } else { 200.0 }
            },
        );
    ndarray_npy::write_npy(path("k.npy"), &k).unwrap();
    let text = "source = 1\nspacing = 0.1\n[boundary]\nleft = 4\n[coefficient]\nnpy = \"k.npy\"";
    std::fs::write(path("problem.toml"), text).unwrap();
    let solved = |flags: &str| {
        let out = tempdir().unwrap();
        let mut command = tresse(&format!("solve --tolerance 1e-11 {flags} --problem"));
        let report = object(command.arg(path("problem.toml")).arg("--out").arg(out.path()), 0);
        (field(out.path()), report)
    };
    let (jacobi, of_jacobi) = solved("--workers 2");
    let (multigrid, of_multigrid) = solved("--method multigrid --workers 2");
    let far = (&jacobi - &multigrid).iter().fold(0.0, |far: f64, off| far.max(off.abs()));
    assert!(far < 1e-7, "{far}");
    assert!(number(&of_multigrid, "/iterations") < 30.0, "{of_multigrid:#}");
    let [one, other] =
        [&of_jacobi, &of_multigrid].map(|report| number(report, "/residual/initial"));
    assert!((one / other - 1.0).abs() < 1e-12);
    for workers in ["--workers 1", "--workers 3 --split 5 --noise node=0,duty=0.2"] {
        let (again, _) = solved(&format!("--method multigrid {workers}"));
        assert_eq!(again.mapv(f64::to_bits), multigrid.mapv(f64::to_bits), "{workers}");
    }
}
