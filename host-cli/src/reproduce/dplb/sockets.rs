//! Figures 1 and 2: slow sockets.

use super::category::{
    ASYNC_SOCKET, Category, Pair, SSYNC_SOCKET, median, percent, seconds, staleness, times, worst,
};
use super::{BRAIDING_COSTS, ONE_A_LOOK, REMARKS, literal};
use crate::reproduce::experiment::{Experiment, Plan};
use crate::reproduce::outcome::{ExperimentOutcome, Statement};
use crate::reproduce::published;
use crate::reproduce::runs::{RunSample, Runs, Simulated};

pub(in crate::reproduce) const SOCKETS: Experiment = Experiment {
    name: "dplb-sockets",
    title: "Balancing with up to 8 slow sockets of 30",
    source: published::SOCKETS_SOURCE,
    replicates: 9,
    evaluation: &Simulated {
        plan: || {
            let settings = BOTH.into_iter().flat_map(Category::settings);
            Plan { settings: settings.chain(literal::settings(ASYNC_SOCKET)).collect() }
        },
        evaluate,
        draw: |runs, out| BOTH.into_iter().try_for_each(|category| category.draw(runs, out)),
        remarks: &REMARKS,
    },
};

const BOTH: [Category; 2] = [SSYNC_SOCKET, ASYNC_SOCKET];

fn evaluate(runs: &Runs) -> ExperimentOutcome {
    let statements = vec![
        waiting_prolongs(runs),
        waiting_balanced_is_quicker(runs),
        waiting_quiet_is_not(runs),
        waiting_balanced_sustains_rate(runs),
        outliers_are_avoided(runs),
        staleness_falls(runs),
        rate_does_not(runs),
        balanced_is_quicker(runs),
        noise_still_costs(runs),
        worst_grows_less(runs),
        worst_stays_flat(runs),
        literal::statement(ASYNC_SOCKET, runs),
    ];
    let rows = BOTH.into_iter().flat_map(|category| category.rows(runs));
    ExperimentOutcome { rows: rows.chain(literal::rows(ASYNC_SOCKET, runs)).collect(), statements }
}

fn rate(sample: &RunSample) -> f64 {
    sample.iteration_rate
}

fn waiting_prolongs(runs: &Runs) -> Statement {
    let medians = SSYNC_SOCKET.pairs(runs, seconds, median);
    let [first, last] =
        [medians.first(), medians.last()].map(|pair| pair.map_or(f64::NAN, |pair| pair.figures[0]));
    Statement::new(
        "semi-synchronous and unbalanced, the time to solution grows with the slow sockets, from \
         none to 8 (section 5, Figure 1)",
        last > first,
        format!("medians {first:.1} s and {last:.1} s"),
    )
}

fn waiting_balanced_is_quicker(runs: &Runs) -> Statement {
    SSYNC_SOCKET.always(
        "semi-synchronous, balancing lowers the median time to solution for every count of slow \
         sockets; the paper has 3 to 10 %",
        &SSYNC_SOCKET.noisy_pairs(runs, seconds, median),
        |pair| pair.ratio() > 1.0,
        percent,
    )
    .or_because(BRAIDING_COSTS)
}

fn waiting_quiet_is_not(runs: &Runs) -> Statement {
    let quiet: Vec<Pair> = SSYNC_SOCKET.pairs(runs, seconds, median).into_iter().take(1).collect();
    SSYNC_SOCKET.always(
        "semi-synchronous and with nothing slow, the unbalanced runs are the quicker ones; the \
         paper has 5 %",
        &quiet,
        |pair| pair.ratio() < 1.0,
        percent,
    )
}

fn waiting_balanced_sustains_rate(runs: &Runs) -> Statement {
    SSYNC_SOCKET.always(
        "semi-synchronous, the balanced runs sustain a higher iteration rate for every count of \
         slow sockets",
        &SSYNC_SOCKET.noisy_pairs(runs, rate, median),
        |pair| pair.ratio() < 1.0,
        percent,
    )
    .or_because(
        "a rate counts updates wherever they are made: the bound holds between neighbours, so that \
         unbalanced runs go on far from a slow socket with updates that bring the end no nearer",
    )
}

