//! Checks every halo that is read: from a field above its solution, asynchronous sweeps never fall
//! below it, however old the halos are (the iteration is monotone). A halo that is not the
//! neighbour's, once, pulls cells below it.

use std::fs;

use tempfile::tempdir;
use tresse_tests::output_files::field;
use tresse_tests::problems::Failure;

use crate::launcher::{Mpi, number};

/// Runs that may pass until there were enough moves.
const ATTEMPTS: u32 = 100;
const ENOUGH: f64 = 300.0;
/// Starts at the highest value of its boundary: nowhere is the solution above that.
const PROBLEM: &str = "initial = 10.0
[boundary]
top = { gaussian = { amplitude = 10.0, centre = 0.5, width = 0.1 } }
bottom = 0.0
left = 0.0
right = 0.0
";
/// Sums of many cells are not exact.
const ROUNDING: f64 = 1e-12;

#[test]
fn a_field_above_its_solution_stays_above_it() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let folder = tempdir()?;
    let problem = folder.path().join("problem.toml");
    fs::write(&problem, PROBLEM)?;
    let run = |ranks, line: &str, name: &str| {
        let out = folder.path().join(name);
        let job = mpi.job(ranks, &format!("solve --workers 1 --grid 36x32 {line}"));
        (job.arg("--problem").arg(&problem).arg("--out").arg(&out).object(0), field(&out))
    };
    let (_, solution) = run(1, "--split 1 --tolerance 1e-13", "solution");
    for halo in ["auto", "get"] {
        let mut moves = 0.0;
        for seed in 0..ATTEMPTS {
            let line = format!("--halo {halo} --node-balance chaos:{seed} --iterations 3000");
            let (report, field) = run(4, &line, "moved");
            let below = solution.iter().zip(&field).map(|(exact, cell)| exact - cell);
            let lowest = below.fold(f64::MIN, f64::max);
            assert!(lowest < ROUNDING, "{lowest} below the solution: {report:#}");
            moves += number(&report, "/transfers");
            if moves >= ENOUGH {
                break;
            }
        }
        assert!(moves >= ENOUGH, "{moves} moves in {ATTEMPTS} runs");
    }
    Ok(())
}
