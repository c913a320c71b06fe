//! Figures 4 and 5: time to solution, and what balancing gains under noise.

use super::{Machine, SHORTENED, View, all_to_solution};
use crate::methods::METHODS;
use crate::report::plots::Picture;
use crate::report::plots::whiskers::{Kinds, Times, boxes};
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::published;
use crate::reproduce::row::Row;
use crate::reproduce::run::seconds;
use crate::reproduce::statement::{Statement, above, joined};

pub(in crate::reproduce) const TIME_TO_SOLUTION: Experiment = Experiment {
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

fn rows(view: View<'_>) -> Vec<Row> {
    let settings = METHODS.iter().flat_map(|method| [false, true].map(|noisy| (method, noisy)));
    let times = settings.map(|(method, noisy)| {
        let label = view.label(method.name, noisy);
        Row::of(label, "virtual s", None, &view.figures(method.name, noisy, seconds))
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

fn statements(view: View<'_>) -> [Statement; 2] {
    let name = view.name();
    let quiet = |method: &str| view.median(method, false, seconds);
    let noisy = |method: &str| view.median(method, true, seconds);
    let [sync, alone, balanced] = ["sync", "async(4)", BEST].map(quiet);
    let best = noisy(BEST);
    let others = ["sync", "ssync(1)", "ssync(30)", "async(1)", "async(4)"];
    let listed = others.map(|method| format!("{method} {:.4} s", noisy(method)));
    [
        Statement::new(
            format!(
                "on {name}, quiet, the asynchronous methods take the least time, and split follows \
                 close behind, within 5 % (section 5.3; limit ours)"
            ),
            [alone, balanced],
            ..sync,
            format!("sync {sync:.4} s, async(4) {alone:.4} s, {BEST} {balanced:.4} s"),
        )
        .and([balanced], ..=1.05 * alone),
        Statement::new(
            format!(
                "on {name}, with noise, split is quicker than every unbalanced method (section 5.3)"
            ),
            others.map(noisy),
            above(best),
            format!("{BEST} {best:.4} s; {}", joined(listed, ", ")),
        ),
    ]
}

fn picture(view: View<'_>) -> (String, Picture) {
    let times = METHODS.map(|method| Times {
        name: method.name.to_owned(),
        seconds: [false, true].map(|noisy| view.figures(method.name, noisy, seconds)),
    });
    let figure = if view.machine == Machine::Cirrus { "Figure 4" } else { "Figure 5" };
    let title = format!("{figure}: time to solution on the virtual {}", view.name());
    let title = view.runs.titled(&title);
    (format!("time-{}", view.name().to_lowercase()), boxes(&times, Kinds::OF_NOISE, &title))
}
