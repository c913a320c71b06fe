//! Returns the points and times in the pictures of a comparison.

use super::order::Slowed;
use super::sample::ComparisonSample;
use super::setting::converged;
use crate::report::plots::{LandscapePoint, Samples, Times};

/// Returns the iteration rate and the spread of each method's runs that converged.
pub(super) fn points<'a>(
    samples: &'a [ComparisonSample],
    methods: impl IntoIterator<Item = &'a str>,
) -> Vec<LandscapePoint> {
    let point = |method: &'a str| {
        let setting = |slowed| {
            let good = converged(samples, method, slowed);
            Samples {
                iteration_rate: good.clone().filter_map(|sample| sample.iteration_rate).collect(),
                spread: good.map(|sample| sample.spread_end as f64).collect(),
            }
        };
        let [quiet, noisy] = Slowed::OR_NOT.map(setting);
        LandscapePoint { method: method.to_owned(), quiet, noisy }
    };
    methods.into_iter().map(point).collect()
}

/// Returns the times to solution of each method's runs that converged.
pub(super) fn times<'a>(
    samples: &'a [ComparisonSample],
    methods: impl IntoIterator<Item = &'a str>,
) -> Vec<Times> {
    let times = |method: &'a str| {
        let seconds = |slowed| converged(samples, method, slowed).map(|s| s.seconds).collect();
        Times { name: method.to_owned(), seconds: Slowed::OR_NOT.map(seconds) }
    };
    methods.into_iter().map(times).collect()
}
