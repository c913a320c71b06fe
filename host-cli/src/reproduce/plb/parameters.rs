//! Sections 3.3, 5.1 and 5.2: what the parameters of Algorithm 1 do to iteration rate and spread.
//!
//! All runs are joint, so that sockets that drift apart hide nothing. Subdomains can only move where
//! a worker starts with more than the lower threshold (rule 5), so the thresholds go with the split.

mod statements;

use tresse_core::run::{Balance, Mode, PlbParams, RunConfig};
use tresse_core::time::Duration;

use super::progress;
use super::trend::{median_of, spread};
use crate::methods::Method;
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::matrix::{Matrix, matrix};
use crate::report::plots::write_pair;
use crate::reproduce::experiment::{Experiment, Plan, Setting};
use crate::reproduce::outcome::{Outcome, Row};
use crate::reproduce::runs::{Runs, Sample, Simulated};

pub(in crate::reproduce) const PARAMETERS: Experiment = Experiment {
    name: "plb-parameters",
    title: "Period, split, pairs and thresholds of Algorithm 1 against iteration rate and spread",
    source: "Zarins & Weiland 2017, sections 3.3, 5.1 and 5.2 (no numbers are printed)",
    replicates: 3,
    evaluation: &Simulated { plan, evaluate, draw, remarks: &[] },
};

/// In microseconds.
const PERIODS: [u64; 7] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
const SPLITS: [u32; 5] = [2, 3, 4, 6, 8];
const PAIRS: [usize; 7] = [1, 2, 4, 6, 8, 16, 32];
/// Around the split of 4.
const THRESHOLDS: [(u32, u32); 6] = [(3, 5), (3, 6), (2, 5), (2, 6), (1, 7), (1, 12)];

/// How far the thresholds are from the split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offset {
    /// Half of the split, as 2 and 6 around 4 (section 4.2).
    Half,
    /// One subdomain.
    One,
}

impl Offset {
    const ALL: [Self; 2] = [Self::Half, Self::One];

    const fn name(self) -> &'static str {
        match self {
            Self::Half => "split ± split/2",
            Self::One => "split ± 1",
        }
    }

    const fn thresholds(self, split: u32) -> (u32, u32) {
        let offset = match self {
            Self::Half => split / 2,
            Self::One => 1,
        };
        (split - offset, split + offset)
    }
}

/// One choice of all parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Choice {
    period: u64,
    split: u32,
    pairs: usize,
    thresholds: (u32, u32),
}

/// The paper's (section 4.2).
const PAPER: Choice = Choice { period: 1_000, split: 4, pairs: 6, thresholds: (2, 6) };

impl Choice {
    const fn of(period: u64, split: u32, offset: Offset) -> Self {
        Self { period, split, thresholds: offset.thresholds(split), ..PAPER }
    }

    fn label(self) -> String {
        let Self { period, split, pairs, thresholds: (low, high) } = self;
        let period = Duration::from_micros(period);
        format!("joint({period}), split {split}, {pairs} pairs, thresholds {low} and {high}")
    }

    fn setting(self) -> Setting {
        let Self { period, split, pairs, thresholds: (low, high) } = self;
        let balance = Balance::Joint(Duration::from_micros(period));
        let method = Method { name: "joint", mode: Mode::Async, split, balance };
        let setting = progress::setting(self.label(), &method, progress::ITERATIONS);
        let plb = PlbParams { pairs, low, high, ..setting.config.plb };
        Setting { config: RunConfig { plb, ..setting.config }, ..setting }
    }

    fn rate(self, runs: &Runs) -> f64 {
        median_of(runs, &self.label(), |sample| sample.iteration_rate)
    }

    fn spread(self, runs: &Runs) -> f64 {
        median_of(runs, &self.label(), spread)
    }
}

