//! What the paper says of the parameters, judged.

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

/// A step that the spread may go against a trend, because runs differ.
const SLACK: f64 = 1.15;

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

/// Steps of all lines, and how many of them go `from` a figure `to` one as they should.
fn steps(lines: &[Vec<f64>], goes: impl Fn(f64, f64) -> bool) -> (usize, usize) {
    let steps = || lines.iter().flat_map(|line| line.array_windows());
    (steps().filter(|&&[from, to]| goes(from, to)).count(), steps().count())
}

fn shorter_periods_lower_spread(runs: &Runs) -> Statement {
    let spreads: Vec<Vec<f64>> = along_periods()
        .map(|line| line.into_iter().map(|choice| choice.spread(runs)).collect())
        .collect();
    let (good, all) = steps(&spreads, |shorter, longer| shorter <= longer * SLACK);
    let ends = spreads.iter().all(|line| line.first() < line.last());
    Statement::new(
        format!(
            "balancing more often lowers the spread (section 5.1): at every split and every step of \
             the period, but for {:.0} %",
            (SLACK - 1.0) * 100.0
        ),
        good == all && ends,
        format!("{good} of {all} steps; {}", paper_line(runs, Choice::spread)),
    )
}

fn shorter_periods_cost_rate(runs: &Runs) -> Statement {
    let rates: Vec<Vec<f64>> = along_periods()
        .map(|line| line.into_iter().map(|choice| choice.rate(runs)).collect())
        .collect();
    let (good, all) = steps(&rates, |shorter, longer| shorter < longer);
    Statement::new(
        "balancing more often lowers the iteration rate (section 5.2): at every split and every step \
         of the period",
        good == all,
        format!("{good} of {all} steps; {}", paper_line(runs, Choice::rate)),
    )
}

/// A figure along the periods, at the paper's split.
fn paper_line(runs: &Runs, figure: fn(Choice, &Runs) -> f64) -> String {
    let figures = PERIODS.map(|period| {
        format!("{:.0}", figure(Choice::of(period, PAPER.split, Offset::Half), runs))
    });
    format!("at split 4 from 0.1 to 100 ms: {}", figures.join(", "))
}

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
             at 2 subdomains per worker, for every period",
            offset.name()
        ),
        good == ends.len(),
        format!("{good} of {} periods; at 1 ms, split 2 to 8: {}", ends.len(), at_paper.join(", ")),
    )
}

fn splitting_costs_rate(runs: &Runs) -> Statement {
    let lines = Offset::ALL.into_iter().flat_map(along_splits);
    let rates: Vec<Vec<f64>> =
        lines.map(|line| line.into_iter().map(|choice| choice.rate(runs)).collect()).collect();
    let (good, all) = steps(&rates, |fewer, more| more < fewer);
    let at_paper = SPLITS
        .map(|split| format!("{:.0}", Choice::of(PAPER.period, split, Offset::Half).rate(runs)));
    Statement::new(
        "splitting more costs iteration rate (section 3.3): at every period and every step of the \
         split",
        good == all,
        format!("{good} of {all} steps; at 1 ms, split 2 to 8: {}", at_paper.join(", ")),
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
