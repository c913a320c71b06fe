//! Forecasts the time that a run still takes.
//!
//! Jacobi's error falls like a power of time at first, while it is made of many waves, and
//! exponentially at last, when the slowest is left. A residual that goes on at its present pace is
//! forecast too soon, a product of both laws, fitted to what it did, too late: as long as the two
//! are far apart nothing is known, and then the truth is between them.

use tresse_core::run::Stop;

use super::history::HistorySample;

/// Number of moments at which every other one is dropped.
const MOST: usize = 1_024;
/// Share of the time before which moments are ignored.
const PAST: f64 = 0.3;
/// Number of parts of the time, each of which counts by its medians.
const PARTS: usize = 24;
/// Least number of parts with moments in them that allow a forecast.
const LEAST_PARTS: usize = 12;
/// Share of the way, in logarithms, before which the laws cannot be told apart.
const LEAST_FALL: f64 = 1.0 / 6.0;
/// Greatest factor by which the two forecasts may differ.
const AGREE: f64 = 2.0;
/// Greatest forecast as a multiple of the time that the run has taken so far.
const FARTHEST: f64 = 1e3;

/// A moment of a run.
#[derive(Clone, Copy, Debug)]
struct Moment {
    seconds: f64,
    /// Mean update count.
    mean: f64,
    /// Logarithm of the relative residual.
    level: Option<f64>,
}

/// The observations of a run from which its remaining time is forecast.
#[derive(Clone, Debug, Default)]
pub struct Outlook {
    moments: Vec<Moment>,
    /// Least time between two moments that are kept.
    interval: f64,
    latest: Option<Moment>,
}

impl Outlook {
    /// Keeps a sample of the run, unless it is too soon after the last one that was kept.
    pub fn note(&mut self, sample: &HistorySample) {
        let level = sample.residual.filter(|residual| *residual > 0.0).map(f64::ln);
        let moment = Moment { seconds: sample.seconds, mean: sample.mean, level };
        self.latest = Some(moment);
        let last = self.moments.last().map_or(f64::NEG_INFINITY, |moment| moment.seconds);
        if moment.seconds < last + self.interval {
            return;
        }
        self.moments.push(moment);
        if self.moments.len() >= MOST {
            let mut keep = false;
            self.moments.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval = 2.0 * moment.seconds / MOST as f64;
        }
    }

    /// Returns the seconds until the run ends, in the time of its samples: the lesser of the
    /// forecasts by iterations and by residual.
    pub fn seconds_left(&self, stop: Stop) -> Option<f64> {
        let by_iterations =
            stop.iterations.and_then(|iterations| self.until_iterations(iterations));
        let by_residual = stop.tolerance.and_then(|tolerance| self.until_residual(tolerance));
        [by_iterations, by_residual].into_iter().flatten().reduce(f64::min)
    }

    /// Returns the seconds until this number of iterations, at the pace of the later half of the
    /// time.
    fn until_iterations(&self, iterations: u64) -> Option<f64> {
        let latest = self.latest?;
        let earlier = self.moments.partition_point(|moment| moment.seconds <= latest.seconds / 2.0);
        let first = self.moments.get(earlier.saturating_sub(1))?;
        let rate = (latest.mean - first.mean) / (latest.seconds - first.seconds);
        (rate > 0.0).then(|| (iterations as f64 - latest.mean).max(0.0) / rate)
    }

    /// Returns the seconds until the residual is at the tolerance: the geometric mean of two
    /// forecasts, by an exponential and by a fitted law. `None` where they differ by more than the
    /// factor `AGREE`, or where too little is known.
    fn until_residual(&self, tolerance: f64) -> Option<f64> {
        let now = self.latest?.seconds;
        let points = self.medians(now, tolerance.ln());
        if points.len() < LEAST_PARTS {
            return None;
        }
        let recent = Law::exponential(points.get(points.len() - points.len() / 3..)?)?;
        // Of the residual over the tolerance, as a logarithm.
        let log_excess = recent.level(1.0);
        if log_excess <= 0.0 {
            return Some(0.0);
        }
        let first_excess = self.moments.iter().find_map(|moment| moment.level)? - tolerance.ln();
        if log_excess > (1.0 - LEAST_FALL) * first_excess {
            return None;
        }
        let soonest = log_excess / recent.rate;
        let latest = Law::fitted(&points)?.falls_by(log_excess)?;
        let (least, most) = (soonest.min(latest), soonest.max(latest));
        (most <= AGREE * least).then(|| now * (least * most).sqrt())
    }

    /// Returns points of time, as a share of `now`, and level above `goal`, each the median over a
    /// part of the time.
    fn medians(&self, now: f64, goal: f64) -> Vec<(f64, f64)> {
        let mut parts = [const { Vec::new() }; PARTS];
        for moment in &self.moments {
            let (time, level) = (moment.seconds / now, moment.level.map(|level| level - goal));
            #[expect(clippy::cast_possible_truncation, reason = "below the number of parts")]
            #[expect(clippy::cast_sign_loss, reason = "not before the first part")]
            let part = ((time - PAST) / (1.0 - PAST) * PARTS as f64).max(0.0) as usize;
            if let Some(level) = level.filter(|_| time > PAST)
                && let Some(part) = parts.get_mut(part.min(PARTS - 1))
            {
                part.push((time, level));
            }
        }
        parts.iter_mut().filter_map(|part| Some((median(part, 0)?, median(part, 1)?))).collect()
    }
}

