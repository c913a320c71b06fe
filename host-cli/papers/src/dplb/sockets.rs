//! Figures 1 and 2: slow sockets.

use super::category::{ASYNC_SOCKET, Category, Of, Pair, SSYNC_SOCKET, percent, times, worst};
use super::{BRAIDING_COSTS, ONE_A_LOOK, REMARKS};
use crate::{
    Experiment, Figure, Plan, Runs, Statement, above, published, rate, says, seconds, staleness,
};
use tresse_draw::statistics::{greatest, median};

pub(crate) const SOCKETS: Experiment = Experiment {
    name: "dplb-sockets",
    title: "Balancing with up to 8 slow sockets of 30",
    source: published::SOCKETS_SOURCE,
    replicates: 9,
    plan: || Ok(Plan::of(ALL.into_iter().flat_map(Category::settings), &REMARKS)),
    rows: |runs| ALL.into_iter().flat_map(|category| category.rows(runs)).collect(),
    statements: |runs| {
        let literal = ASYNC_SOCKET.literal_lowers_staleness(runs);
        let figures = [waiting(runs), asynchronous(runs), worst_cases(runs), vec![literal]];
        figures.into_iter().flatten().collect()
    },
    pictures: |runs| [SSYNC_SOCKET, ASYNC_SOCKET].map(|category| category.picture(runs)).into(),
};

const ALL: [Category; 3] = [SSYNC_SOCKET, ASYNC_SOCKET, ASYNC_SOCKET.literal()];

/// Judges the statements about Figure 1, whose ranks wait for their neighbours.
fn waiting(runs: &Runs) -> Vec<Statement> {
    let noisy = |figure: Figure| SSYNC_SOCKET.noisy_pairs(runs, figure, median);
    let medians = SSYNC_SOCKET.pairs(runs, seconds, median);
    let quiet = &medians[..1];
    let [first, last] =
        [medians.first(), medians.last()].map(|pair| pair.map_or(f64::NAN, |pair| pair.figures[0]));
    let slowest = SSYNC_SOCKET.pairs(runs, seconds, worst);
    let [unbalanced, balanced] = [0, 1].map(|kind| {
        let last = slowest.iter().filter(|pair| pair.slow >= 6).map(|pair| pair.figures[kind]);
        greatest(last) / first
    });
    vec![
        says(
            "semi-synchronous and unbalanced, the time to solution grows with the slow sockets, \
             from none to 8 (section 5, Figure 1)",
        )
        .within([last], above(first))
        .shown(format!("medians {first:.1} s and {last:.1} s")),
        SSYNC_SOCKET
            .always(
                "semi-synchronous, balancing lowers the median time to solution for every count of \
                 slow sockets; the paper has 3 to 10 %",
                &noisy(seconds),
                Pair::ratio,
                above(1.0),
                percent,
            )
            .or_because(BRAIDING_COSTS),
        SSYNC_SOCKET.always(
            "semi-synchronous and with nothing slow, the unbalanced runs are the quicker ones; the \
             paper has 5 %",
            quiet,
            Pair::ratio,
            ..1.0,
            percent,
        ),
        SSYNC_SOCKET
            .always(
                "semi-synchronous, the balanced runs sustain a higher iteration rate for every \
                 count of slow sockets",
                &noisy(rate),
                Pair::ratio,
                ..1.0,
                percent,
            )
            .or_because(
                "a rate counts updates wherever they are made: the bound holds between neighbours, \
                 so that unbalanced runs go on far from a slow socket with updates that bring the \
                 end no nearer",
            ),
        says(
            "semi-synchronous, with 6 to 8 slow sockets some unbalanced runs take 2 to 2.6 times \
             as long as quiet ones, and no balanced ones (section 5, Figure 1)",
        )
        .within([unbalanced], 2.0..)
        .within([balanced], ..2.0)
        .shown(format!("the slowest take {unbalanced:.2} and {balanced:.2} times as long"))
        .or_because(
            "a core that loses 40 % of its time takes 1 ÷ 0.6 = 1.67 times as long, and nobody \
             waits longer for it: the paper's outliers met more than the injected noise",
        ),
    ]
}

/// Judges the statements about Figure 2, whose ranks do not wait.
fn asynchronous(runs: &Runs) -> Vec<Statement> {
    let noisy = |figure: Figure| ASYNC_SOCKET.noisy_pairs(runs, figure, median);
    let quiet = balanced_without_noise(runs, median);
    vec![
        ASYNC_SOCKET
            .always(
                "asynchronous, balancing lowers the staleness for every count of slow sockets; the \
                 paper has 1.08x to 1.61x",
                &noisy(staleness),
                Pair::ratio,
                above(1.0),
                times,
            )
            .or_because(ONE_A_LOOK),
        ASYNC_SOCKET.always(
            "asynchronous, balancing does not affect the iteration rate adversely, by 1 % at most \
             (limit ours)",
            &ASYNC_SOCKET.pairs(runs, rate, median),
            Pair::change,
            -1.0..,
            percent,
        ),
        ASYNC_SOCKET
            .always(
                "asynchronous, balancing lowers the median time to solution for every count of \
                 slow sockets; the paper has up to 6 %",
                &noisy(seconds),
                Pair::ratio,
                above(1.0),
                percent,
            )
            .or_because(BRAIDING_COSTS),
        ASYNC_SOCKET.always(
            "asynchronous, the balanced runs take longer with slow sockets than without",
            &noisy(seconds),
            |pair| pair.figures[1],
            above(quiet),
            |pair| format!("{:+.1} %", (pair.figures[1] / quiet - 1.0) * 100.0),
        ),
    ]
}

