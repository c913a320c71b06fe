//! The choice that the paper leaves open and that decides its Table 2: how high the source is, and
//! what the grid starts from.
//!
//! Only the ratio of both counts, since the equation is linear: from 0 every height gives the same.

use tresse_core::grid::Side;
use tresse_core::run::{GridSize, RunConfig};

use super::{Machine, PARASITE, SHORTENED, setting, shortened, to_solution};
use crate::methods::{METHODS, Method};
use crate::problem::{Problem, worker_beside_source};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::whiskers::{Compared, comparison};
use crate::report::plots::write_pair;
use crate::report::statistics::Quartiles;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::published;
use crate::reproduce::runs::{Runs, Simulated};
use tresse_core::noise::{Noise, Place};

pub(in crate::reproduce) const AMPLITUDES: Experiment = Experiment {
    name: "plb-amplitudes",
    title: "For which problems balancing pays: Table 2 with sources of other heights, and from 0",
    source: published::TABLE_2_SOURCE,
    replicates: 10,
    evaluation: &Simulated { plan, evaluate, draw, remarks: &[SHORTENED] },
};

/// Height of the source and start.
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

const SYNC: &str = "sync";
const SSYNC: &str = "ssync(1)";
const ASYNC: &str = "async(1)";
const BALANCED: &str = "async(4) + split(0.001)";
const SHOWN: [&str; 4] = [SYNC, SSYNC, ASYNC, BALANCED];

/// Where noise is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noisy {
    No,
    /// Beside the source, as in the paper (section 4.3).
    Beside,
    /// On the core in the middle of the side across.
    Across,
}

impl Noisy {
    const fn name(self) -> &'static str {
        match self {
            Self::No => "quiet",
            Self::Beside => "noisy",
            Self::Across => "noisy far from the source",
        }
    }

    fn noise(self, workers: u32) -> Option<Noise> {
        let beside = worker_beside_source(workers);
        let core = match self {
            Self::No => return None,
            Self::Beside => beside,
            Self::Across => workers - 1 - beside,
        };
        Some(Noise { place: Place::Core(core), parasite: PARASITE })
    }
}

impl Choice {
    fn problem(self, grid: GridSize) -> Problem {
        Problem::bell(Side::Top, self.amplitude, self.start, grid)
    }

    /// As a table is called after it.
    fn name(self) -> String {
        let Self { amplitude, start } = self;
        if start == 0.0 {
            "any bell, start 0".into()
        } else {
            format!("bell of {amplitude}, start {start}")
        }
    }

    fn label(self, method: &str, noisy: Noisy) -> String {
        format!("{}: {method}, {}", self.name(), noisy.name())
    }

    fn setting(self, method: &Method, noisy: Noisy) -> Setting {
        let made = setting(Machine::Cirrus, &shortened(method), to_solution(), false);
        let config = RunConfig {
            noise: noisy.noise(made.config.workers).into_iter().collect(),
            ..made.config
        };
        let problem = Some(self.problem(config.grid));
        Setting { label: self.label(method.name, noisy), config, problem, ..made }
    }

    fn settings(self) -> impl Iterator<Item = Setting> {
        shown().flat_map(move |method| {
            let across = (method.name == ASYNC).then_some(Noisy::Across);
            let all = [Noisy::No, Noisy::Beside].into_iter().chain(across);
            all.map(move |noisy| self.setting(method, noisy))
        })
    }

    fn increases(self, runs: &Runs, method: &str, noisy: Noisy) -> Vec<f64> {
        let [quiet, noisy] = [Noisy::No, noisy].map(|noisy| self.label(method, noisy));
        runs.increases(&quiet, &noisy, |sample| sample.seconds)
    }

    /// How much longer a method takes than the balanced one, both with noise, in percent.
    fn gains(self, runs: &Runs, method: &str) -> Vec<f64> {
        let [balanced, other] = [BALANCED, method].map(|name| self.label(name, Noisy::Beside));
        runs.increases(&balanced, &other, |sample| sample.seconds)
    }
}

fn shown() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| SHOWN.contains(&method.name))
}

fn plan() -> Plan {
    Plan { settings: CHOICES.into_iter().flat_map(Choice::settings).collect() }
}

fn median(figures: &[f64]) -> f64 {
    Quartiles::of(figures).map_or(f64::NAN, |quartiles| quartiles.median)
}

fn evaluate(runs: &Runs) -> Outcome {
    let rows = CHOICES.into_iter().flat_map(|choice| rows(runs, choice));
    let pays = CHOICES.into_iter().map(|choice| pays(runs, choice));
    let sensitive = CHOICES.into_iter().map(|choice| is_sensitive(runs, choice));
    Outcome { rows: rows.collect(), statements: pays.chain(sensitive).collect() }
}

/// A row in the table of a choice.
fn row(
    choice: Choice,
    figure: &str,
    unit: &'static str,
    printed: Option<f64>,
    ours: &[f64],
) -> Row {
    let table = choice.name();
    Row { table: table.clone(), ..Row::of(format!("{table}: {figure}"), unit, printed, ours) }
}

