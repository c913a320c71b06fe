//! Figure 3: iteration rate against spread, quiet and with noise on one core.

use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode, Stop};

use super::{ITERATIONS, View, on_both_machines};
use crate::{Experiment, Plan, Row, Statement, above, listed, published, rate, spread};
use tresse_console::plots::{LandscapePoint, Picture, Samples, landscape};
use tresse_draw::statistics::{greatest, least};
use tresse_engine::experiments::methods::Method;

pub(crate) const LANDSCAPE: Experiment = Experiment {
    name: "plb-landscape",
    title: "Iteration rate and spread of the methods, quiet and with 19 % noise on one core",
    source: published::LANDSCAPE_SOURCE,
    replicates: 20,
    plan: || {
        let stop = Stop { iterations: Some(ITERATIONS), ..Stop::NEVER };
        Ok(Plan::of(on_both_machines(&METHODS, stop), &[]))
    },
    rows: |runs| View::of_both(runs).into_iter().flat_map(rows).collect(),
    statements: |runs| {
        let views = View::of_both(runs).into_iter();
        views.flat_map(|view| spreads(view).into_iter().chain(rates(view))).collect()
    },
    pictures: |runs| View::of_both(runs).map(picture).into(),
};

const PERIOD: Duration = Duration::from_millis(1);
const LONG_PERIOD: Duration = Duration::from_millis(10);

const fn method(name: &'static str, mode: Mode, split: u32, balance: Balance) -> Method {
    Method { name, mode, split, balance }
}

const METHODS: [Method; 11] = [
    method("sync", Mode::Sync, 1, Balance::None),
    method("ssync(1)", Mode::SemiSync(1), 1, Balance::None),
    method("ssync(30)", Mode::SemiSync(30), 1, Balance::None),
    method("async(1)", Mode::Async, 1, Balance::None),
    method("async(4)", Mode::Async, 4, Balance::None),
    method("split(0.001)", Mode::Async, 4, Balance::Split(PERIOD)),
    method("joint(0.001)", Mode::Async, 4, Balance::Joint(PERIOD)),
    method("hybrid(0.001, 500)", Mode::Async, 4, Balance::Hybrid(PERIOD, 500)),
    method("split(0.01)", Mode::Async, 4, Balance::Split(LONG_PERIOD)),
    method("joint(0.01)", Mode::Async, 4, Balance::Joint(LONG_PERIOD)),
    method("hybrid(0.01, 50)", Mode::Async, 4, Balance::Hybrid(LONG_PERIOD, 50)),
];
const WAITING: [&str; 3] = ["sync", "ssync(1)", "ssync(30)"];
const ALONE: [&str; 2] = ["async(1)", "async(4)"];
const OFTEN: [&str; 3] = ["split(0.001)", "joint(0.001)", "hybrid(0.001, 500)"];
/// Names of methods that balance less often.
const SELDOM: [&str; 3] = ["split(0.01)", "joint(0.01)", "hybrid(0.01, 50)"];

/// Returns rate and spread of all methods, and the costs and changes that the paper prints.
fn rows(view: View<'_>) -> Vec<Row> {
    let (name, machine) = (view.name(), view.machine as usize);
    let settings = METHODS.iter().flat_map(|method| [false, true].map(|noisy| (method, noisy)));
    let measured = settings.flat_map(|(method, noisy)| {
        let label = view.label(method.name, noisy);
        view.runs.rows(&label, [(": rate", "iterations/s", rate), (": spread", "updates", spread)])
    });
    // How much of the rate of one method another one lacks.
    let lacks = |more: &str, less: &str, noisy| -> Vec<f64> {
        let [more, less] = [more, less].map(|method| view.label(method, noisy));
        let pairs = view.runs.pairs(&more, &less, rate);
        pairs.iter().map(|(more, less)| (1.0 - less / more) * 100.0).collect()
    };
    let costs = published::OVERHEADS.iter().map(|(method, printed)| {
        let label = format!("{name}, cost of {method}, quiet");
        Row::of(label, "% of rate", printed[machine], &lacks("async(1)", method, false))
    });
    let changes = published::SPREAD_CHANGES.iter().map(|(method, printed)| {
        let label = format!("{name}, spread of {method} with noise");
        Row::of(label, "%", printed[machine], &view.increases(method, spread))
    });
    let label = format!("{name}, sync behind split, noisy");
    let printed = published::WAITING_SLOWER[machine];
    let behind = Row::of(label, "% of rate", printed, &lacks("split(0.001)", "sync", true));
    measured.chain(costs).chain(changes).chain([behind]).collect()
}

