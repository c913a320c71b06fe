//! What the experiments on progress have in common: medians, and how a run's spread goes on.

use crate::report::history::{History, HistorySample};
use crate::report::statistics::Quartiles;
use crate::reproduce::runs::{self, Runs};

/// Below this [`growth`] the spread of a run is taken to be bounded. The growth of a bounded one is
/// 1, that of a random walk 1.8, that of one in proportion to time 3.
pub(super) const BOUNDED: f64 = 1.5;
/// From this [`growth`] on the spread is taken to grow in proportion to time.
pub(super) const PROPORTIONAL: f64 = 2.5;

/// The mean spread of the second half of a run's time ÷ that of the first half; none for a run that
/// was not looked at in both.
///
/// A mean of less than one update counts as one: below that there is nothing to grow.
pub(super) fn growth(samples: &[HistorySample]) -> Option<f64> {
    let (first, second) = samples.split_at(middle(samples)?);
    Some(mean(second)?.max(1.0) / mean(first)?.max(1.0))
}

/// The spread when half of the time had passed.
pub(super) fn spread_at_half(samples: &[HistorySample]) -> Option<f64> {
    samples.get(middle(samples)?).map(|sample| sample.spread as f64)
}

/// The first sample of the second half of the time.
fn middle(samples: &[HistorySample]) -> Option<usize> {
    let half = samples.last()?.seconds / 2.0;
    Some(samples.partition_point(|sample| sample.seconds <= half))
}

fn mean(samples: &[HistorySample]) -> Option<f64> {
    let sum: f64 = samples.iter().map(|sample| sample.spread as f64).sum();
    (!samples.is_empty()).then(|| sum / samples.len() as f64)
}

/// The histories of a setting's runs.
pub(super) fn histories<'a>(
    runs: &'a Runs,
    label: &'a str,
) -> impl Iterator<Item = &'a History> + 'a {
    runs.histories.iter().filter(move |(setting, _)| setting == label).map(|(_, history)| history)
}

/// One figure of each of a setting's histories.
pub(super) fn of_histories(
    runs: &Runs,
    label: &str,
    figure: fn(&[HistorySample]) -> Option<f64>,
) -> Vec<f64> {
    histories(runs, label).filter_map(|history| figure(&history.samples)).collect()
}

/// The median [`growth`] of a setting's runs; not a number where there are none.
pub(super) fn median_growth(runs: &Runs, label: &str) -> f64 {
    median(&of_histories(runs, label, growth))
}

/// The spread at the end (section 3.1).
pub(super) const fn spread(sample: &runs::RunSample) -> f64 {
    sample.spread_end as f64
}

/// The median of a figure of a setting's runs; not a number where there are none.
pub(super) fn median_of(runs: &Runs, label: &str, figure: fn(&runs::RunSample) -> f64) -> f64 {
    median(&runs.figures(label, figure))
}

/// The median; not a number where there is none, so that no comparison with it holds.
pub(super) fn median(figures: &[f64]) -> f64 {
    Quartiles::of(figures).map_or(f64::NAN, |quartiles| quartiles.median)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A run of a setting that ended with this rate and spread.
    pub fn ended(setting: &str, iteration_rate: f64, spread_end: u64) -> runs::RunSample {
        runs::RunSample {
            setting: setting.to_owned(),
            problem: String::new(),
            replicate: 0,
            seed: 1,
            ended: true,
            seconds: 1.0,
            iterations: 1_000.0,
            iteration_rate,
            spread_end,
            spread_max: spread_end,
            staleness_mean: 0.5,
            staleness_max: 3,
            moves: 0,
            transfers: 0,
            residual_relative: 1.0,
            noise_share: None,
        }
    }

    /// A hundred samples of a spread over time.
    pub fn spreads(spread: impl Fn(f64) -> f64) -> Vec<HistorySample> {
        let sample = |step: u32| {
            let seconds = f64::from(step) / 100.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let spread = spread(seconds).round() as u64;
            HistorySample { seconds, spread, ..HistorySample::default() }
        };
        (1..=100).map(sample).collect()
    }

    #[test]
    fn growth_tells_bounded_from_unbounded() {
        let growth = |spread: fn(f64) -> f64| growth(&spreads(spread)).unwrap();
        assert!((growth(|_| 50.0) - 1.0).abs() < 1e-9);
        assert!((growth(|t| 10_000.0 * t) - 3.0).abs() < 0.05);
        let walk = growth(|t| 10_000.0 * t.sqrt());
        assert!(walk > BOUNDED && walk < PROPORTIONAL, "{walk}");
        // Nothing at all, and then a single update, is no growth.
        assert!((growth(|t| if t > 0.9 { 1.0 } else { 0.0 }) - 1.0).abs() < 1e-9);
        assert_eq!(super::growth(&[]), None);
        assert_eq!(super::growth(&spreads(|_| 1.0)[..1]), None);
    }

    #[test]
    fn half_is_half_of_the_time() {
        assert_eq!(spread_at_half(&spreads(|t| 100.0 * t)), Some(51.0));
        assert_eq!(spread_at_half(&[]), None);
        assert!(median(&[]).is_nan());
    }
}
