//! Figures 4 and 5: time to solution, and what balancing gains under noise.

use super::{Machine, SHORTENED, all_to_solution, label, median};
use crate::methods::METHODS;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::whiskers::{Kinds, Times, boxes};
use crate::report::plots::write_pair;
use crate::reproduce::experiment::Experiment;
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::published;
use crate::reproduce::runs::{Runs, Sample, Simulated};

pub(in crate::reproduce) const TIME_TO_SOLUTION: Experiment = Experiment {
    name: "plb-tts",
    title: "Time to solution, quiet and with 19 % noise on one core",
    source: published::SPEED_UP_SOURCE,
    replicates: 10,
    evaluation: &Simulated { plan: all_to_solution, evaluate, draw, remarks: &[SHORTENED] },
};

/// The balanced method that the paper found to be the quickest.
const BEST: &str = "async(4) + split(0.001)";

fn seconds(runs: &Runs, machine: Machine, method: &str, noisy: bool) -> f64 {
    median(runs, machine, method, noisy, |sample| sample.seconds)
}

fn evaluate(runs: &Runs) -> Outcome {
    let mut outcome = Outcome::default();
    for machine in Machine::ALL {
        outcome.rows.extend(times(runs, machine));
        outcome.rows.extend(speed_ups(runs, machine));
        outcome.statements.push(quiet_order(runs, machine));
        outcome.statements.push(balanced_is_quickest(runs, machine));
    }
    outcome
}

fn times(runs: &Runs, machine: Machine) -> impl Iterator<Item = Row> {
    METHODS.iter().flat_map(move |method| {
        [false, true].map(|noisy| {
            let label = label(machine, method.name, noisy);
            let seconds = runs.figures(&label, |sample: &Sample| sample.seconds);
            Row::of(label, "virtual s", None, &seconds)
        })
    })
}

/// How much longer a method takes than the best balanced one, both with noise, in percent of its
/// own time: the paper's speed-up.
fn speed_ups(runs: &Runs, machine: Machine) -> impl Iterator<Item = Row> {
    published::SPEED_UPS.iter().map(move |(method, printed)| {
        let other = label(machine, method, true);
        let pairs = runs.pairs(&label(machine, BEST, true), &other, |sample| sample.seconds);
        let gains: Vec<f64> =
            pairs.iter().map(|(best, other)| (other / best - 1.0) * 100.0).collect();
        let label = format!("{}, gain of split over {method}, noisy", machine.name());
        Row::of(label, "%", Some(printed.value), &gains)
    })
}

fn quiet_order(runs: &Runs, machine: Machine) -> Statement {
    let time = |method| seconds(runs, machine, method, false);
    let (sync, alone, balanced) = (time("sync"), time("async(4)"), time(BEST));
    Statement::new(
        format!(
            "on {}, quiet, the asynchronous methods take the least time, and split follows close \
             behind, within 5 % (section 5.3; limit ours)",
            machine.name()
        ),
        alone < sync && balanced < sync && balanced <= 1.05 * alone,
        format!("sync {sync:.4} s, async(4) {alone:.4} s, {BEST} {balanced:.4} s"),
    )
}

fn balanced_is_quickest(runs: &Runs, machine: Machine) -> Statement {
    let time = |method| seconds(runs, machine, method, true);
    let best = time(BEST);
    let others = ["sync", "ssync(1)", "ssync(30)", "async(1)", "async(4)"];
    let listed = others.map(|method| format!("{method} {:.4} s", time(method))).join(", ");
    Statement::new(
        format!(
            "on {}, with noise, split is quicker than every unbalanced method (section 5.3)",
            machine.name()
        ),
        others.iter().all(|method| best < time(method)),
        format!("{BEST} {best:.4} s; {listed}"),
    )
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    for (machine, figure) in Machine::ALL.into_iter().zip(["Figure 4", "Figure 5"]) {
        let times: Vec<_> = METHODS
            .iter()
            .map(|method| {
                let seconds =
                    |noisy| runs.figures(&label(machine, method.name, noisy), |s| s.seconds);
                Times { name: method.name.to_owned(), seconds: [false, true].map(seconds) }
            })
            .collect();
        let title = format!("{figure}: time to solution on the virtual {}", machine.name());
        let title = runs.titled(&title);
        let stem = format!("time-{}", machine.name().to_lowercase());
        write_pair(&boxes(&times, Kinds::OF_NOISE, &title), out, &stem)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::runs::tests::runs;

    fn verdicts(quiet: [f64; 3], noisy: [f64; 3]) -> Vec<bool> {
        let mut samples = Vec::new();
        for machine in Machine::ALL {
            for method in METHODS {
                for (is_noisy, [sync, alone, balanced]) in [(false, quiet), (true, noisy)] {
                    let seconds = match method.name {
                        "sync" | "ssync(1)" | "ssync(30)" => sync,
                        "async(1)" | "async(4)" => alone,
                        _ => balanced,
                    };
                    samples.push((label(machine, method.name, is_noisy), (seconds, 0)));
                }
            }
        }
        evaluate(&runs(&samples)).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts([1.1, 1.0, 1.04], [1.3, 1.1, 1.05]), [true; 4]);
        assert_eq!(verdicts([1.1, 1.0, 1.06], [1.3, 1.1, 1.11]), [false; 4]);
        assert_eq!(verdicts([0.9, 1.0, 1.01], [1.0, 1.1, 1.05]), [false; 4]);
    }
}
