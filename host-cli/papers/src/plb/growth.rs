//! Measures the growth of a run's spread.

use crate::Run;
use tresse_draw::history::HistorySample;

/// Below this [`growth`] the spread of a run is taken to be bounded. The growth of a bounded one is
/// 1, that of a random walk 1.8, that of one in proportion to time 3.
pub(super) const BOUNDED: f64 = 1.5;
/// From this [`growth`] on the spread is taken to grow in proportion to time.
pub(super) const PROPORTIONAL: f64 = 2.5;

/// Returns the mean spread of the second half of a run's time ÷ that of the first half, or NaN for
/// a run without samples in both halves.
///
/// A mean of less than one update counts as one: below that there is nothing to grow.
pub(super) fn growth(run: &Run) -> f64 {
    let (first, second) = halves(run);
    // What is not a number must stay so, which `max` would not see to.
    let mean = |half: &[HistorySample]| {
        let sum: f64 = half.iter().map(|sample| sample.spread as f64).sum();
        if half.is_empty() { f64::NAN } else { (sum / half.len() as f64).max(1.0) }
    };
    mean(second) / mean(first)
}

/// Returns the spread when half of the time had passed, or NaN for a run without samples.
pub(super) fn spread_at_half(run: &Run) -> f64 {
    halves(run).1.first().map_or(f64::NAN, |sample| sample.spread as f64)
}

/// Returns the samples of both halves of the time.
fn halves(run: &Run) -> (&[HistorySample], &[HistorySample]) {
    let samples = &run.history.samples;
    let half = samples.last().map_or(0.0, |last| last.seconds / 2.0);
    samples.split_at(samples.partition_point(|sample| sample.seconds <= half))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use tresse_draw::history::History;

    /// Returns a hundred samples of a spread over time.
    pub fn spreads(spread: impl Fn(f64) -> f64) -> Vec<HistorySample> {
        let sample = |step: u32| {
            let seconds = f64::from(step) / 100.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            let spread = spread(seconds).round() as u64;
            HistorySample { seconds, spread, ..HistorySample::default() }
        };
        (1..=100).map(sample).collect()
    }

    fn run(samples: Vec<HistorySample>) -> Run {
        Run { history: History { samples, ..History::default() }, ..Run::default() }
    }

    #[test]
    fn growth_tells_bounded_from_unbounded() {
        let growth_of = |spread: fn(f64) -> f64| growth(&run(spreads(spread)));
        assert!((growth_of(|_| 50.0) - 1.0).abs() < 1e-9);
        assert!((growth_of(|t| 10_000.0 * t) - 3.0).abs() < 0.05);
        let walk = growth_of(|t| 10_000.0 * t.sqrt());
        assert!(walk > BOUNDED && walk < PROPORTIONAL, "{walk}");
        // Nothing at all, and then a single update, is no growth.
        assert!((growth_of(|t| if t > 0.9 { 1.0 } else { 0.0 }) - 1.0).abs() < 1e-9);
        assert!(growth(&run(Vec::new())).is_nan());
        assert!(growth(&run(spreads(|_| 1.0)[..1].to_vec())).is_nan());
    }

    #[test]
    fn half_is_half_of_the_time() {
        assert!((spread_at_half(&run(spreads(|t| 100.0 * t))) - 51.0).abs() < 1e-12);
        assert!(spread_at_half(&run(Vec::new())).is_nan());
    }
}