fn outliers_are_avoided(runs: &Runs) -> Statement {
    let slowest = SSYNC_SOCKET.pairs(runs, seconds, worst);
    let medians = SSYNC_SOCKET.pairs(runs, seconds, median);
    let quiet = medians.first().map_or(f64::NAN, |pair| pair.figures[0]);
    let of = |kind: usize| {
        let last = slowest.iter().filter(|pair| pair.slow >= 6).map(|pair| pair.figures[kind]);
        last.fold(f64::NAN, f64::max) / quiet
    };
    let [unbalanced, balanced] = [of(0), of(1)];
    Statement::new(
        "semi-synchronous, with 6 to 8 slow sockets some unbalanced runs take 2 to 2.6 times as \
         long as quiet ones, and no balanced ones (section 5, Figure 1)",
        unbalanced >= 2.0 && balanced < 2.0,
        format!("the slowest take {unbalanced:.2} and {balanced:.2} times as long"),
    )
    .or_because(
        "a core that loses 40 % of its time takes 1 ÷ 0.6 = 1.67 times as long, and nobody waits \
         longer for it: the paper's outliers met more than the injected noise",
    )
}

fn staleness_falls(runs: &Runs) -> Statement {
    ASYNC_SOCKET.always(
        "asynchronous, balancing lowers the staleness for every count of slow sockets; the paper \
         has 1.08x to 1.61x",
        &ASYNC_SOCKET.noisy_pairs(runs, staleness, median),
        |pair| pair.ratio() > 1.0,
        times,
    )
    .or_because(ONE_A_LOOK)
}

fn rate_does_not(runs: &Runs) -> Statement {
    ASYNC_SOCKET.always(
        "asynchronous, balancing does not affect the iteration rate adversely, by 1 % at most (limit ours)",
        &ASYNC_SOCKET.pairs(runs, rate, median),
        |pair| pair.change() >= -1.0,
        percent,
    )
}

fn balanced_is_quicker(runs: &Runs) -> Statement {
    ASYNC_SOCKET
        .always(
            "asynchronous, balancing lowers the median time to solution for every count of slow \
         sockets; the paper has up to 6 %",
            &ASYNC_SOCKET.noisy_pairs(runs, seconds, median),
            |pair| pair.ratio() > 1.0,
            percent,
        )
        .or_because(BRAIDING_COSTS)
}

fn noise_still_costs(runs: &Runs) -> Statement {
    let medians = ASYNC_SOCKET.pairs(runs, seconds, median);
    let quiet = medians.first().map_or(f64::NAN, |pair| pair.figures[1]);
    ASYNC_SOCKET.always(
        "asynchronous, the balanced runs take longer with slow sockets than without",
        medians.get(1..).unwrap_or_default(),
        |pair| pair.figures[1] > quiet,
        |pair| format!("{:+.1} %", (pair.figures[1] / quiet - 1.0) * 100.0),
    )
}

/// Seconds for each further slow socket: the line of least squares through the worst cases.
fn growth(worst: &[Pair], kind: usize) -> f64 {
    let mean = |of: &dyn Fn(&Pair) -> f64| worst.iter().map(of).sum::<f64>() / worst.len() as f64;
    let slow = mean(&|pair| pair.slow.into());
    let time = mean(&|pair| pair.figures[kind]);
    let together = mean(&|pair| (f64::from(pair.slow) - slow) * (pair.figures[kind] - time));
    together / mean(&|pair| (f64::from(pair.slow) - slow).powi(2))
}

fn worst_grows_less(runs: &Runs) -> Statement {
    let worst = ASYNC_SOCKET.pairs(runs, seconds, worst);
    let [unbalanced, balanced] = [0, 1].map(|kind| growth(&worst, kind));
    Statement::new(
        "asynchronous, the worst case grows at a higher rate without balancing (section 5, Figure \
         2)",
        unbalanced > balanced,
        format!("{unbalanced:.2} s and {balanced:.2} s for each further slow socket"),
    )
    .or_because(ONE_A_LOOK)
}

/// How many times as long even a perfect balancer takes with this number of the 30 sockets slow.
fn least(slow: u32) -> f64 {
    1.0 / (1.0 - 0.4 * f64::from(slow) / 30.0)
}

fn worst_stays_flat(runs: &Runs) -> Statement {
    let worst = ASYNC_SOCKET.pairs(runs, seconds, worst);
    let quiet = worst.first().map_or(f64::NAN, |pair| pair.figures[1]);
    let few: Vec<Pair> = worst.into_iter().filter(|pair| (1..5).contains(&pair.slow)).collect();
    ASYNC_SOCKET.always(
        "asynchronous and balanced, the worst case stays mostly flat up to 4 slow sockets: within 5 % \
         of what the lost capacity makes of the quiet one (limit ours)",
        &few,
        |pair| pair.figures[1] <= 1.05 * quiet * least(pair.slow),
        |pair| {
            let percent = |factor: f64| (factor - 1.0) * 100.0;
            let (found, least) = (percent(pair.figures[1] / quiet), percent(least(pair.slow)));
            format!("{found:+.1} % of {least:+.1} %")
        },
    )
    .or_because(ONE_A_LOOK)
}

