//! Judges the paper's statements on the parameters.

use super::{Choice, Offset, PAIRS, PAPER, PERIODS, SPLITS, THRESHOLDS, rate, spread};
use crate::{Figure, Runs, Statement, joined, says};

/// Returns all statements.
pub(super) fn all(runs: &Runs) -> Vec<Statement> {
    let periods: Vec<_> = Offset::ALL.into_iter().flat_map(along_periods).collect();
    let splits: Vec<_> = Offset::ALL.into_iter().flat_map(along_splits).collect();
    let at_papers_split = |figure| {
        let line = PERIODS.map(|period| Choice::of(period, PAPER.split, Offset::Half));
        format!("at split 4 from 0.1 to 100 ms: {}", listed(runs, &line, figure))
    };
    let mut all = vec![
        is_raised(
            runs,
            "balancing more often lowers the spread (section 5.1)",
            (&periods, spread),
            &at_papers_split(spread),
        ),
        is_raised(
            runs,
            "balancing more often lowers the iteration rate (section 5.2)",
            (&periods, rate),
            &at_papers_split(rate),
        ),
    ];
    all.extend(Offset::ALL.map(|offset| splitting_lowers_spread(runs, offset)));
    all.push(is_raised(
        runs,
        "splitting more costs iteration rate (section 3.3)",
        (&splits, rate),
        &at_papers_period(runs, Offset::Half, rate),
    ));
    all.extend([pairs_lower_spread(runs), momentum(runs)]);
    all
}

/// Returns lines through the maps of period and split, along the periods.
fn along_periods(offset: Offset) -> [Vec<Choice>; 5] {
    SPLITS.map(|split| PERIODS.map(|period| Choice::of(period, split, offset)).to_vec())
}

/// Returns lines through the maps of period and split, along the splits, the largest first.
fn along_splits(offset: Offset) -> [Vec<Choice>; 7] {
    let splits = || SPLITS.into_iter().rev();
    PERIODS.map(|period| splits().map(|split| Choice::of(period, split, offset)).collect())
}

/// Returns medians as text without digits behind the point.
fn listed(runs: &Runs, line: &[Choice], figure: Figure) -> String {
    joined(line.iter().map(|choice| format!("{:.0}", choice.median(runs, figure))), ", ")
}

/// Lists a figure over all splits, with the paper's period of 1 ms.
fn at_papers_period(runs: &Runs, offset: Offset, figure: Figure) -> String {
    let line = SPLITS.map(|split| Choice::of(PAPER.period, split, offset));
    format!("at 1 ms, split 2 to 8: {}", listed(runs, &line, figure))
}

/// Share of a parameter's steps from one value to the next that makes a trend.
const MOST: f64 = 0.9;

/// Judges whether a figure goes up in most steps along some lines of choices.
fn is_raised(
    runs: &Runs,
    text: &str,
    (lines, figure): (&[Vec<Choice>], Figure),
    shown: &str,
) -> Statement {
    let figures = |line: &Vec<Choice>| -> Vec<f64> {
        line.iter().map(|choice| choice.median(runs, figure)).collect()
    };
    let lines: Vec<Vec<f64>> = lines.iter().map(figures).collect();
    let steps = || lines.iter().flat_map(|line| line.array_windows());
    let (good, all) = (steps().filter(|&&[from, to]| from < to).count(), steps().count());
    says(format!("{text}: in nine of ten steps at least (limit ours)"))
        .within([good as f64], all as f64 * MOST..)
        .shown(format!("{good} of {all} steps; {shown}"))
}