/// Judges the statements on spreads of section 5.1.
fn spreads(view: View<'_>) -> [Statement; 4] {
    let [quiet, noisy] =
        [false, true].map(|noisy| move |method: &str| view.median(method, noisy, spread));
    let widened = |method: &str| noisy(method) / quiet(method);
    let both = |method: &str| format!("{:.0} and {:.0}", quiet(method), noisy(method));
    let rounded = |method: &str| format!("{:.0}", quiet(method));
    let pairs = || OFTEN.into_iter().zip(SELDOM);
    let narrowed = |spread: &dyn Fn(&str) -> f64| -> Vec<f64> {
        pairs().map(|(often, seldom)| spread(often) - spread(seldom)).collect()
    };
    [
        view.says(
            "the spread of the methods balanced each millisecond is comparable to that of \
             ssync(30) or lower, within 25 % (section 5.1; limit ours)",
        )
        .within(OFTEN.map(quiet), ..=1.25 * quiet("ssync(30)"))
        .within(OFTEN.map(noisy), ..=1.25 * noisy("ssync(30)"))
        .shown(format!(
            "quiet and noisy: {}",
            listed(["ssync(30)"].into_iter().chain(OFTEN), both)
        )),
        view.says("balancing more often gives a lower spread (section 5.1)")
            .within(narrowed(&quiet), ..0.0)
            .within(narrowed(&noisy), ..0.0)
            .shown(format!("quiet: {}", listed(pairs().flat_map(<[&str; 2]>::from), rounded))),
        view.says(
            "of the balanced methods joint has the lowest spread, seen with noise (section 5.1)",
        )
        .within(OFTEN.map(noisy), noisy("joint(0.001)")..)
        .shown(listed(OFTEN, |method| format!("{:.0}", noisy(method)))),
        view.says(
            "noise widens the spread of the balanced methods least, and that of the asynchronous \
             ones without a balancer at least twofold (section 5.1)",
        )
        .within(ALONE.map(widened), 2.0..)
        .within(OFTEN.map(widened), ..least(ALONE.map(widened)))
        .shown(listed(ALONE.into_iter().chain(OFTEN), |method| format!("x{:.2}", widened(method)))),
    ]
}

/// Judges the statements on iteration rates of section 5.2.
fn rates(view: View<'_>) -> [Statement; 2] {
    let [quiet, noisy] =
        [false, true].map(|noisy| move |method: &str| view.median(method, noisy, rate));
    let slower = |method: &str| (1.0 - noisy(method) / quiet(method)) * 100.0;
    let slower_listed =
        listed(WAITING.into_iter().chain(OFTEN), |method| format!("{:.1} %", slower(method)));
    [
        view.says(
            "noise costs the balanced methods 2 % of their rate at most, and makes every method \
             that waits slower than they are (section 5.2)",
        )
        .within(OFTEN.map(slower), ..=2.0)
        .within(OFTEN.map(noisy), above(greatest(WAITING.map(noisy))))
        .shown(format!("slower by {slower_listed}")),
        view.says(
            "of the balanced methods joint has the lowest rate, since it moves data between \
             sockets (section 5.2)",
        )
        .within(OFTEN.map(quiet), quiet("joint(0.001)")..)
        .shown(listed(OFTEN, |method| format!("{:.0}/s", quiet(method)))),
    ]
}

/// Draws the rate over the spread of all methods on one machine.
fn picture(view: View<'_>) -> (String, Picture) {
    let points = METHODS.map(|Method { name, .. }| {
        let samples = |noisy| Samples {
            iteration_rate: view.figures(name, noisy, rate),
            spread: view.figures(name, noisy, spread),
        };
        LandscapePoint { method: name.to_owned(), quiet: samples(false), noisy: samples(true) }
    });
    let title = format!("Figure 3: landscape of methods on the virtual {}", view.name());
    (format!("landscape-{}", view.name().to_lowercase()), landscape(&points, &title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check};

    /// Sets the seconds of a run for 1000 iterations, and its spread.
    fn take(run: &mut Run, seconds: f64, spread: u64) {
        run.solved.iteration_rate = 1_000.0 / seconds;
        run.solved.spread_end = spread;
    }

    fn normal(run: &mut Run) {
        let (method, state) = run.setting.rsplit_once(", ").unwrap();
        let (_, method) = method.split_once(", ").unwrap();
        let (seconds, spread) = match (method, state == "noisy") {
            ("sync" | "ssync(1)" | "ssync(30)", false) => (1.05, 100),
            ("sync" | "ssync(1)" | "ssync(30)", true) => (1.2, 150),
            ("async(1)" | "async(4)", false) => (1.0, 200),
            ("async(1)" | "async(4)", true) => (1.0, 800),
            ("joint(0.001)", false) => (1.08, 50),
            ("joint(0.001)", true) => (1.09, 55),
            (name, noisy) if name.contains("0.001") => (1.02, if noisy { 90 } else { 60 }),
            (_, _) => (1.01, 300),
        };
        take(run, seconds, spread);
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 6] = [
            ("hybrid(0.001, 500), noisy", |run| take(run, 1.02, 190), &[0, 6]),
            ("split(0.01), quiet", |run| take(run, 1.01, 59), &[1, 7]),
            ("hybrid(0.001, 500), noisy", |run| take(run, 1.02, 54), &[2, 8]),
            ("async(4), noisy", |run| take(run, 1.0, 390), &[3, 9]),
            ("split(0.001), noisy", |run| take(run, 1.05, 90), &[4, 10]),
            ("split(0.001), quiet", |run| take(run, 1.09, 60), &[5, 11]),
        ];
        check(&LANDSCAPE, 1, normal, &faults);
    }
}