#[cfg(test)]
mod tests {
    use super::super::category::tests::{CategoryFigures, world};
    use super::*;

    type Fault = fn(bool, u32, bool, &mut CategoryFigures);

    /// A world as the paper describes it, but for `change`.
    fn verdicts(change: impl Fn(Category, u32, bool, &mut CategoryFigures)) -> Vec<bool> {
        let all = [SSYNC_SOCKET, ASYNC_SOCKET, literal::literal(ASYNC_SOCKET)];
        let runs = world(&all, |category, slow, is_balanced, figures| {
            let slow_count = f64::from(slow);
            figures.rate = if is_balanced { 10.0 } else { 9.9 };
            figures.staleness = if is_balanced { 100 } else { 150 };
            figures.seconds = match (category == SSYNC_SOCKET, is_balanced) {
                (_, true) => [100.0 + slow_count * 0.5; 3],
                (_, false) if slow == 0 => [99.0; 3],
                (true, false) if slow >= 6 => [110.0, 110.0, 230.0],
                (_, false) => [105.0 + slow_count, 105.0 + slow_count, 110.0 + 4.0 * slow_count],
            };
            change(category, slow, is_balanced, figures);
        });
        evaluate(&runs).statements.iter().map(|statement| statement.holds).collect()
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        assert_eq!(verdicts(|_, _, _, _| ()), [true; 12]);
        let faults: [(usize, Fault); 12] = [
            (11, |is_ssync, slow, is_balanced, f| {
                if !is_ssync && slow == 8 && is_balanced {
                    f.staleness = 150;
                }
            }),
            (0, |_, slow, is_balanced, f| {
                if slow == 8 && !is_balanced {
                    f.seconds = [99.0; 3];
                }
            }),
            (1, |is_ssync, slow, is_balanced, f| {
                if is_ssync && slow == 3 && is_balanced {
                    f.seconds = [120.0; 3];
                }
            }),
            (2, |is_ssync, slow, is_balanced, f| {
                if is_ssync && slow == 0 && !is_balanced {
                    f.seconds = [101.0; 3];
                }
            }),
            (3, |is_ssync, slow, is_balanced, f| {
                if is_ssync && slow == 5 && is_balanced {
                    f.rate = 9.8;
                }
            }),
            (4, |is_ssync, slow, is_balanced, f| {
                if is_ssync && slow > 0 && !is_balanced {
                    f.seconds = [120.0; 3];
                }
            }),
            (5, |is_ssync, slow, is_balanced, f| {
                if !is_ssync && slow == 1 && is_balanced {
                    f.staleness = 150;
                }
            }),
            (6, |is_ssync, slow, is_balanced, f| {
                if !is_ssync && slow == 0 && is_balanced {
                    f.rate = 9.79;
                }
            }),
            (7, |is_ssync, slow, is_balanced, f| {
                if !is_ssync && slow == 8 && is_balanced {
                    f.seconds = [114.0; 3];
                }
            }),
            (8, |is_ssync, slow, is_balanced, f| {
                if !is_ssync && slow == 2 && is_balanced {
                    f.seconds = [99.9; 3];
                }
            }),
            (9, |is_ssync, _, is_balanced, f| {
                if !is_ssync && !is_balanced {
                    f.seconds = [120.0; 3];
                }
            }),
            (10, |is_ssync, slow, is_balanced, f| {
                if !is_ssync && slow == 4 && is_balanced {
                    f.seconds[2] = 112.0;
                }
            }),
        ];
        for (place, fault) in faults {
            let found = verdicts(|category, slow, is_balanced, figures| {
                fault(category == SSYNC_SOCKET, slow, is_balanced, figures);
            });
            assert!(!found[place], "statement {place}");
        }
        // Nothing was measured: nothing holds.
        assert!(!evaluate(&Runs::default()).statements.iter().any(|statement| statement.holds));
    }

    #[test]
    fn growth_is_that_of_the_line() {
        let pairs: Vec<Pair> =
            (0..9).map(|slow| Pair { slow, figures: [3.0 + 2.0 * f64::from(slow), 5.0] }).collect();
        assert!((growth(&pairs, 0) - 2.0).abs() < 1e-12 && growth(&pairs, 1).abs() < 1e-12);
    }
}