/// A map: columns, rows, and the choice of each cell, row after row.
struct Map {
    stem: &'static str,
    title: String,
    columns: (&'static str, Vec<String>),
    rows: (&'static str, Vec<String>),
    choices: Vec<Choice>,
}

fn maps() -> [Map; 3] {
    let [half, one] = Offset::ALL.map(|offset| Map {
        stem: match offset {
            Offset::Half => "period-split-half",
            Offset::One => "period-split-one",
        },
        title: format!("6 pairs, thresholds {}", offset.name()),
        columns: ("balancing period (ms)", PERIODS.map(milliseconds).to_vec()),
        rows: ("subdomains per worker (split)", SPLITS.map(|split| split.to_string()).to_vec()),
        choices: SPLITS
            .iter()
            .flat_map(|&split| PERIODS.map(|period| Choice::of(period, split, offset)))
            .collect(),
    });
    let pairs = Map {
        stem: "pairs-thresholds",
        title: "split 4, every millisecond".to_owned(),
        columns: ("pairs of a round", PAIRS.map(|pairs| pairs.to_string()).to_vec()),
        rows: (
            "thresholds around the split of 4",
            THRESHOLDS.map(|(low, high)| format!("{low} and {high}")).to_vec(),
        ),
        choices: THRESHOLDS
            .iter()
            .flat_map(|&thresholds| PAIRS.map(|pairs| Choice { pairs, thresholds, ..PAPER }))
            .collect(),
    };
    [half, one, pairs]
}

fn milliseconds(microseconds: u64) -> String {
    (microseconds as f64 / 1e3).to_string()
}

/// Every choice once.
fn choices() -> Vec<Choice> {
    let mut choices = Vec::new();
    for choice in maps().into_iter().flat_map(|map| map.choices) {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices
}

fn plan() -> Plan {
    Plan { settings: choices().into_iter().map(Choice::setting).collect() }
}

/// Differs from the paper's choice in one parameter only; the pictures have the others.
fn is_near_the_papers(choice: &Choice) -> bool {
    let Choice { period, split, pairs, thresholds } = *choice;
    let goes_with_split = thresholds == Offset::Half.thresholds(split);
    let differences =
        [period != PAPER.period, split != PAPER.split, pairs != PAPER.pairs, !goes_with_split];
    differences.into_iter().filter(|&differs| differs).count() <= 1
}

fn evaluate(runs: &Runs) -> Outcome {
    let rows = choices().into_iter().filter(is_near_the_papers).flat_map(|choice| {
        let label = choice.label();
        let row = |what: &str, unit, figure: fn(&Sample) -> f64| {
            Row::of(format!("{label}, {what}"), unit, None, &runs.figures(&label, figure))
        };
        [
            row("iteration rate", "iterations/s", |sample| sample.iteration_rate),
            row("spread", "updates", spread),
        ]
    });
    Outcome { rows: rows.collect(), statements: statements::all(runs) }
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    for map in maps() {
        type Figure = (&'static str, &'static str, fn(Choice, &Runs) -> f64);
        let figures: [Figure; 2] = [
            ("iteration rate (iterations/s)", "rate", Choice::rate),
            ("spread at the end (updates)", "spread", Choice::spread),
        ];
        for (what, stem, figure) in figures {
            let cells: Vec<f64> = map.choices.iter().map(|&choice| figure(choice, runs)).collect();
            let title = format!("{what}: joint, {}", map.title);
            let figures = Matrix {
                columns: (map.columns.0, &map.columns.1),
                rows: (map.rows.0, &map.rows.1),
                cells: &cells,
            };
            write_pair(&matrix(&figures, &title), out, &format!("{}-{stem}", map.stem))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn something_can_move_in_every_run() {
        let settings = plan().settings;
        let labels: HashSet<_> = settings.iter().map(|setting| &setting.label).collect();
        assert_eq!(labels.len(), settings.len());
        for Setting { label, config, .. } in &settings {
            assert_eq!(config.validate(), Ok(()), "{label}");
            assert_eq!(config.warnings().count(), 0, "{label}");
        }
        assert!(choices().contains(&PAPER));
    }

    #[test]
    fn the_table_goes_through_the_papers_choice() {
        let rows: Vec<_> = choices().into_iter().filter(is_near_the_papers).collect();
        // 7 periods, 5 splits, 7 numbers of pairs, 6 pairs of thresholds; the paper's in each.
        assert_eq!(rows.len(), 6 + 4 + 6 + 5 + 1);
    }
}
