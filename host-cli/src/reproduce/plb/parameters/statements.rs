//! What the paper says of the parameters, judged.

use std::fmt;

use super::{Choice, Offset, PAIRS, PAPER, PERIODS, SPLITS, THRESHOLDS};
use crate::reproduce::outcome::Statement;
use crate::reproduce::runs::Runs;

/// All statements.
pub(super) fn all(runs: &Runs) -> Vec<Statement> {
    let mut all = vec![shorter_periods_lower_spread(runs), shorter_periods_cost_rate(runs)];
    all.extend(Offset::ALL.map(|offset| splitting_lowers_spread(runs, offset)));
    all.extend([splitting_costs_rate(runs), pairs_lower_spread(runs), momentum(runs)]);
    all
}

/// The share of all steps from one value of a parameter to the next that make a trend.
const MOST: f64 = 0.9;

/// Lines through the maps of period and split, along the periods.
fn along_periods() -> impl Iterator<Item = Vec<Choice>> {
    Offset::ALL.into_iter().flat_map(|offset| {
        SPLITS.map(|split| PERIODS.map(|period| Choice::of(period, split, offset)).to_vec())
    })
}

/// And along the splits.
fn along_splits(offset: Offset) -> impl Iterator<Item = Vec<Choice>> {
    PERIODS
        .into_iter()
        .map(move |period| SPLITS.map(|split| Choice::of(period, split, offset)).to_vec())
}

/// A figure along lines, step by step: how many go as they should, `from` one `to` the next.
#[derive(Clone, Copy, Debug)]
struct Steps {
    good: usize,
    all: usize,
}

impl Steps {
    fn of(
        runs: &Runs,
        lines: impl Iterator<Item = Vec<Choice>>,
        figure: fn(Choice, &Runs) -> f64,
        goes: fn(f64, f64) -> bool,
    ) -> Self {
        let figures = |line: Vec<Choice>| line.into_iter().map(|choice| figure(choice, runs));
        let lines: Vec<Vec<f64>> = lines.map(|line| figures(line).collect()).collect();
        let steps = || lines.iter().flat_map(|line| line.array_windows());
        let good = steps().filter(|&&[from, to]| goes(from, to)).count();
        Self { good, all: steps().count() }
    }

    fn are_a_trend(self) -> bool {
        self.good as f64 >= self.all as f64 * MOST
    }
}

/// `50 of 56 steps`.
impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} steps", self.good, self.all)
    }
}

/// What [`MOST`] is in words.
const AS_A_TREND: &str = "in nine of ten steps at least (limit ours)";

fn shorter_periods_lower_spread(runs: &Runs) -> Statement {
    let steps =
        Steps::of(runs, along_periods(), Choice::spread, |shorter, longer| shorter < longer);
    Statement::new(
        format!("balancing more often lowers the spread (section 5.1): {AS_A_TREND}"),
        steps.are_a_trend(),
        format!("{steps}; {}", paper_line(runs, Choice::spread)),
    )
}

fn shorter_periods_cost_rate(runs: &Runs) -> Statement {
    let steps = Steps::of(runs, along_periods(), Choice::rate, |shorter, longer| shorter < longer);
    Statement::new(
        format!("balancing more often lowers the iteration rate (section 5.2): {AS_A_TREND}"),
        steps.are_a_trend(),
        format!("{steps}; {}", paper_line(runs, Choice::rate)),
    )
}

/// A figure along the periods, at the paper's split.
fn paper_line(runs: &Runs, figure: fn(Choice, &Runs) -> f64) -> String {
    let figures = PERIODS.map(|period| {
        format!("{:.0}", figure(Choice::of(period, PAPER.split, Offset::Half), runs))
    });
    format!("at split 4 from 0.1 to 100 ms: {}", figures.join(", "))
}

/// Whether more subdomains, which can be shared out more finely, keep together better.
///
/// What they can do ends with the thresholds: a worker that may go down from n subdomains to n − 1
/// gains n ÷ (n − 1), which for 6 and more is less than the 19 % that the parasite takes.
fn splitting_lowers_spread(runs: &Runs, offset: Offset) -> Statement {
    let ends: Vec<(f64, f64)> = along_splits(offset)
        .filter_map(|line| Some((line.first()?.spread(runs), line.last()?.spread(runs))))
        .collect();
    let good = ends.iter().filter(|(least, most)| most < least).count();
    let at_paper =
        SPLITS.map(|split| format!("{:.0}", Choice::of(PAPER.period, split, offset).spread(runs)));
    Statement::new(
        format!(
            "splitting more allows a lower spread (section 3.3), with thresholds {}: lower at 8 than \
             at 2 subdomains per worker, for every period (limits ours)",
            offset.name()
        ),
        good == ends.len(),
        format!("{good} of {} periods; at 1 ms, split 2 to 8: {}", ends.len(), at_paper.join(", ")),
    )
    .or_because(
        "the more subdomains a worker has, the less one more or less changes its pace: with one off \
         the split it gains n ÷ (n − 1), from 6 on less than the 19 % of the noise, and with half of \
         the split it takes several rounds; the lowest spread is at 3 or 4",
    )
}

