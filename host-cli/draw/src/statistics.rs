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
    /// Returns estimates that are median-unbiased for any distribution (Hyndman & Fan 1996, type
    /// 8).
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

    /// Returns all three figures.
    pub const fn figures(self) -> [f64; 3] {
        [self.low, self.median, self.high]
    }
}

/// Returns the median, or NaN where there is no sample, so that no comparison with it holds.
pub fn median(samples: &[f64]) -> f64 {
    Quartiles::of(samples).map_or(f64::NAN, |quartiles| quartiles.median)
}

/// The ends of a box plot's whiskers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whiskers {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Whiskers {
    /// Returns whiskers to the outermost samples within one and a half times the box's length from
    /// the box (Tukey 1977, section 2C); samples farther out are outliers. Samples that are not
    /// finite are left out; the result is `None` if nothing remains.
    pub fn tukey(samples: &[f64]) -> Option<Self> {
        let Quartiles { low, high, .. } = Quartiles::of(samples)?;
        let reach = 1.5 * (high - low);
        // The samples beside the median are always within reach, but for rounding.
        let within = samples.iter().copied().filter(|x| *x >= low - reach && *x <= high + reach);
        let (low, high) = extremes(within).unwrap_or((low, high));
        Some(Self { low, high })
    }

    /// Returns whiskers from the least to the greatest sample.
    pub fn to_extremes(samples: &[f64]) -> Option<Self> {
        let (low, high) = extremes(samples.iter().copied())?;
        Some(Self { low, high })
    }

    /// Returns the distance of the whiskers' ends.
    pub fn spread(self) -> f64 {
        self.high - self.low
    }

    /// Reports whether a sample lies beyond the whiskers.
    pub fn leave_out(self, sample: f64) -> bool {
        sample < self.low || sample > self.high
    }
}

/// Returns the least and the greatest finite value, or `None` where there is none.
pub fn extremes(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().filter(|x| x.is_finite()).fold(None, |found, x| {
        let (least, most) = found.unwrap_or((x, x));
        Some((x.min(least), x.max(most)))
    })
}

/// Returns the least sample, or NaN where there is none.
pub fn least(samples: impl IntoIterator<Item = f64>) -> f64 {
    extremes(samples).map_or(f64::NAN, |(least, _)| least)
}

/// Returns the greatest sample, or NaN where there is none.
pub fn greatest(samples: impl IntoIterator<Item = f64>) -> f64 {
    extremes(samples).map_or(f64::NAN, |(_, greatest)| greatest)
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
    fn whiskers_end_at_samples_and_leave_outliers_out() {
        // Type 8: h = 11 ⅓ p + ⅓, quartiles 3 1/6 and 8 5/6 of 1 to 10 and 30, so a reach of 8 ½.
        let samples = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 30.0, f64::NAN];
        let whiskers = Whiskers::tukey(&samples).unwrap();
        assert_eq!(whiskers, Whiskers { low: 1.0, high: 10.0 });
        assert!(whiskers.leave_out(30.0) && !whiskers.leave_out(10.0));
        assert!((whiskers.spread() - 9.0).abs() < 1e-12);
        assert_eq!(Whiskers::to_extremes(&samples), Some(Whiskers { low: 1.0, high: 30.0 }));
        // 17 is within reach, which ends at 17 ⅓.
        let at = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 17.0];
        assert_eq!(Whiskers::tukey(&at), Some(Whiskers { low: 1.0, high: 17.0 }));
        assert_eq!(Whiskers::tukey(&[2.0]), Some(Whiskers { low: 2.0, high: 2.0 }));
        assert_eq!(Whiskers::tukey(&[]), None);
    }

    #[test]
    fn extremes_pass_over_what_is_not_finite() {
        assert_eq!(extremes([f64::NAN, 2.0, f64::NEG_INFINITY, -1.0]), Some((-1.0, 2.0)));
        assert_eq!(extremes([f64::NAN]), None);
    }
}
