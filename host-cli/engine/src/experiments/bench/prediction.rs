//! Compares the predictions of `simulate` for this machine with the results of `solve` on it.

use serde::Serialize;

use crate::experiments::comparison::ComparisonSample;
use tresse_draw::statistics::Quartiles;

/// Greatest relative difference of a prediction that is near.
const NEAR: f64 = 0.1;

/// The figures that are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Predicted {
    /// Iterations per second.
    Rate,
    /// Time to solution, in seconds.
    Seconds,
    /// Largest spread of update counts that was seen.
    SpreadMax,
    /// Number of subdomains that changed their worker.
    Moves,
}

/// The quality of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The medians differ by at most 10 %, or by one where both are small counts.
    Near,
    /// The medians differ by more, but the middle halves of both overlap.
    Scattered,
    /// The prediction is neither near nor scattered.
    Off,
}

/// One figure of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The figure.
    pub figure: Predicted,
    /// Name of the method.
    pub method: &'static str,
    /// Whether a parasite was present.
    pub noisy: bool,
    /// Quartiles of the simulated runs, each with a seed of its own.
    pub predicted: Quartiles,
    /// The quartiles of the real runs.
    pub measured: Quartiles,
    /// Predicted over measured median; `None` where nothing was measured.
    pub ratio: Option<f64>,
    /// Quality of the prediction.
    pub verdict: Verdict,
}

impl Predicted {
    /// All figures.
    pub const ALL: [Self; 4] = [Self::Rate, Self::Seconds, Self::SpreadMax, Self::Moves];

    /// Returns the figure's title in a table.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Rate => "iterations per second",
            Self::Seconds => "time to solution (s)",
            Self::SpreadMax => "largest spread",
            Self::Moves => "moves",
        }
    }

    /// Reports whether the figure is a count, for which a difference of 1 is near.
    const fn is_count(self) -> bool {
        matches!(self, Self::SpreadMax | Self::Moves)
    }

    /// Returns this figure of a run; it is not a number where the run has none.
    fn of(self, sample: &ComparisonSample) -> f64 {
        match self {
            Self::Rate => sample.iteration_rate.unwrap_or(f64::NAN),
            Self::Seconds => sample.seconds,
            Self::SpreadMax => sample.spread_max as f64,
            Self::Moves => sample.moves as f64,
        }
    }
}

impl Row {
    /// Reports whether it could have come otherwise: to predict no moves of who never moves is no
    /// merit.
    pub fn is_open(&self) -> bool {
        !self.figure.is_count() || self.measured.high > 1.0
    }
}

/// Returns all figures of all methods, quiet and noisy, that have runs of both kinds.
pub fn rows(
    methods: &[&'static str],
    simulated: &[ComparisonSample],
    solved: &[ComparisonSample],
) -> Vec<Row> {
    let mut rows = Vec::new();
    for figure in Predicted::ALL {
        for &method in methods {
            for noisy in [false, true] {
                let of = |samples: &[ComparisonSample]| {
                    let some = samples.iter().filter(|s| s.method == method && s.noisy == noisy);
                    Quartiles::of(&some.map(|sample| figure.of(sample)).collect::<Vec<_>>())
                };
                if let Some((predicted, measured)) = of(simulated).zip(of(solved)) {
                    rows.push(row((figure, method, noisy), predicted, measured));
                }
            }
        }
    }
    rows
}

/// Judges one prediction: near, within the scatter of both, or off.
fn row(
    (figure, method, noisy): (Predicted, &'static str, bool),
    predicted: Quartiles,
    measured: Quartiles,
) -> Row {
    let ratio = (measured.median > 0.0).then(|| predicted.median / measured.median);
    let is_near = ratio.is_some_and(|ratio| (ratio - 1.0).abs() <= NEAR)
        || figure.is_count() && (predicted.median - measured.median).abs() <= 1.0;
    let verdict = match predicted.low <= measured.high && measured.low <= predicted.high {
        _ if is_near => Verdict::Near,
        true => Verdict::Scattered,
        false => Verdict::Off,
    };
    Row { figure, method, noisy, predicted, measured, ratio, verdict }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::comparison::sample;

    #[test]
    fn a_prediction_is_judged_by_the_medians_and_by_the_scatter() {
        let runs = |seconds: &[f64]| -> Vec<ComparisonSample> {
            seconds.iter().map(|&seconds| sample("sync", true, seconds)).collect()
        };
        let verdict = |predicted: &[f64], measured: &[f64]| {
            let rows = rows(&["sync"], &runs(predicted), &runs(measured));
            let row = rows.iter().find(|row| row.figure == Predicted::Seconds).unwrap();
            assert_eq!((row.method, row.noisy, rows.len()), ("sync", true, 4));
            (row.verdict, row.ratio.unwrap())
        };
        let (near, ratio) = verdict(&[1.0, 1.09, 9.0], &[1.0]);
        assert!(near == Verdict::Near && (ratio - 1.09).abs() < 1e-12);
        assert_eq!(verdict(&[1.5], &[0.5, 1.0, 2.0, 0.6, 1.9]).0, Verdict::Scattered);
        assert_eq!(verdict(&[1.5], &[1.0, 1.1, 1.2]).0, Verdict::Off);
        assert_eq!(verdict(&[1.0, 1.1, 1.5, 2.0, 2.0], &[1.0, 1.1, 1.2]).0, Verdict::Scattered);
        assert!(rows(&["sync"], &runs(&[1.0]), &[]).is_empty());
    }

    #[test]
    fn what_can_only_be_zero_or_one_is_no_prediction() {
        let with = |moves| vec![ComparisonSample { moves, ..sample("sync", true, 1.0) }];
        let open = |moves| {
            let rows = rows(&["sync"], &with(moves), &with(moves));
            rows.iter().filter(|row| row.is_open()).map(|row| row.figure).collect::<Vec<_>>()
        };
        assert_eq!(open(2), Predicted::ALL);
        assert_eq!(open(1), [Predicted::Rate, Predicted::Seconds, Predicted::SpreadMax]);
    }
}