/// Judges whether more subdomains, which can be shared out more finely, have a lower spread.
///
/// What they can do ends with the thresholds: a worker that may go down from n subdomains to n − 1
/// gains n ÷ (n − 1), which for 6 and more is less than the 19 % that the parasite takes.
fn splitting_lowers_spread(runs: &Runs, offset: Offset) -> Statement {
    let [least, .., most] = SPLITS;
    let gained = PERIODS.map(|period| {
        let spread = |split| Choice::of(period, split, offset).median(runs, spread);
        spread(most) - spread(least)
    });
    let good = gained.iter().filter(|&&gained| gained < 0.0).count();
    says(format!(
        "splitting more allows a lower spread (section 3.3), with thresholds {}: lower at 8 than \
         at 2 subdomains per worker, for every period (limits ours)",
        offset.name()
    ))
    .within(gained, ..0.0)
    .shown(format!(
        "{good} of {} periods; {}",
        gained.len(),
        at_papers_period(runs, offset, spread)
    ))
    .or_because(
        "the more subdomains a worker has, the less one more or less changes its pace: with one \
         off the split it gains n ÷ (n − 1), from 6 on less than the 19 % of the noise, and with \
         half of the split it takes several rounds; the lowest spread is at 3 or 4",
    )
}

/// Returns the choices of all numbers of pairs, at the paper's split and period and with these
/// thresholds.
fn along_pairs(thresholds: (u32, u32)) -> [Choice; 7] {
    PAIRS.map(|pairs| Choice { pairs, thresholds, ..PAPER })
}

/// Judges whether many pairs have a lower spread than one.
fn pairs_lower_spread(runs: &Runs) -> Statement {
    let gained = THRESHOLDS.map(|thresholds| {
        let [one, .., most] = along_pairs(thresholds);
        most.median(runs, spread) - one.median(runs, spread)
    });
    let lower = gained.iter().filter(|&&gained| gained < 0.0).count();
    says(
        "more than one pair helps to balance the whole problem (section 3.3): a lower spread with \
         32 pairs than with one, for all thresholds",
    )
    .within(gained, ..0.0)
    .shown(format!(
        "{lower} of {} thresholds; at 2 and 6, 1 to 32 pairs: {}",
        gained.len(),
        listed(runs, &along_pairs(PAPER.thresholds), spread)
    ))
}

/// Judges whether narrow thresholds have a lower spread than wide ones.
fn momentum(runs: &Runs) -> Statement {
    let [narrow, .., wide] = THRESHOLDS;
    let [narrow, wide] = [narrow, wide]
        .map(|thresholds| along_pairs(thresholds).map(|choice| choice.median(runs, spread)));
    let both = || narrow.into_iter().zip(wide);
    let why = both()
        .zip(PAIRS)
        .map(|((narrow, wide), pairs)| format!("{narrow:.0} against {wide:.0} with {pairs} pairs"));
    says(
        "the thresholds avoid large swings (section 3.3): a lower spread with 3 and 5 than with 1 \
         and 12, for all numbers of pairs",
    )
    .within(both().map(|(narrow, wide)| narrow - wide), ..0.0)
    .shown(joined(why, ", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::plb::parameters::{PARAMETERS, choices};
    use crate::tests::{Fault, check};

    /// Sets the rate and spread of each choice as the paper describes them.
    fn normal(run: &mut Run) {
        let choice = choices().into_iter().find(|choice| choice.label() == run.setting).unwrap();
        let Choice { period, split, pairs, thresholds: (low, high) } = choice;
        let range = f64::from(high - low);
        let spread = period as f64 * (10.0 + range) / f64::from(split * split);
        run.solved.iteration_rate = 8_000.0 + (period as f64).ln() - f64::from(split);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
        let spread = (spread / (pairs as f64).sqrt() * 100.0) as u64;
        run.solved.spread_end = spread;
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 7] = [
            ("joint(0.1)", |run| run.solved.spread_end /= 100_000, &[0]),
            ("joint(0.1)", |run| run.solved.iteration_rate -= 100.0, &[1]),
            ("(0.0003), split 8, 6 pairs, thresholds 4", |run| run.solved.spread_end <<= 20, &[2]),
            ("(0.0003), split 8, 6 pairs, thresholds 7", |run| run.solved.spread_end <<= 20, &[3]),
            ("split 8", |run| run.solved.iteration_rate += 100.0, &[4]),
            ("32 pairs", |run| run.solved.spread_end *= 100, &[5]),
            ("thresholds 1 and 12", |run| run.solved.spread_end /= 10, &[6]),
        ];
        check(&PARAMETERS, 1, normal, &faults);
    }
}
