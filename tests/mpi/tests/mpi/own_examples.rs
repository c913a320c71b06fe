//! The examples of iterations of one's own across ranks, by `iterations_on_ranks`, beside what they
//! are to come to.

use std::path::Path;

use ndarray::Array1;
use tresse_tests::program::example;

#[path = "../../../tests/library/own_answers.rs"]
mod answers;
#[path = "../../../../host-cli/examples/regression/data.rs"]
#[allow(dead_code, reason = "nobody learns here")]
mod data;

const WEB: &str = "host-cli/examples/pagerank/web.txt";

/// Returns what all parts have come to; none without an MPI.
fn parts(ranks: u32, arguments: &[&str]) -> Option<Vec<Vec<f64>>> {
    let program = example("tresse-mpi", "iterations_on_ranks");
    let mut command = tresse_mpi_tests::ranks(&tresse_mpi_tests::mpirun()?, ranks, 240, &program);
    let output = command.args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("converged\n"), "{ranks} ranks: {said}{error}");
    let parts = said.lines().skip(1).zip(0..).map(|(line, id)| {
        let units = line.strip_prefix(&format!("part {id}: ")).unwrap();
        units.split_whitespace().map(|unit| unit.parse().unwrap()).collect()
    });
    Some(parts.collect())
}

/// Returns the largest difference.
fn far(found: &[f64], exact: &[f64]) -> f64 {
    assert_eq!(found.len(), exact.len());
    found.iter().zip(exact).fold(0.0, |most, (found, exact)| most.max((found - exact).abs()))
}

#[test]
fn value_iteration_on_ranks_comes_to_the_closed_form() {
    for ranks in [1, 2, 4] {
        let Some(parts) = parts(ranks, &["value_iteration"]) else { return };
        assert!(far(&parts.concat(), &answers::values()) < 1e-5, "{ranks} ranks");
    }
}

#[test]
fn pagerank_on_ranks_is_that_of_a_power_iteration() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(WEB);
    let exact = answers::ranks(&std::fs::read_to_string(&path).unwrap());
    for ranks in [1, 2, 4] {
        let Some(parts) = parts(ranks, &["pagerank", &path.to_string_lossy()]) else { return };
        let found = Array1::from(parts.concat());
        assert!(far(&(&found / found.sum()).to_vec(), &exact) < 1e-8, "{ranks} ranks");
    }
}

/// However long a rank is stopped, its shards have learned: see the test on threads.
#[test]
fn regression_on_ranks_comes_close_to_the_best_model() {
    let loss = |shards| data::loss(&answers::best_model(shards));
    let worse = loss(0..8).max(loss(8..16));
    assert!(worse > loss(0..data::SHARDS) + 0.01);
    for ranks in [1, 2] {
        let Some(parts) = parts(ranks, &["regression"]) else { return };
        let sum = parts
            .iter()
            .fold(Array1::zeros(data::FEATURES), |sum, model| sum + &Array1::from(model.clone()));
        let found = data::loss(&(sum / parts.len() as f64));
        assert!(found < worse, "{ranks} ranks: {found}, half of the data: {worse}");
    }
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let Some(mpirun) = tresse_mpi_tests::mpirun() else { return };
    let program = example("tresse-mpi", "iterations_on_ranks");
    for (ranks, arguments, expected) in [
        (1, &["pagerank"] as &[&str], "pagerank FILE"),
        (1, &["pagerank", "nothing"], "No such file"),
        (3, &["value_iteration"], "Parts { parts: 8, run: 6 }"),
    ] {
        let mut command = tresse_mpi_tests::ranks(&mpirun, ranks, 120, &program);
        let output = command.args(arguments).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{arguments:?}: {error}");
        assert!(!error.contains("panicked"), "{error}");
    }
}
