//! Sections 3.3, 5.1 and 5.2: the effect of Algorithm 1's parameters on iteration rate and spread.
//!
//! All runs are joint, so that sockets that drift apart hide nothing. Subdomains can only move
//! where a worker starts with more than the lower threshold (rule 5), so the thresholds go with the
//! split.

mod statements;

use tresse_core::base::time::Duration;
use tresse_core::run::{Balance, Mode};

use super::{ITERATIONS, progress};
use crate::{Experiment, Figure, Plan, Row, Runs, Setting, rate, spread, unique};
use tresse_console::plots::{Matrix, Picture, matrix};
use tresse_engine::experiments::methods::Method;

pub(crate) const PARAMETERS: Experiment = Experiment {
    name: "plb-parameters",
    title: "Period, split, pairs and thresholds of Algorithm 1 against iteration rate and spread",
    source: "Zarins & Weiland 2017, sections 3.3, 5.1 and 5.2 (no numbers are printed)",
    replicates: 3,
    plan: || Ok(Plan::of(choices().into_iter().map(Choice::setting), &[])),
    rows,
    statements: statements::all,
    pictures: |runs| maps().iter().flat_map(|map| map.pictures(runs)).collect(),
};

/// Periods in microseconds.
const PERIODS: [u64; 7] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
const SPLITS: [u32; 5] = [2, 3, 4, 6, 8];
const PAIRS: [usize; 7] = [1, 2, 4, 6, 8, 16, 32];
/// Thresholds around the split of 4.
const THRESHOLDS: [(u32, u32); 6] = [(3, 5), (3, 6), (2, 5), (2, 6), (1, 7), (1, 12)];

/// The distance of the thresholds from the split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offset {
    /// Half of the split, as 2 and 6 around 4 (section 4.2).
    Half,
    /// One subdomain.
    One,
}

impl Offset {
    const ALL: [Self; 2] = [Self::Half, Self::One];

    /// Returns how the thresholds follow from the split, in words.
    const fn name(self) -> &'static str {
        match self {
            Self::Half => "split ± split/2",
            Self::One => "split ± 1",
        }
    }

    /// Returns the lower and the upper threshold for a split.
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

/// The paper's choice (section 4.2).
const PAPER: Choice = Choice { period: 1_000, split: 4, pairs: 6, thresholds: (2, 6) };

impl Choice {
    /// Returns the paper's choice with another period (microseconds) and split, and thresholds to
    /// match.
    const fn of(period: u64, split: u32, offset: Offset) -> Self {
        Self { period, split, thresholds: offset.thresholds(split), ..PAPER }
    }

    /// Returns the label of the runs with this choice.
    fn label(self) -> String {
        let Self { period, split, pairs, thresholds: (low, high) } = self;
        let period = Duration::from_micros(period);
        format!("joint({period}), split {split}, {pairs} pairs, thresholds {low} and {high}")
    }

    /// Returns the setting of this choice.
    fn setting(self) -> Setting {
        let Self { period, split, pairs, thresholds: (low, high) } = self;
        let balance = Balance::Joint(Duration::from_micros(period));
        let method = Method { name: "joint", mode: Mode::Async, split, balance };
        let mut made = progress(&method, ITERATIONS);
        let plb = &mut made.config.plb;
        (plb.pairs, plb.low, plb.high) = (pairs, low, high);
        made.labelled(self.label())
    }

    /// Returns the median of a figure over the choice's runs.
    fn median(self, runs: &Runs, figure: Figure) -> f64 {
        runs.median(&self.label(), figure)
    }

    /// Reports whether this differs from the paper's choice in at most one parameter; the pictures
    /// have the others.
    fn is_near_the_papers(&self) -> bool {
        let Self { period, split, pairs, thresholds } = *self;
        let goes_with_split = thresholds == Offset::Half.thresholds(split);
        let differences =
            [period != PAPER.period, split != PAPER.split, pairs != PAPER.pairs, !goes_with_split];
        differences.into_iter().filter(|&differs| differs).count() <= 1
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

/// Returns the three planes of parameters that are run.
fn maps() -> [Map; 3] {
    let milliseconds = |microseconds: u64| (microseconds as f64 / 1e3).to_string();
    let period_and_split = |stem, offset: Offset| Map {
        stem,
        title: format!("6 pairs, thresholds {}", offset.name()),
        columns: ("balancing period (ms)", PERIODS.map(milliseconds).to_vec()),
        rows: ("subdomains per worker (split)", SPLITS.map(|split| split.to_string()).to_vec()),
        choices: SPLITS
            .iter()
            .flat_map(|&split| PERIODS.map(|period| Choice::of(period, split, offset)))
            .collect(),
    };
    let thresholds = |(low, high): (u32, u32)| format!("{low} and {high}");
    let pairs = Map {
        stem: "pairs-thresholds",
        title: "split 4, every millisecond".to_owned(),
        columns: ("pairs of a round", PAIRS.map(|pairs| pairs.to_string()).to_vec()),
        rows: ("thresholds around the split of 4", THRESHOLDS.map(thresholds).to_vec()),
        choices: THRESHOLDS
            .iter()
            .flat_map(|&thresholds| PAIRS.map(|pairs| Choice { pairs, thresholds, ..PAPER }))
            .collect(),
    };
    [
        period_and_split("period-split-half", Offset::Half),
        period_and_split("period-split-one", Offset::One),
        pairs,
    ]
}

impl Map {
    /// Draws the plane as matrices of the iteration rate and of the spread.
    fn pictures(&self, runs: &Runs) -> [(String, Picture); 2] {
        let figures: [(&str, &str, Figure); 2] = [
            ("iteration rate (iterations/s)", "rate", rate),
            ("spread at the end (updates)", "spread", spread),
        ];
        figures.map(|(what, stem, figure)| {
            let cells: Vec<f64> =
                self.choices.iter().map(|choice| choice.median(runs, figure)).collect();
            let (columns, rows) =
                ((self.columns.0, &*self.columns.1), (self.rows.0, &*self.rows.1));
            let title = format!("{what}: joint, {}", self.title);
            let picture = matrix(&Matrix { columns, rows, cells: &cells }, &title);
            (format!("{}-{stem}", self.stem), picture)
        })
    }
}

/// Returns every choice once.
fn choices() -> Vec<Choice> {
    unique(maps().into_iter().flat_map(|map| map.choices))
}

/// Returns rate and spread of the choices near the paper's own.
fn rows(runs: &Runs) -> Vec<Row> {
    let figures: [(&str, &str, Figure); 2] =
        [(", iteration rate", "iterations/s", rate), (", spread", "updates", spread)];
    let near = choices().into_iter().filter(Choice::is_near_the_papers);
    near.flat_map(|choice| runs.rows(&choice.label(), figures)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_can_move_in_every_run() {
        let plan = (PARAMETERS.plan)().unwrap();
        assert_eq!(plan.warnings().len(), 0);
        assert!(choices().contains(&PAPER));
    }

    #[test]
    fn the_table_goes_through_the_papers_choice() {
        let rows: Vec<_> = choices().into_iter().filter(Choice::is_near_the_papers).collect();
        // 7 periods, 5 splits, 7 numbers of pairs, 6 pairs of thresholds; the paper's in each.
        assert_eq!(rows.len(), 6 + 4 + 6 + 5 + 1);
    }
}
