//! Figures 4 and 5: time to solution, and the gain of balancing under noise.

use super::{PaperMachine, SHORTENED, View, all_to_solution};
use crate::{Experiment, Figure, Plan, Row, Statement, above, listed, published, seconds};
use tresse_console::plots::{Kinds, Picture, Times, boxes};
use tresse_engine::experiments::methods::METHODS;

pub(crate) const TIME_TO_SOLUTION: Experiment = Experiment {
    name: "plb-tts",
    title: "Time to solution, quiet and with 19 % noise on one core",
    source: published::SPEED_UP_SOURCE,
    replicates: 10,
    plan: || Ok(Plan::of(all_to_solution(), &[SHORTENED])),
    rows: |runs| View::of_both(runs).into_iter().flat_map(rows).collect(),
    statements: |runs| View::of_both(runs).into_iter().flat_map(statements).collect(),
    pictures: |runs| View::of_both(runs).map(picture).into(),
};

/// The balanced method that the paper found to be the quickest.
const BEST: &str = "async(4) + split(0.001)";

/// Returns the times of all methods, and the gain of the best balanced one over others.
fn rows(view: View<'_>) -> Vec<Row> {
    let settings = METHODS.iter().flat_map(|method| [false, true].map(|noisy| (method, noisy)));
    let times = settings.flat_map(|(method, noisy)| {
        view.runs.rows(&view.label(method.name, noisy), [("", "virtual s", seconds as Figure)])
    });
    // How much longer a method takes than the best balanced one, both with noise, in percent of the
    // latter's time: the paper's speed-up.
    let speed_ups = published::SPEED_UPS.iter().map(|&(method, printed)| {
        let [best, other] = [BEST, method].map(|method| view.label(method, true));
        let label = format!("{}, gain of split over {method}, noisy", view.name());
        Row::of(label, "%", printed, &view.runs.increases(&best, &other, seconds))
    });
    times.chain(speed_ups).collect()
}

/// Judges the statements of section 5.3 on the time to solution.
fn statements(view: View<'_>) -> [Statement; 2] {
    let quiet = |method: &str| view.median(method, false, seconds);
    let noisy = |method: &str| view.median(method, true, seconds);
    let [sync, alone, balanced] = ["sync", "async(4)", BEST].map(quiet);
    let best = noisy(BEST);
    let others = ["sync", "ssync(1)", "ssync(30)", "async(1)", "async(4)"];
    let shown = |method: &str| format!("{:.4} s", noisy(method));
    [
        view.says(
            "quiet, the asynchronous methods take the least time, and split follows close behind, \
             within 5 % (section 5.3; limit ours)",
        )
        .within([alone, balanced], ..sync)
        .within([balanced], ..=1.05 * alone)
        .shown(format!("sync {sync:.4} s, async(4) {alone:.4} s, {BEST} {balanced:.4} s")),
        view.says("with noise, split is quicker than every unbalanced method (section 5.3)")
            .within(others.map(noisy), above(best))
            .shown(format!("{BEST} {best:.4} s; {}", listed(others, shown))),
    ]
}

/// Draws the times of all methods on one machine, quiet and noisy.
fn picture(view: View<'_>) -> (String, Picture) {
    let times = METHODS.map(|method| Times {
        name: method.name.to_owned(),
        seconds: [false, true].map(|noisy| view.figures(method.name, noisy, seconds)),
    });
    let figure = if view.machine == PaperMachine::Cirrus { "Figure 4" } else { "Figure 5" };
    let title = format!("{figure}: time to solution on the virtual {}", view.name());
    let title = view.runs.titled(&title);
    (format!("time-{}", view.name().to_lowercase()), boxes(&times, Kinds::OF_NOISE, &title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check};

    fn normal(run: &mut Run) {
        let waits = run.setting.contains(", sync") || run.setting.contains("ssync");
        let [quiet, noisy] = match run.setting.contains(" + ") {
            true => [1.04, 1.05],
            false if waits => [1.1, 1.3],
            false => [1.0, 1.1],
        };
        run.solved.seconds = if run.setting.ends_with("noisy") { noisy } else { quiet };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 4] = [
            ("split(0.001), quiet", |run| run.solved.seconds = 1.06, &[0, 2]),
            (", sync, quiet", |run| run.solved.seconds = 0.9, &[0, 2]),
            ("split(0.001), noisy", |run| run.solved.seconds = 1.11, &[1, 3]),
            ("ssync(30), noisy", |run| run.solved.seconds = 1.0, &[1, 3]),
        ];
        check(&TIME_TO_SOLUTION, 1, normal, &faults);
    }
}
