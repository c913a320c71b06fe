//! How the spread of a run goes on over time.

use crate::report::history::Sample;

/// From here on the spread of a run is taken to grow. The growth of a bounded one is 1, that of a
/// random walk 1.8, that of one in proportion to time 3.
pub(super) const BOUNDED: f64 = 1.4;
/// From here on the spread is taken to grow in proportion to time.
pub(super) const PROPORTIONAL: f64 = 2.5;

/// The mean spread of the second half of a run's time ÷ that of the first half; none for a run that
/// was not looked at in both.
///
/// A spread of less than one update counts as one: below that there is nothing to grow.
pub(super) fn growth(samples: &[Sample]) -> Option<f64> {
    let half = samples.last()?.seconds / 2.0;
    let (first, second) = samples.split_at(samples.partition_point(|s| s.seconds <= half));
    Some(mean(second)?.max(1.0) / mean(first)?.max(1.0))
}

fn mean(samples: &[Sample]) -> Option<f64> {
    let sum: f64 = samples.iter().map(|sample| sample.spread as f64).sum();
    (!samples.is_empty()).then(|| sum / samples.len() as f64)
}
