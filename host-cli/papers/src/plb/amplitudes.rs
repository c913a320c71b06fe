//! The choice that the paper leaves open and that decides its Table 2: the height of the source,
//! and the initial field.
//!
//! Only the ratio of both counts, since the equation is linear: from 0 every height gives the same.

use tresse_core::field::grid::Side;
use tresse_core::run::noise::{Noise, NoisePlace};

use super::{PARASITE, PaperMachine, SHORTENED, shortened, simulation, to_solution};
use crate::{
    Experiment, Plan, Row, Runs, Setting, Statement, above, joined, published, says, seconds,
};
use tresse_console::plots::{Compared, Picture, comparison};
use tresse_draw::statistics::median;
use tresse_engine::experiments::methods::METHODS;
use tresse_engine::files::problem::{Problem, worker_beside_source};

pub(crate) const AMPLITUDES: Experiment = Experiment {
    name: "plb-amplitudes",
    title: "For which problems balancing pays: Table 2 with sources of other heights, and from 0",
    source: published::TABLE_2_SOURCE,
    replicates: 10,
    plan: || Ok(Plan::of(CHOICES.into_iter().flat_map(Choice::settings), &[SHORTENED])),
    rows: |runs| CHOICES.into_iter().flat_map(|choice| rows(runs, choice)).collect(),
    statements: |runs| {
        let pays = CHOICES.map(|choice| pays(runs, choice));
        pays.into_iter().chain(CHOICES.map(|choice| is_sensitive(runs, choice))).collect()
    },
    pictures,
};

/// A height of the source, and a start.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Choice {
    amplitude: f64,
    start: f64,
}

const CHOICES: [Choice; 5] = [
    Choice { amplitude: 1.0, start: 1.0 },
    Choice { amplitude: 3.0, start: 1.0 },
    Choice { amplitude: 10.0, start: 1.0 },
    Choice { amplitude: 30.0, start: 1.0 },
    // Any height; the second paper's start.
    Choice { amplitude: 10.0, start: 0.0 },
];

const ASYNC: &str = "async(1)";
const BALANCED: &str = "async(4) + split(0.001)";
const UNBALANCED: [&str; 3] = ["sync", "ssync(1)", ASYNC];
const SHOWN: [&str; 4] = ["sync", "ssync(1)", ASYNC, BALANCED];

/// Name of the setting without noise.
const QUIET: &str = "quiet";
/// Name of the setting with noise beside the source, as in the paper (section 4.3).
const NOISY: &str = "noisy";
/// Name of the setting with noise on the core in the middle of the side across.
const FAR: &str = "noisy far from the source";

impl Choice {
    /// Returns the name of the choice's table.
    fn name(self) -> String {
        let Self { amplitude, start } = self;
        if start == 0.0 {
            "any bell, start 0".into()
        } else {
            format!("Gaussian of height {amplitude}, start {start}")
        }
    }

    /// Returns the label of a method's runs under a noise.
    fn label(self, method: &str, noise: &str) -> String {
        format!("{}: {method}, {noise}", self.name())
    }

    /// Returns all settings of the choice: each method that is shown, quiet, noisy, and for async
    /// also noisy far from the source.
    fn settings(self) -> impl Iterator<Item = Setting> {
        let shown = METHODS.iter().filter(|method| SHOWN.contains(&method.name));
        shown.flat_map(move |method| {
            let far = (method.name == ASYNC).then_some(FAR);
            [QUIET, NOISY].into_iter().chain(far).map(move |noise| {
                let stop = to_solution();
                let mut made = simulation(PaperMachine::Cirrus, &shortened(method), stop, false);
                let beside = worker_beside_source(made.config.workers);
                let core = match noise {
                    QUIET => None,
                    NOISY => Some(beside),
                    _ => Some(made.config.workers - 1 - beside),
                };
                let noises =
                    core.map(|core| Noise { place: NoisePlace::Core(core), parasite: PARASITE });
                made.config.noise = noises.into_iter().collect();
                let Self { amplitude, start } = self;
                made.problem = Some(Problem::bell(Side::Top, amplitude, start, made.config.grid));
                made.labelled(self.label(method.name, noise))
            })
        })
    }

    /// Returns the percentage by which noise prolongs the runs of a method.
    fn increases(self, runs: &Runs, method: &str, noise: &str) -> Vec<f64> {
        runs.increases(&self.label(method, QUIET), &self.label(method, noise), seconds)
    }

    /// Returns the percentage by which a method takes longer than the balanced one, both with
    /// noise.
    fn gains(self, runs: &Runs, method: &str) -> Vec<f64> {
        runs.increases(&self.label(BALANCED, NOISY), &self.label(method, NOISY), seconds)
    }
}