fn splitting_costs_rate(runs: &Runs) -> Statement {
    let lines = Offset::ALL.into_iter().flat_map(along_splits);
    let steps = Steps::of(runs, lines, Choice::rate, |fewer, more| more < fewer);
    let at_paper = SPLITS
        .map(|split| format!("{:.0}", Choice::of(PAPER.period, split, Offset::Half).rate(runs)));
    Statement::new(
        format!("splitting more costs iteration rate (section 3.3): {AS_A_TREND}"),
        steps.are_a_trend(),
        format!("{steps}; at 1 ms, split 2 to 8: {}", at_paper.join(", ")),
    )
}

fn pairs_lower_spread(runs: &Runs) -> Statement {
    let spreads =
        |thresholds| PAIRS.map(|pairs| Choice { pairs, thresholds, ..PAPER }.spread(runs)).to_vec();
    let lines = THRESHOLDS.map(spreads);
    let lower = lines.iter().filter(|line| line.last() < line.first()).count();
    let at_paper =
        spreads(PAPER.thresholds).iter().map(|spread| format!("{spread:.0}")).collect::<Vec<_>>();
    Statement::new(
        "more than one pair helps to balance the whole problem (section 3.3): a lower spread with 32 \
         pairs than with one, for all thresholds",
        lower == lines.len(),
        format!(
            "{lower} of {} thresholds; at 2 and 6, 1 to 32 pairs: {}",
            lines.len(),
            at_paper.join(", ")
        ),
    )
}

fn momentum(runs: &Runs) -> Statement {
    let [narrow, wide] = [THRESHOLDS.first(), THRESHOLDS.last()].map(|thresholds| {
        let thresholds = thresholds.copied().unwrap_or_default();
        PAIRS.map(|pairs| Choice { pairs, thresholds, ..PAPER }.spread(runs))
    });
    let good = narrow.iter().zip(&wide).filter(|(narrow, wide)| narrow < wide).count();
    let why =
        narrow.iter().zip(&wide).zip(PAIRS).map(|((narrow, wide), pairs)| {
            format!("{narrow:.0} against {wide:.0} with {pairs} pairs")
        });
    Statement::new(
        "the thresholds avoid large swings (section 3.3): a lower spread with 3 and 5 than with 1 and \
         12, for all numbers of pairs",
        good == PAIRS.len(),
        why.collect::<Vec<_>>().join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::plb::parameters::{choices, evaluate};
    use crate::reproduce::plb::trend::tests::ended;

    /// Rate and spread of each choice, as the paper says.
    fn normal(choice: Choice) -> (f64, f64) {
        let Choice { period, split, pairs, thresholds: (low, high) } = choice;
        let rate = 8_000.0 + (period as f64).ln() - f64::from(split);
        let range = f64::from(high - low);
        (rate, period as f64 * (10.0 + range) / f64::from(split * split) / (pairs as f64).sqrt())
    }

    fn verdicts(figures: impl Fn(Choice) -> (f64, f64)) -> Vec<bool> {
        let sample = |choice: Choice| {
            let (rate, spread) = figures(choice);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let spread = (spread * 100.0) as u64;
            ended(&choice.label(), rate, spread)
        };
        let samples = choices().into_iter().map(sample).collect();
        let outcome = evaluate(&Runs { samples, ..Runs::default() });
        assert!(outcome.rows.iter().all(|row| row.ours.is_some()));
        outcome.statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(normal), [true; 7]);
        let fails = |place: usize, figures: &dyn Fn(Choice) -> (f64, f64)| {
            let found = verdicts(figures);
            assert!(!found[place], "{place}: {found:?}");
        };
        let rate = |choice| normal(choice).0;
        let spread = |choice| normal(choice).1;
        let slow = |choice: Choice| choice.period > 1_000;
        fails(0, &|c| (rate(c), if slow(c) { 1.0 } else { spread(c) }));
        fails(1, &|c| (if slow(c) { 7_000.0 } else { rate(c) }, spread(c)));
        let one_off = |c: Choice, offset: Offset| {
            c.split == 8 && c.period == 300 && c.thresholds == offset.thresholds(8)
        };
        fails(2, &|c| (rate(c), if one_off(c, Offset::Half) { 1e6 } else { spread(c) }));
        fails(3, &|c| (rate(c), if one_off(c, Offset::One) { 1e6 } else { spread(c) }));
        fails(4, &|c| (if c.split > 4 { 9_000.0 } else { rate(c) }, spread(c)));
        fails(5, &|c| (rate(c), if c.pairs == 32 { 1e6 } else { spread(c) }));
        fails(6, &|c| (rate(c), if c.thresholds == (1, 12) { 1.0 } else { spread(c) }));
        let nothing = all(&Runs::default());
        assert!(nothing.iter().all(|statement| !statement.holds));
    }
}
