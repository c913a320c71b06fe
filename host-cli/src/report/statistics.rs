//! Medians and quartiles of repeated measurements.

use serde::Serialize;
use statrs::statistics::{Data, OrderStatistics};

/// The middle of some samples, as in the paper's figures (Zarins & Weiland 2017, figure 3).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quartiles {
    /// The 25th percentile.
    pub low: f64,
    /// The 50th percentile.
    pub median: f64,
    /// The 75th percentile.
    pub high: f64,
}

impl Quartiles {
    /// Estimates that are median-unbiased for any distribution (Hyndman & Fan 1996, type 8).
    ///
    /// Samples that are not finite are left out; none if nothing remains.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let finite: Vec<f64> = samples.iter().copied().filter(|x| x.is_finite()).collect();
        if finite.is_empty() {
            return None;
        }
        let mut data = Data::new(finite);
        Some(Self {
            low: data.lower_quartile(),
            median: data.median(),
            high: data.upper_quartile(),
        })
    }
}

/// The least and the greatest finite value; none if there is none.
pub fn extremes(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|x| x.is_finite()).fold(None, |found, x| {
        let (least, most) = found.unwrap_or((x, x));
        Some((x.min(least), x.max(most)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_against_known_values() {
        // Hyndman & Fan's type 8 by hand: h = (n + 1/3) p + 1/3 into the sorted samples.
        let quartiles = Quartiles::of(&[4.0, f64::NAN, 1.0, 3.0, 2.0, 5.0]).unwrap();
        assert!((quartiles.low - 5.0 / 3.0).abs() < 1e-12, "{quartiles:?}");
        assert!((quartiles.median - 3.0).abs() < 1e-12);
        assert!((quartiles.high - 13.0 / 3.0).abs() < 1e-12);
        let one = Quartiles::of(&[7.0]).unwrap();
        assert_eq!(one, Quartiles { low: 7.0, median: 7.0, high: 7.0 });
        assert_eq!(Quartiles::of(&[f64::NAN, f64::INFINITY]), None);
    }

    #[test]
    fn extremes_pass_over_what_is_not_finite() {
        assert_eq!(extremes([f64::NAN, 2.0, f64::NEG_INFINITY, -1.0]), Some((-1.0, 2.0)));
        assert_eq!(extremes([f64::NAN]), None);
    }
}