/// Returns times and increases of each method, and the gains of balancing.
fn rows(runs: &Runs, choice: Choice) -> Vec<Row> {
    let of_methods = SHOWN.into_iter().flat_map(|method| {
        let times = [QUIET, NOISY].map(|noise| {
            let times = runs.figures(&choice.label(method, noise), seconds);
            Row::of(format!("{method}, {noise}"), "virtual s", None, &times)
        });
        times.into_iter().chain([increase(runs, choice, method)])
    });
    let far = choice.increases(runs, ASYNC, FAR);
    let far = Row::of(format!("{ASYNC}, increase by noise far from the source"), "%", None, &far);
    let gains = UNBALANCED.map(|method| {
        let label = format!("gain of split over {method}, noisy");
        Row::of(label, "%", None, &choice.gains(runs, method))
    });
    let rows = of_methods.chain([far]).chain(gains);
    rows.map(|row| row.in_table(&choice.name())).collect()
}

/// Returns the row of the time that noise beside the source adds, with the published figure.
fn increase(runs: &Runs, choice: Choice, method: &str) -> Row {
    let mut printed = METHODS.iter().zip(&published::TABLE_2);
    let printed = printed.find(|(known, _)| known.name == method);
    let printed = printed.map(|(_, increase)| increase.cirrus.value);
    let increases = choice.increases(runs, method, NOISY);
    Row::of(format!("{method}, increase by noise"), "%", printed, &increases)
}

/// Judges whether balancing is quicker than every method without, under noise.
fn pays(runs: &Runs, choice: Choice) -> Statement {
    let gain = |method: &str| median(&choice.gains(runs, method));
    let listed = UNBALANCED.map(|method| format!("{:+.1} % over {method}", gain(method)));
    says(format!(
        "{}: with noise, {BALANCED} is quicker than every method without a balancer (section 5.3)",
        choice.name()
    ))
    .within(UNBALANCED.map(gain), above(0.0))
    .shown(joined(listed, ", "))
    .or_because(
        "the residual that is left is not beside the source, so that stale values there cost \
         nothing that balancing could save, while it has a cost of its own",
    )
}

/// Judges whether noise beside the source costs more than noise far from it.
fn is_sensitive(runs: &Runs, choice: Choice) -> Statement {
    let [beside, far] = [NOISY, FAR].map(|noise| median(&choice.increases(runs, ASYNC, noise)));
    says(format!(
        "{}: the part beside the source is sensitive to stale values (section 4.3): noise there \
         costs {ASYNC} at least 3 % more than at the far side (limit ours)",
        choice.name()
    ))
    .within([beside], far + 3.0..)
    .shown(format!("beside {beside:+.1} %, far {far:+.1} %"))
    .or_because(
        "the source hardly differs from the start, and most of the initial residual is along the \
         other sides: the paper's source was higher than this",
    )
}

/// Draws the increase of each method by noise, for all choices.
fn pictures(runs: &Runs) -> Vec<(String, Picture)> {
    let rows = CHOICES.into_iter().flat_map(|choice| {
        SHOWN.map(|method| Compared {
            label: format!("{}: {method}", choice.name()),
            ..increase(runs, choice, method).compared()
        })
    });
    let rows: Vec<Compared> = rows.collect();
    let title = "Time to solution with 19 % noise on one core of 36, by problem";
    let picture = comparison(&rows, title, "increase of the time to solution (%)");
    vec![("amplitudes".to_owned(), picture)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check};

    fn normal(run: &mut Run) {
        let (method, noise) = run.setting.rsplit_once(", ").unwrap();
        let [quiet, beside, far] = match () {
            () if method.ends_with(BALANCED) => [1.02, 1.03, 1.03],
            () if method.ends_with(ASYNC) => [1.0, 1.08, 1.0],
            () => [1.05, 1.2, 1.2],
        };
        run.solved.seconds = match noise {
            QUIET => quiet,
            NOISY => beside,
            _ => far,
        };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 4] = [
            (
                "Gaussian of height 1, start 1: async(1), noisy",
                |run| run.solved.seconds = 1.02,
                &[0, 5],
            ),
            ("any bell, start 0: async(1), noisy", |run| run.solved.seconds = 1.02, &[4, 9]),
            (
                "Gaussian of height 30, start 1: async(1), noisy far from the source",
                |run| run.solved.seconds = 1.051,
                &[8],
            ),
            ("Gaussian of height 3, start 1: sync, noisy", |run| run.solved.seconds = 1.03, &[1]),
        ];
        check(&AMPLITUDES, 1, normal, &faults);
    }

    #[test]
    fn every_problem_has_noise_at_both_ends() {
        let settings: Vec<Setting> = CHOICES[0].settings().collect();
        let simulations: Vec<_> = settings.iter().filter_map(|it| it.job.simulation()).collect();
        let places = simulations.iter().map(|it| it.config.noise.first().map(|noise| noise.place));
        let places: Vec<_> = places.collect();
        let (beside, far) = (Some(NoisePlace::Core(3)), Some(NoisePlace::Core(32)));
        assert_eq!(places, [None, beside, None, beside, None, beside, far, None, beside]);
        let name = simulations[0].problem.as_ref().unwrap().to_string();
        assert_eq!(name, "Gaussian of height 1 on top, other sides 0, start 1");
    }
}