/// Returns the median of the times (`place` 0) or of the levels of a part.
fn median(part: &mut [(f64, f64)], place: usize) -> Option<f64> {
    let of = |point: &(f64, f64)| if place == 0 { point.0 } else { point.1 };
    part.sort_by(|one, other| of(one).total_cmp(&of(other)));
    part.get(part.len() / 2).map(of)
}

/// A law of descent: `level(t) = start − power · ln t − rate · (t − 1)`, where now is t = 1.
#[derive(Clone, Copy, Debug)]
struct Law {
    start: f64,
    power: f64,
    rate: f64,
}

impl Law {
    /// Returns the level at a time, in units of the time so far.
    fn level(self, time: f64) -> f64 {
        self.start - self.power * time.ln() - self.rate * (time - 1.0)
    }

    /// Returns the exponential law that fits best by least squares, or `None` where the level does
    /// not fall.
    fn exponential(points: &[(f64, f64)]) -> Option<Self> {
        let (slope, start) = line(points.iter().map(|&(time, level)| (1.0 - time, level)));
        (slope > 0.0).then_some(Self { start, power: 0.0, rate: slope })
    }

    /// Returns the law of a power that fits best by least squares, or `None` where the level does
    /// not fall.
    fn power(points: &[(f64, f64)]) -> Option<Self> {
        let (slope, start) = line(points.iter().map(|&(time, level)| (-time.ln(), level)));
        (slope > 0.0).then_some(Self { start, power: slope, rate: 0.0 })
    }

    /// Returns the law with both terms that fits best by least squares; neither term may rise.
    fn fitted(points: &[(f64, f64)]) -> Option<Self> {
        let mean = |of: &dyn Fn(f64, f64) -> f64| {
            points.iter().map(|&(time, level)| of(time, level)).sum::<f64>() / points.len() as f64
        };
        let (x, y) = (|time: f64| -time.ln(), |time: f64| 1.0 - time);
        let (mx, my, ml) = (mean(&|t, _| x(t)), mean(&|t, _| y(t)), mean(&|_, level| level));
        let xx = mean(&|t, _| (x(t) - mx) * (x(t) - mx));
        let yy = mean(&|t, _| (y(t) - my) * (y(t) - my));
        let xy = mean(&|t, _| (x(t) - mx) * (y(t) - my));
        let xl = mean(&|t, level| (x(t) - mx) * (level - ml));
        let yl = mean(&|t, level| (y(t) - my) * (level - ml));
        let scale = xx * yy - xy * xy;
        let (power, rate) = ((xl * yy - yl * xy) / scale, (yl * xx - xl * xy) / scale);
        if power < 0.0 {
            Self::exponential(points)
        } else if rate < 0.0 {
            Self::power(points)
        } else {
            (power + rate > 0.0).then_some(Self { start: ml - power * mx - rate * my, power, rate })
        }
    }

    /// Returns the further time, as a share of the time so far, until the level is lower by `fall`.
    fn falls_by(self, fall: f64) -> Option<f64> {
        let falls = |time: f64| self.start - self.level(time);
        let (mut low, mut high) = (1.0, FARTHEST);
        if falls(high) < fall {
            return None;
        }
        for _ in 0..64 {
            let middle = f64::midpoint(low, high);
            if falls(middle) < fall { low = middle } else { high = middle }
        }
        Some(high - 1.0)
    }
}

