//! Table 2: how many times as far apart the whiskers are without balancing as with it.

use super::category::{
    ASYNC_NODE, ASYNC_SOCKET, Category, MOST_SLOW, SSYNC_SOCKET, seconds, spread,
};
use super::{ONE_A_LOOK, REMARKS};
use crate::report::output::{OutputDir, OutputError};
use crate::report::plots::whiskers::comparison;
use crate::report::plots::write_pair;
use crate::report::statistics::Whiskers;
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::outcome::{Outcome, Row, Statement};
use crate::reproduce::published;
use crate::reproduce::runs::{Runs, Simulated};

pub(in crate::reproduce) const TABLE_2: Experiment = Experiment {
    name: "dplb-table2",
    title: "How much less the time to solution varies with balancing",
    source: published::VARIABILITY_SOURCE,
    replicates: 9,
    evaluation: &Simulated {
        plan: || Plan { settings: COLUMNS.into_iter().flat_map(Category::settings).collect() },
        evaluate,
        draw,
        remarks: &REMARKS,
    },
};

/// The table's columns.
const COLUMNS: [Category; 3] = [SSYNC_SOCKET, ASYNC_SOCKET, ASYNC_NODE];

/// The ratio for each count of slow components.
fn ratios(runs: &Runs, category: Category) -> Vec<f64> {
    category.pairs(runs, seconds, spread).into_iter().map(super::category::Pair::ratio).collect()
}

/// The ratio from the lowest to the highest whisker of all counts.
fn extremes(runs: &Runs, category: Category) -> f64 {
    let [unbalanced, balanced] = [false, true].map(|is_balanced| {
        let whiskers = (0..=MOST_SLOW).filter_map(|slow| {
            Whiskers::tukey(&runs.figures(&category.label(slow, is_balanced), seconds))
        });
        let all = whiskers.reduce(|one, other| Whiskers {
            low: one.low.min(other.low),
            high: one.high.max(other.high),
        });
        all.map_or(f64::NAN, Whiskers::spread)
    });
    unbalanced / balanced
}

fn rows(runs: &Runs) -> Vec<Row> {
    let columns =
        COLUMNS.into_iter().zip(published::VARIABILITY).flat_map(|(category, printed)| {
            let rows = (0..=MOST_SLOW).map(|slow| format!("{slow} slow"));
            let names = rows.chain(["extremes".to_owned()]);
            let ours = ratios(runs, category).into_iter().chain([extremes(runs, category)]);
            let row = move |((name, ours), printed): ((String, f64), f64)| {
                Row::of(format!("{}, {name}", category.name()), "x", Some(printed), &[ours])
            };
            names.zip(ours).zip(printed).map(row)
        });
    columns.collect()
}

fn evaluate(runs: &Runs) -> Outcome {
    let listed = |ratios: &[f64]| {
        let each = ratios.iter().enumerate().map(|(slow, ratio)| format!("{slow}: {ratio:.2}x"));
        each.collect::<Vec<_>>().join(", ")
    };
    let always = [ASYNC_SOCKET, ASYNC_NODE].map(|category| {
        let ratios = ratios(runs, category);
        Statement::new(
            format!(
                "{}: balancing lowers the spread for every count, none included (section 5, Table \
                 2)",
                category.name()
            ),
            ratios.iter().all(|&ratio| ratio > 1.0),
            listed(&ratios),
        )
        .or_because(ONE_A_LOOK)
    });
    let waiting = ratios(runs, SSYNC_SOCKET);
    let both_ways = Statement::new(
        format!(
            "{}: balancing lowers the spread for some counts and raises it for others (section 5, \
             Table 2)",
            SSYNC_SOCKET.name()
        ),
        waiting.iter().any(|&ratio| ratio > 1.0) && waiting.iter().any(|&ratio| ratio < 1.0),
        listed(&waiting),
    )
    .or_because("under a bound of 1 iteration the one rank that waits longest decides");
    let of_all = COLUMNS.map(|category| (category, extremes(runs, category)));
    let shown = of_all.map(|(category, ratio)| format!("{}: {ratio:.2}x", category.name()));
    let overall = Statement::new(
        "where the count is not known, the balanced versions vary less, in all three columns; the \
         paper has 1.11x to 2.89x (section 5, Table 2)",
        of_all.iter().all(|&(_, ratio)| ratio > 1.0),
        shown.join("; "),
    )
    .or_because(ONE_A_LOOK);
    let statements = always.into_iter().chain([both_ways, overall]).collect();
    Outcome { rows: rows(runs), statements }
}

fn draw(runs: &Runs, out: &OutputDir) -> Result<(), OutputError> {
    for (rows, category) in rows(runs).chunks(MOST_SLOW as usize + 2).zip(COLUMNS) {
        let compared: Vec<_> = rows.iter().map(Row::compared).collect();
        let title = format!("Table 2: spread of the time to solution, {}", category.name());
        let title = runs.titled(&title);
        let unit = "unbalanced / balanced";
        let stem = format!("table2-{}", category.stem());
        write_pair(&comparison(&compared, &title, unit), out, &stem)?;
        category.draw(runs, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::category::tests::{Figures, world};
    use super::*;

    fn measured(change: impl Fn(Category, u32, bool, &mut Figures)) -> Runs {
        world(&COLUMNS, |category, slow, is_balanced, figures| {
            let raised = category == SSYNC_SOCKET && slow == 0;
            let is_narrow = is_balanced != raised;
            figures.seconds = if is_narrow { [100.0, 101.0, 102.0] } else { [100.0, 102.0, 104.0] };
            change(category, slow, is_balanced, figures);
        })
    }

    fn verdicts(runs: &Runs) -> Vec<bool> {
        evaluate(runs).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn ratios_stand_beside_the_published_ones() {
        let rows = rows(&measured(|_, _, _, _| ()));
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
        let paper = measured(|_, _, _, _| ());
        // The semi-synchronous column's extremes are equal: its balanced version varies as much.
        assert_eq!(verdicts(&paper), [true, true, true, false]);
        let all = |runs: &dyn Fn(Category, u32, bool, &mut Figures)| verdicts(&measured(runs));
        let wide = |category, slow| {
            move |found: Category, count: u32, is_balanced: bool, figures: &mut Figures| {
                if found == category && count == slow && !is_balanced {
                    figures.seconds = [100.0, 103.0, 106.0];
                }
            }
        };
        assert_eq!(all(&wide(SSYNC_SOCKET, 8)), [true; 4]);
        assert_eq!(all(&wide(SSYNC_SOCKET, 0)), [true, true, false, true]);
        for (place, category) in [ASYNC_SOCKET, ASYNC_NODE].into_iter().enumerate() {
            let narrow = all(&|found, count, is_balanced, figures| {
                wide(SSYNC_SOCKET, 8)(found, count, is_balanced, figures);
                if found == category && count == 4 && !is_balanced {
                    figures.seconds = [100.0, 100.5, 101.0];
                }
            });
            assert_eq!(narrow, [place != 0, place != 1, true, true]);
        }
        assert_eq!(verdicts(&Runs::default()), [false; 4]);
    }
}
