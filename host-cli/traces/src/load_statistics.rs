//! Statistics of loads: of objects, or of processors.

use std::io::{self, Write};

use serde::Serialize;

/// Remark for the readers of the figures.
pub const REMARK: &str = "moments of the population, kurtosis is not the excess";

/// The figures that the tables of load balancing show (Pébaÿ & Lifflander 2019), of the whole
/// population: every central moment is divided by the number of loads.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LoadStatistics {
    /// Number of loads.
    pub n: usize,
    /// Least load.
    pub min: f64,
    /// Mean of the loads.
    pub mean: f64,
    /// Greatest load.
    pub max: f64,
    /// Sum of the loads.
    pub sum: f64,
    /// Second central moment.
    pub variance: f64,
    /// Standard deviation, the square root of the variance.
    pub deviation: f64,
    /// Third central moment over the cube of the deviation; `None` where all loads are equal.
    pub skewness: Option<f64>,
    /// Fourth central moment over the square of the variance: 3 for a normal distribution, so not
    /// the excess; `None` where all loads are equal.
    pub kurtosis: Option<f64>,
    /// Maximum ÷ mean − 1; 0 without any load.
    pub imbalance: f64,
}

impl LoadStatistics {
    /// Returns the statistics of loads, all of which are finite, or `None` where there are no
    /// loads.
    pub fn of(loads: &[f64]) -> Option<Self> {
        let (min, max) = tresse_draw::statistics::extremes(loads.iter().copied())?;
        let n = loads.len();
        let sum: f64 = loads.iter().sum();
        let mean = sum / n as f64;
        let moment =
            |power| loads.iter().map(|load| (load - mean).powi(power)).sum::<f64>() / n as f64;
        let variance = moment(2);
        let deviation = variance.sqrt();
        // Equal loads may differ from their mean by its rounding.
        let spread = min < max && deviation > 0.0;
        Some(Self {
            n,
            min,
            mean,
            max,
            sum,
            variance,
            deviation,
            skewness: spread.then(|| moment(3) / deviation.powi(3)),
            kurtosis: spread.then(|| moment(4) / variance.powi(2)),
            imbalance: if sum > 0.0 { max / mean - 1.0 } else { 0.0 },
        })
    }
}

/// Writes the heads of the columns; `lead` stands before them and is as wide as that of the rows.
pub fn write_head(lead: &str, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{lead:<10}{:>7}", "n")?;
    for head in ["min", "mean", "max", "sum", "variance", "deviation"] {
        write!(out, "{head:>12}")?;
    }
    writeln!(out, "{:>10}{:>10}{:>14}", "skewness", "kurtosis", "imbalance")
}

/// Writes one row of figures.
pub fn write_row(lead: &str, loads: &LoadStatistics, out: &mut dyn Write) -> io::Result<()> {
    let LoadStatistics { n, min, mean, max, sum, variance, deviation, .. } = *loads;
    write!(out, "{lead:<10}{n:>7}")?;
    for figure in [min, mean, max, sum, variance, deviation] {
        write!(out, "{figure:>12.4e}")?;
    }
    for shape in [loads.skewness, loads.kurtosis] {
        let shape = shape.map_or("-".into(), |shape| format!("{shape:.4}"));
        write!(out, "{shape:>10}")?;
    }
    writeln!(out, "{:>14.6}", loads.imbalance)
}

#[cfg(test)]
mod tests {
    use tresse_files::load_traces::generate::{Loads, Setup, phase};

    use super::*;

    fn close(ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() <= theirs.abs().max(1.0) * 1e-12, "{ours} {theirs}");
    }

    #[test]
    fn one_loaded_processor_among_idle_ones() {
        // By hand: of P processors one has all the load S.
        let (p, s) = (16.0_f64, 3.0);
        let loads: Vec<f64> = std::iter::once(s).chain([0.0; 15]).collect();
        let statistics = LoadStatistics::of(&loads).unwrap();
        close(statistics.imbalance, p - 1.0);
        close(statistics.deviation, s * (p - 1.0).sqrt() / p);
        let skewness = (p * p - 3.0 * p + 2.0) / (p - 1.0).powf(1.5);
        close(statistics.skewness.unwrap(), skewness);
        let kurtosis = (p.powi(3) - 4.0 * p * p + 6.0 * p - 3.0) / (p - 1.0).powi(2);
        close(statistics.kurtosis.unwrap(), kurtosis);
        close(statistics.variance, statistics.deviation.powi(2));
        assert_eq!((statistics.n, statistics.min, statistics.max), (16, 0.0, s));
    }

    #[test]
    fn what_has_no_shape_has_no_skewness() {
        for loads in [&[0.1; 10][..], &[0.0; 3], &[7.0]] {
            let statistics = LoadStatistics::of(loads).unwrap();
            assert_eq!((statistics.skewness, statistics.kurtosis), (None, None));
            close(statistics.imbalance, 0.0);
        }
        assert_eq!(LoadStatistics::of(&[]), None);
    }

    fn drawn(loads: &str) -> LoadStatistics {
        let loads = Loads::parse(loads).unwrap();
        let setup = Setup { processors: 64, objects: 20_000, on: 4, loads };
        LoadStatistics::of(&phase(&setup, 1).seconds).unwrap()
    }

    #[test]
    fn drawn_loads_have_the_moments_of_their_distribution() {
        let near = |ours: f64, theirs: f64| assert!((ours / theirs - 1.0).abs() < 0.05, "{ours}");
        let uniform = drawn("uniform:1,3");
        near(uniform.mean, 2.0);
        near(uniform.variance, 4.0 / 12.0);
        near(uniform.kurtosis.unwrap(), 1.8);
        assert!(uniform.min >= 1.0 && uniform.max <= 3.0);
        let lognormal = drawn("lognormal:-1,0.5");
        near(lognormal.mean, (-1.0 + 0.125_f64).exp());
        near(lognormal.variance, (0.25_f64.exp() - 1.0) * (-2.0 + 0.25_f64).exp());
        let bimodal = drawn("bimodal:1,2..4,0.25");
        near(bimodal.mean, 0.75 + 0.25 * 3.0);
        near(bimodal.variance, 0.75 + 0.25 * (9.0 + 4.0 / 12.0) - 2.25);
    }
}