/// Returns slope and value at 0 of the straight line that fits best by least squares.
fn line(points: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let count = points.clone().count() as f64;
    let mean_x = points.clone().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.clone().map(|(_, y)| y).sum::<f64>() / count;
    let along = |(x, y): (f64, f64)| ((x - mean_x) * (y - mean_y), (x - mean_x) * (x - mean_x));
    let (xy, xx) = points.map(along).fold((0.0, 0.0), |sum, (xy, xx)| (sum.0 + xy, sum.1 + xx));
    (xy / xx, mean_y - xy / xx * mean_x)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use clap::Parser as _;

    use super::*;
    use crate::commands::args::{Cli, Command, resolve_simulation};
    use crate::simulation::{VirtualJob, simulate};

    const BY_RESIDUAL: Stop = Stop { tolerance: Some(1e-4), ..Stop::NEVER };

    /// Returns the outlook of a descent after each of its moments, 2 ms apart, and the true time
    /// left.
    fn forecasts(samples: &[HistorySample], stop: Stop) -> Vec<(f64, Option<f64>)> {
        let end = samples.last().map_or(0.0, |sample| sample.seconds);
        let mut outlook = Outlook::default();
        let forecast = |sample: &HistorySample| {
            outlook.note(sample);
            (end - sample.seconds, outlook.seconds_left(stop))
        };
        samples.iter().map(forecast).collect()
    }

    /// Returns the samples of a run until the residual is low enough.
    fn descent(residual: impl Fn(f64) -> f64) -> Vec<HistorySample> {
        let samples = (0..100_000_u32).map(f64::from).map(|step| {
            let seconds = step * 0.002;
            let residual = Some(residual(seconds));
            HistorySample { seconds, residual, mean: 100.0 * seconds, ..HistorySample::default() }
        });
        let mut reached = false;
        let until = |sample: &HistorySample| {
            let was_reached = reached;
            reached = sample.residual.is_some_and(|residual| residual <= 1e-4);
            !was_reached
        };
        samples.take_while(until).collect()
    }

    /// Asserts that forecasts from a share of the time on are there, and near the truth.
    #[track_caller]
    fn assert_known(forecasts: &[(f64, Option<f64>)], from: f64, within: f64) {
        let whole = forecasts.first().map_or(0.0, |(left, _)| *left);
        for (left, forecast) in forecasts {
            // Not at the very end, which a look at a consistent state may put off.
            if (0.03 * whole..(1.0 - from) * whole).contains(left) {
                let forecast = forecast.unwrap_or_else(|| panic!("nothing at {left} of {whole}"));
                let error = (forecast / left).max(left / forecast);
                assert!(error < within, "{forecast} for {left} of {whole}");
            }
        }
    }

    #[test]
    fn an_exponential_is_known_early() {
        assert_known(&forecasts(&descent(|t| (-3.0 * t).exp()), BY_RESIDUAL), 0.2, 1.05);
    }

    #[test]
    fn a_power_is_not_taken_for_an_exponential() {
        // At the pace of its start it would be over in a hundredth of the time.
        let samples = descent(|t| (1.0 + 200.0 * t).powf(-1.5));
        let forecasts = forecasts(&samples, BY_RESIDUAL);
        let whole = samples.last().unwrap().seconds;
        for (left, forecast) in forecasts.iter().filter(|(left, _)| *left > 0.02 * whole) {
            assert!(forecast.is_none_or(|forecast| forecast > 0.3 * left), "{forecast:?}, {left}");
        }
        assert_known(&forecasts, 0.7, 2.0);
    }

    #[test]
    fn spikes_do_not_matter() {
        let spike = |t: f64| if (t * 500.0).round() % 7.0 == 0.0 { 30.0 } else { 1.0 };
        let samples = descent(|t| spike(t) * (-t).exp());
        assert_known(&forecasts(&samples, BY_RESIDUAL), 0.2, 1.2);
    }

    #[test]
    fn what_does_not_fall_has_no_end() {
        for residual in [1.0, f64::NAN, 0.0, f64::INFINITY] {
            let all = forecasts(&descent(|_| residual)[..1], BY_RESIDUAL);
            assert!(all.iter().all(|(_, forecast)| forecast.is_none()), "{residual}");
        }
        let rising: Vec<_> = descent(f64::exp)[..5_000].to_vec();
        assert!(forecasts(&rising, BY_RESIDUAL).iter().all(|(_, forecast)| forecast.is_none()));
        assert_eq!(Outlook::default().seconds_left(BY_RESIDUAL), None);
    }

    #[test]
    fn iterations_are_counted() {
        let stop = Stop { iterations: Some(500), ..Stop::NEVER };
        let samples: Vec<_> = descent(|_| 1.0)[..2_500].to_vec();
        let forecasts = forecasts(&samples, stop);
        assert_known(&forecasts, 0.01, 1.05);
        // A resumed run has not made its first iterations itself.
        let resumed = HistorySample { mean: 400.0, ..HistorySample::default() };
        let mut outlook = Outlook::default();
        outlook.note(&resumed);
        outlook.note(&HistorySample { seconds: 1.0, mean: 450.0, ..resumed });
        let left = outlook.seconds_left(stop).unwrap();
        assert!((left - 1.0).abs() < 1e-9, "{left}");
    }

    #[test]
    fn a_real_descent_is_known_from_a_third_on() {
        let line = "tresse simulate --cells-per-worker 48x48 --timed-as 1000x1000 --mode";
        for mode in ["sync", "async"] {
            let words = line.split(' ').chain([mode]);
            let Command::Simulate(args) = Cli::try_parse_from(words).unwrap().command else {
                panic!("another command");
            };
            let resolved = resolve_simulation(&args, 1 << 30).unwrap();
            let job = VirtualJob {
                config: &resolved.run.config,
                problem: &resolved.run.problem,
                hardware: &resolved.machine.hardware,
                traces: &resolved.machine.traces,
                interrupt: &AtomicBool::new(false),
            };
            let mut samples = Vec::new();
            let mut watch = |sample: &HistorySample| samples.push(*sample);
            simulate::<f64>(job, &mut watch, &mut ()).unwrap();
            assert!(samples.len() > 100, "{}", samples.len());
            assert_known(&forecasts(&samples, BY_RESIDUAL), 0.4, 2.0);
        }
    }
}