/// Returns the reduced times of balanced asynchronous runs without slow sockets.
fn balanced_without_noise(runs: &Runs, of: Of) -> f64 {
    of(&runs.figures(&ASYNC_SOCKET.label(0, true), seconds))
}

/// Judges the statements about the worst cases of Figure 2.
fn worst_cases(runs: &Runs) -> Vec<Statement> {
    let slowest = ASYNC_SOCKET.pairs(runs, seconds, worst);
    let [unbalanced, balanced] = [0, 1].map(|kind| growth(&slowest, kind));
    let quiet = balanced_without_noise(runs, worst);
    let percent = |factor: f64| (factor - 1.0) * 100.0;
    vec![
        says(
            "asynchronous, the worst case grows at a higher rate without balancing (section 5, \
             Figure 2)",
        )
        .within([unbalanced], above(balanced))
        .shown(format!("{unbalanced:.2} s and {balanced:.2} s for each further slow socket"))
        .or_because(ONE_A_LOOK),
        ASYNC_SOCKET
            .always(
                "asynchronous and balanced, the worst case stays mostly flat up to 4 slow sockets: \
                 within 5 % of what the lost capacity makes of the quiet one (limit ours)",
                &slowest[1..5],
                |pair| pair.figures[1] - 1.05 * quiet * least(pair.slow),
                ..=0.0,
                |pair| {
                    let [found, least] = [pair.figures[1] / quiet, least(pair.slow)].map(percent);
                    format!("{found:+.1} % of {least:+.1} %")
                },
            )
            .or_because(ONE_A_LOOK),
    ]
}

/// Returns the seconds for each further slow socket: the slope of the line of least squares through
/// the worst cases.
fn growth(worst: &[Pair], kind: usize) -> f64 {
    let mean = |of: &dyn Fn(&Pair) -> f64| worst.iter().map(of).sum::<f64>() / worst.len() as f64;
    let slow = mean(&|pair| pair.slow.into());
    let time = mean(&|pair| pair.figures[kind]);
    let together = mean(&|pair| (f64::from(pair.slow) - slow) * (pair.figures[kind] - time));
    together / mean(&|pair| (f64::from(pair.slow) - slow).powi(2))
}

/// Returns the factor by which even a perfect balancer is slower with this number of the 30 sockets
/// slow.
fn least(slow: u32) -> f64 {
    1.0 / (1.0 - 0.4 * f64::from(slow) / 30.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::tests::{Fault, check, take};

    /// Sets the figures of a run as the paper describes them.
    fn normal(run: &mut Run) {
        let is_balanced = run.setting.ends_with(", balanced");
        let slow = run.setting.split(", ").find_map(|part| part.strip_suffix(" slow"));
        let slow: f64 = slow.unwrap().parse().unwrap();
        let times = match is_balanced {
            true => [100.0 + slow * 0.5; 3],
            false if slow == 0.0 => [99.0; 3],
            false if slow >= 6.0 && run.setting.starts_with("ssync") => [110.0, 110.0, 230.0],
            false => [105.0 + slow, 105.0 + slow, 110.0 + 4.0 * slow],
        };
        take(run, times);
        run.solved.iteration_rate = if is_balanced { 10.0 } else { 9.9 };
        run.solved.staleness_max = if is_balanced { 100 } else { 150 };
    }

    #[test]
    fn every_statement_can_hold_and_can_fail() {
        let faults: [Fault; 12] = [
            ("ssync:1, socket, 8 slow, unbalanced", |run| take(run, [99.0; 3]), &[0, 1]),
            ("ssync:1, socket, 3 slow, balanced", |run| take(run, [120.0; 3]), &[1]),
            ("ssync:1, socket, 0 slow, unbalanced", |run| take(run, [101.0; 3]), &[2]),
            ("ssync:1, socket, 5 slow, balanced", |run| run.solved.iteration_rate = 9.8, &[3]),
            ("ssync:1, socket, 8 slow, balanced", |run| take(run, [99.0, 99.0, 230.0]), &[4]),
            ("async, socket, 1 slow, balanced", |run| run.solved.staleness_max = 150, &[5]),
            ("async, socket, 0 slow, balanced", |run| run.solved.iteration_rate = 9.79, &[6]),
            ("async, socket, 8 slow, balanced", |run| take(run, [114.0; 3]), &[7]),
            ("async, socket, 2 slow, balanced", |run| take(run, [99.9; 3]), &[8]),
            (" slow, unbalanced", |run| take(run, [120.0; 3]), &[0, 2, 4, 9]),
            (
                "async, socket, 4 slow, balanced",
                |run| {
                    take(run, [102.0, 102.0, 112.0]);
                },
                &[10],
            ),
            ("8 slow, a rank per node, balanced", |run| run.solved.staleness_max = 150, &[11]),
        ];
        check(&SOCKETS, 3, normal, &faults);
    }
}
