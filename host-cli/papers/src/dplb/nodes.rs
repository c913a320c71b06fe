//! Figure 3: slow nodes.

use super::category::{ASYNC_NODE, Of, Pair, percent, spread, times, worst};
use super::{ONE_A_LOOK, REMARKS};
use crate::{Experiment, Figure, Plan, Runs, Statement, above, published, seconds, staleness};
use tresse_draw::statistics::median;

pub(crate) const NODES: Experiment = Experiment {
    name: "dplb-nodes",
    title: "Balancing with up to 8 slow nodes of 15",
    source: published::NODES_SOURCE,
    replicates: 9,
    plan: || Ok(Plan::of(ASYNC_NODE.settings().chain(ASYNC_NODE.literal().settings()), &REMARKS)),
    rows: |runs| {
        [ASYNC_NODE, ASYNC_NODE.literal()].into_iter().flat_map(|c| c.rows(runs)).collect()
    },
    statements,
    pictures: |runs| vec![ASYNC_NODE.picture(runs)],
};

/// Judges what balancing does to time, worst case, staleness and spread with slow nodes.
fn statements(runs: &Runs) -> Vec<Statement> {
    let lower = |text: &str, figure: Figure, of: Of, shown: fn(&Pair) -> String| {
        let pairs = ASYNC_NODE.noisy_pairs(runs, figure, of);
        ASYNC_NODE.always(text, &pairs, Pair::ratio, above(1.0), shown).or_because(ONE_A_LOOK)
    };
    vec![
        lower(
            "balancing lowers the median time to solution for every count of slow nodes; the paper \
             has up to 6 %",
            seconds,
            median,
            percent,
        ),
        lower(
            "balancing lowers the worst case of the time to solution for every count of slow \
             nodes; the paper has 1.24x to 4.05x, of time and staleness together",
            seconds,
            worst,
            times,
        ),
        lower(
            "balancing lowers the staleness for every count of slow nodes; the paper has 1.24x to \
             4.05x, of time and staleness together",
            staleness,
            median,
            times,
        ),
        lower(
            "balancing lowers the spread of the time to solution between the boxes' whiskers for \
             every count of slow nodes; Table 2 has 1.47x to 11.07x",
            seconds,
            spread,
            times,
        ),
        ASYNC_NODE.literal_lowers_staleness(runs),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check, take};

    fn normal(run: &mut Run) {
        let is_balanced = run.setting.ends_with(", balanced");
        take(run, if is_balanced { [100.0, 105.0, 120.0] } else { [99.0, 110.0, 140.0] });
        run.solved.staleness_max = if is_balanced { 200 } else { 300 };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 6] = [
            ("3 slow, balanced", |run| take(run, [100.0, 111.0, 120.0]), &[0]),
            ("8 slow, balanced", |run| take(run, [100.0, 105.0, 140.1]), &[1]),
            ("1 slow, balanced", |run| run.solved.staleness_max = 300, &[2]),
            ("5 slow, balanced", |run| take(run, [90.0, 105.0, 139.0]), &[3]),
            ("4 slow, a rank per node, balanced", |run| run.solved.staleness_max = 300, &[4]),
            // Without anything slow nothing is asked.
            ("0 slow, balanced", |run| take(run, [500.0; 3]), &[]),
        ];
        check(&NODES, 3, normal, &faults);
    }
}
