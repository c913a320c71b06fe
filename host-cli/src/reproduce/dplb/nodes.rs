//! Figure 3: slow nodes.

use super::category::{ASYNC_NODE, median, percent, seconds, spread, staleness, times, worst};
use super::{ONE_A_LOOK, REMARKS, literal};
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::outcome::{ExperimentOutcome, Statement};
use crate::reproduce::published;
use crate::reproduce::runs::{Runs, Simulated};

pub(in crate::reproduce) const NODES: Experiment = Experiment {
    name: "dplb-nodes",
    title: "Balancing with up to 8 slow nodes of 15",
    source: published::NODES_SOURCE,
    replicates: 9,
    evaluation: &Simulated {
        plan: || Plan {
            settings: ASYNC_NODE.settings().chain(literal::settings(ASYNC_NODE)).collect(),
        },
        evaluate,
        draw: |runs, out| ASYNC_NODE.draw(runs, out),
        remarks: &REMARKS,
    },
};

fn evaluate(runs: &Runs) -> ExperimentOutcome {
    let lower = |text: &str, pairs: &[_], shown: fn(&_) -> String| {
        ASYNC_NODE.always(text, pairs, |pair| pair.ratio() > 1.0, shown).or_because(ONE_A_LOOK)
    };
    let statements: Vec<Statement> = vec![
        lower(
            "balancing lowers the median time to solution for every count of slow nodes; the paper \
             has up to 6 %",
            &ASYNC_NODE.noisy_pairs(runs, seconds, median),
            percent,
        ),
        lower(
            "balancing lowers the worst case of the time to solution for every count of slow \
             nodes; the paper has 1.24x to 4.05x, of time and staleness together",
            &ASYNC_NODE.noisy_pairs(runs, seconds, worst),
            times,
        ),
        lower(
            "balancing lowers the staleness for every count of slow nodes; the paper has 1.24x to \
             4.05x, of time and staleness together",
            &ASYNC_NODE.noisy_pairs(runs, staleness, median),
            times,
        ),
        lower(
            "balancing lowers the spread of the time to solution between the boxes' whiskers for \
             every count of slow nodes; Table 2 has 1.47x to 11.07x",
            &ASYNC_NODE.noisy_pairs(runs, seconds, spread),
            times,
        ),
        literal::statement(ASYNC_NODE, runs),
    ];
    let rows = ASYNC_NODE.rows(runs).into_iter().chain(literal::rows(ASYNC_NODE, runs));
    ExperimentOutcome { rows: rows.collect(), statements }
}

#[cfg(test)]
mod tests {
    use super::super::category::tests::{CategoryFigures, world};
    use super::*;

    fn verdicts(change: impl Fn(u32, bool, &mut CategoryFigures)) -> Vec<bool> {
        let both = [ASYNC_NODE, literal::literal(ASYNC_NODE)];
        let runs = world(&both, |_, slow, is_balanced, figures| {
            *figures = if is_balanced {
                CategoryFigures { seconds: [100.0, 105.0, 120.0], staleness: 200, rate: 10.0 }
            } else {
                CategoryFigures { seconds: [99.0, 110.0, 140.0], staleness: 300, rate: 10.0 }
            };
            change(slow, is_balanced, figures);
        });
        evaluate(&runs).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(|_, _, _| ()), [true; 5]);
        let with = |slow: u32, figures: CategoryFigures| {
            verdicts(move |count, is_balanced, place| {
                if count == slow && is_balanced {
                    *place = figures;
                }
            })
        };
        let good = CategoryFigures { seconds: [100.0, 105.0, 120.0], staleness: 200, rate: 10.0 };
        let seconds = |seconds| CategoryFigures { seconds, ..good };
        assert_eq!(with(3, seconds([100.0, 111.0, 120.0])), [false, true, true, true, true]);
        assert_eq!(with(8, seconds([100.0, 105.0, 140.1])), [true, false, true, true, true]);
        assert_eq!(
            with(1, CategoryFigures { staleness: 300, ..good }),
            [true, true, false, true, true]
        );
        assert_eq!(with(5, seconds([90.0, 105.0, 139.0])), [true, true, true, false, true]);
        // Without anything slow nothing is asked.
        assert_eq!(with(0, CategoryFigures { staleness: 900, ..seconds([500.0; 3]) }), [true; 5]);
        assert_eq!(
            with(4, CategoryFigures { staleness: 300, ..good }),
            [true, true, false, true, false]
        );
        assert!(!evaluate(&Runs::default()).statements.iter().any(|statement| statement.holds));
    }
}