fn rows(runs: &Runs, choice: Choice) -> Vec<Row> {
    let mut rows = Vec::new();
    for method in SHOWN {
        for noisy in [Noisy::No, Noisy::Beside] {
            let seconds = runs.figures(&choice.label(method, noisy), |sample| sample.seconds);
            let figure = format!("{method}, {}", noisy.name());
            rows.push(row(choice, &figure, "virtual s", None, &seconds));
        }
        rows.push(increase(runs, choice, method));
    }
    let across = choice.increases(runs, ASYNC, Noisy::Across);
    let figure = format!("{ASYNC}, increase by noise far from the source");
    rows.push(row(choice, &figure, "%", None, &across));
    for method in [SYNC, SSYNC, ASYNC] {
        let figure = format!("gain of split over {method}, noisy");
        rows.push(row(choice, &figure, "%", None, &choice.gains(runs, method)));
    }
    rows
}

/// What noise beside the source adds, beside the published figure.
fn increase(runs: &Runs, choice: Choice, method: &str) -> Row {
    let mut printed = METHODS.iter().zip(&published::TABLE_2);
    let printed = printed.find(|(known, _)| known.name == method);
    let printed = printed.map(|(_, increase)| increase.cirrus.value);
    let increases = choice.increases(runs, method, Noisy::Beside);
    row(choice, &format!("{method}, increase by noise"), "%", printed, &increases)
}

fn pays(runs: &Runs, choice: Choice) -> Statement {
    let gains = [SYNC, SSYNC, ASYNC].map(|method| (method, median(&choice.gains(runs, method))));
    let listed = gains.map(|(method, gain)| format!("{gain:+.1} % over {method}"));
    Statement::new(
        format!(
            "{}: with noise, {BALANCED} is quicker than every method without a balancer (section \
             5.3)",
            choice.name()
        ),
        gains.iter().all(|&(_, gain)| gain > 0.0),
        listed.join(", "),
    )
    .or_because(
        "the residual that is left is not beside the source, so that stale values there cost nothing \
         that balancing could save, while it has a cost of its own",
    )
}

fn is_sensitive(runs: &Runs, choice: Choice) -> Statement {
    let [beside, across] =
        [Noisy::Beside, Noisy::Across].map(|noisy| median(&choice.increases(runs, ASYNC, noisy)));
    Statement::new(
        format!(
            "{}: the part beside the source is sensitive to stale values (section 4.3): noise there \
             costs {ASYNC} at least 3 % more than at the far side (limit ours)",
            choice.name()
        ),
        beside >= across + 3.0,
        format!("beside {beside:+.1} %, far {across:+.1} %"),
    )
    .or_because(
        "the source hardly differs from the start, and most of the initial residual is along the \
         other sides: the paper's source was higher than this",
    )
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    let rows = CHOICES
        .into_iter()
        .flat_map(|choice| SHOWN.map(|method| (choice, method, increase(runs, choice, method))));
    let compared: Vec<_> = rows
        .map(|(choice, method, row)| Compared {
            label: format!("{}: {method}", choice.name()),
            ..row.compared()
        })
        .collect();
    let title = "Time to solution with 19 % noise on one core of 36, by problem";
    let unit = "increase of the time to solution (%)";
    write_pair(&comparison(&compared, title, unit), out, "amplitudes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::runs::tests::runs;

    /// Seconds of a method: quiet, noisy, noisy far from the source.
    fn verdicts(seconds: impl Fn(Choice, &str) -> [f64; 3]) -> Vec<bool> {
        let mut samples = Vec::new();
        for choice in CHOICES {
            for method in SHOWN {
                let all = [Noisy::No, Noisy::Beside, Noisy::Across];
                for (noisy, seconds) in all.into_iter().zip(seconds(choice, method)) {
                    samples.push((choice.label(method, noisy), (seconds, 0)));
                }
            }
        }
        evaluate(&runs(&samples)).statements.iter().map(|statement| statement.holds).collect()
    }

    fn normal(method: &str) -> [f64; 3] {
        match method {
            BALANCED => [1.02, 1.03, 1.03],
            ASYNC => [1.0, 1.08, 1.0],
            _ => [1.05, 1.2, 1.2],
        }
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(|_, method| normal(method)), [true; 10]);
        for (place, fault) in CHOICES.into_iter().enumerate() {
            let with =
                |seconds: [f64; 3]| {
                    verdicts(|choice, method| {
                        if choice == fault && method == ASYNC { seconds } else { normal(method) }
                    })
                };
            let slower = with([1.0, 1.02, 0.9]);
            assert_eq!(slower, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|at| at != place));
            let even = with([1.0, 1.08, 1.051]);
            assert_eq!(even, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|at| at != place + 5));
        }
        assert!(evaluate(&Runs::default()).statements.iter().all(|statement| !statement.holds));
    }

    #[test]
    fn every_problem_has_noise_at_both_ends() {
        let settings = plan().settings;
        assert_eq!(settings.len(), 5 * (4 * 2 + 1));
        let places = settings[..9]
            .iter()
            .map(|setting| setting.config.noise.first().map(|noise| noise.place));
        let places: Vec<_> = places.collect();
        let (beside, across) = (Some(Place::Core(3)), Some(Place::Core(32)));
        let expected = [None, beside, None, beside, None, beside, across, None, beside];
        assert_eq!(places, expected);
        let name = settings[0].problem.as_ref().unwrap().to_string();
        assert_eq!(name, "bell of 1 on top, other sides 0, start 1");
    }
}
