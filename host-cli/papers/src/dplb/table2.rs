//! Table 2: the distance of the whiskers without balancing ÷ that with it.

use super::category::{ASYNC_NODE, ASYNC_SOCKET, Category, MOST_SLOW, Pair, SSYNC_SOCKET, spread};
use super::{ONE_A_LOOK, REMARKS};
use crate::{Experiment, Plan, Row, Runs, Statement, above, joined, published, says, seconds};
use tresse_console::plots::{Compared, Picture, comparison};
use tresse_draw::statistics::{Whiskers, greatest, least};

pub(crate) const TABLE_2: Experiment = Experiment {
    name: "dplb-table2",
    title: "How much less the time to solution varies with balancing",
    source: published::VARIABILITY_SOURCE,
    replicates: 9,
    plan: || Ok(Plan::of(COLUMNS.into_iter().flat_map(Category::settings), &REMARKS)),
    rows: |runs| (0..COLUMNS.len()).flat_map(|column| rows(runs, column)).collect(),
    statements,
    pictures: |runs| (0..COLUMNS.len()).flat_map(|column| pictures(runs, column)).collect(),
};

/// The table's columns.
const COLUMNS: [Category; 3] = [SSYNC_SOCKET, ASYNC_SOCKET, ASYNC_NODE];

/// Returns the ratio for each count of slow components.
fn ratios(runs: &Runs, category: Category) -> Vec<f64> {
    category.pairs(runs, seconds, spread).iter().map(Pair::ratio).collect()
}

/// Returns the ratio from the lowest to the highest whisker of all counts.
fn extremes(runs: &Runs, category: Category) -> f64 {
    let [unbalanced, balanced] = [false, true].map(|is_balanced| {
        let whiskers = (0..=MOST_SLOW).filter_map(|slow| {
            Whiskers::tukey(&runs.figures(&category.label(slow, is_balanced), seconds))
        });
        let (lows, highs): (Vec<f64>, Vec<f64>) = whiskers.map(|all| (all.low, all.high)).unzip();
        greatest(highs) - least(lows)
    });
    unbalanced / balanced
}

/// Returns a column of the table: the ratio for each count of slow components, and that of the
/// extremes of all counts.
fn rows(runs: &Runs, column: usize) -> Vec<Row> {
    let category = COLUMNS[column];
    let names = (0..=MOST_SLOW).map(|slow| format!("{slow} slow")).chain(["extremes".to_owned()]);
    let ours = ratios(runs, category).into_iter().chain([extremes(runs, category)]);
    let row = |((name, ours), printed): ((String, f64), f64)| {
        Row::of(format!("{}, {name}", category.name()), "x", printed, &[ours])
    };
    names.zip(ours).zip(published::VARIABILITY[column]).map(row).collect()
}

/// Judges whether balancing lowers the spread, by count and over all counts.
fn statements(runs: &Runs) -> Vec<Statement> {
    let listed = |category| {
        let each = ratios(runs, category).into_iter().enumerate();
        joined(each.map(|(slow, ratio)| format!("{slow}: {ratio:.2}x")), ", ")
    };
    let always = [ASYNC_SOCKET, ASYNC_NODE].map(|category| {
        let name = category.name();
        says(format!(
            "{name}: balancing lowers the spread for every count, none included (section 5, Table \
             2)"
        ))
        .within(ratios(runs, category), above(1.0))
        .shown(listed(category))
        .or_because(ONE_A_LOOK)
    });
    let waiting = ratios(runs, SSYNC_SOCKET);
    let both_ways = says(format!(
        "{}: balancing lowers the spread for some counts and raises it for others (section 5, \
         Table 2)",
        SSYNC_SOCKET.name()
    ))
    .within([greatest(waiting.iter().copied())], above(1.0))
    .within([least(waiting)], ..1.0)
    .shown(listed(SSYNC_SOCKET))
    .or_because("under a bound of 1 iteration the one rank that waits longest decides");
    let of_all = COLUMNS.map(|category| extremes(runs, category));
    let shown = COLUMNS.into_iter().zip(of_all);
    let shown = shown.map(|(category, ratio)| format!("{}: {ratio:.2}x", category.name()));
    let overall = says(
        "where the count is not known, the balanced versions vary less, in all three columns; the \
         paper has 1.11x to 2.89x (section 5, Table 2)",
    )
    .within(of_all, above(1.0))
    .shown(joined(shown, "; "))
    .or_because(ONE_A_LOOK);
    always.into_iter().chain([both_ways, overall]).collect()
}

/// Returns the pictures of a column: its ratios, and the times that they are of.
fn pictures(runs: &Runs, column: usize) -> [(String, Picture); 2] {
    let category = COLUMNS[column];
    let compared: Vec<Compared> = rows(runs, column).iter().map(Row::compared).collect();
    let title = format!("Table 2: spread of the time to solution, {}", category.name());
    let picture = comparison(&compared, &runs.titled(&title), "unbalanced / balanced");
    [(format!("table2-{}", category.stem()), picture), category.picture(runs)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check, world};

    /// Sets the time of a run to 100 s, plus once or twice `more`.
    fn take(run: &mut Run, more: f64) {
        run.solved.seconds = 100.0 + more * f64::from(run.replicate.number);
    }

    fn normal(run: &mut Run) {
        let raised = run.setting.starts_with("ssync:1, socket, 0 slow");
        let is_narrow = run.setting.ends_with(", balanced") != raised;
        take(run, if is_narrow { 1.0 } else { 2.0 });
        // Otherwise its extremes were equal.
        if run.setting == "ssync:1, socket, 8 slow, unbalanced" {
            take(run, 3.0);
        }
    }

    #[test]
    fn ratios_stand_beside_the_published_ones() {
        let rows = (TABLE_2.rows)(&world(&TABLE_2, 3, &normal));
        assert_eq!(rows.len(), 30);
        let found = |row: &Row| (row.published, row.ours.map(|ours| (ours * 100.0).round()));
        assert_eq!(rows[0].label, "ssync:1, socket, 0 slow");
        assert_eq!(found(&rows[0]), (Some(0.06), Some(50.0)));
        assert_eq!(rows[29].label, "async, node, extremes");
        assert_eq!(found(&rows[29]), (Some(2.89), Some(200.0)));
        assert_eq!(found(&rows[28]), (Some(11.07), Some(200.0)));
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 4] = [
            ("ssync:1, socket, 0 slow, unbalanced", |run| take(run, 3.0), &[2]),
            ("ssync:1, socket, 8 slow, unbalanced", |run| take(run, 2.0), &[3]),
            ("async, socket, 4 slow, unbalanced", |run| take(run, 0.5), &[0]),
            ("async, node, 4 slow, unbalanced", |run| take(run, 0.5), &[1]),
        ];
        check(&TABLE_2, 3, normal, &faults);
    }
}
