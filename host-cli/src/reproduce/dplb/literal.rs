//! The same with a rank per node: the literal reading of section 3.1, beside the main runs.

use super::Rank;
use super::category::{Category, Pair, median, percent, seconds, staleness};
use crate::reproduce::experiment::Setting;
use crate::reproduce::outcome::{Row, Statement};
use crate::reproduce::runs::Runs;

/// Slow components of these runs.
const COUNTS: [u32; 3] = [0, 4, 8];

pub(super) const fn literal(category: Category) -> Category {
    Category { rank: Rank::Node, ..category }
}

pub(super) fn settings(category: Category) -> impl Iterator<Item = Setting> {
    literal(category).settings_with(COUNTS)
}

pub(super) fn rows(category: Category, runs: &Runs) -> Vec<Row> {
    literal(category).rows_with(runs, COUNTS)
}

/// What ranks that are nodes make of time and staleness, which no paper says.
pub(super) fn statement(category: Category, runs: &Runs) -> Statement {
    let category = literal(category);
    let pairs = |figure| {
        let pairs = category.pairs(runs, figure, median).into_iter();
        pairs.filter(|pair| pair.slow > 0 && COUNTS.contains(&pair.slow)).collect::<Vec<Pair>>()
    };
    let (times, stale) = (pairs(seconds), pairs(staleness));
    let shown = times.iter().zip(&stale).map(|(time, stale)| {
        let [unbalanced, balanced] = stale.figures;
        let slow = time.slow;
        format!("{slow}: {}, staleness {unbalanced:.0} to {balanced:.0}", percent(time))
    });
    Statement::new(
        format!(
            "ours: with a rank per node of two sockets balancing lowers the staleness as well ({}, \
             section 3.1)",
            category.name()
        ),
        !stale.is_empty() && stale.iter().all(|pair| pair.ratio() > 1.0),
        shown.collect::<Vec<_>>().join("; "),
    )
}
