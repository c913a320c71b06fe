//! Measures the time that others take from the cores while only the run is asked for: its share,
//! and the lengths of its bursts.

use tresse_core::base::time::Duration;
use tresse_core::run::noise::Parasite;

use super::run::Watched;
use super::timeline::{SWEEPS, Swept, undisturbed};

/// Bounds of the lengths by which bursts are counted, in nanoseconds: below each bound, and above
/// all. A machine has as many kinds of background.
const LENGTHS: [u64; 3] = [100_000, 1_000_000, 10_000_000];
const KINDS: usize = LENGTHS.len() + 1;
/// Share from which on a kind of bursts counts.
const LEAST: f64 = 1e-5;

/// The bursts of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kind {
    number: u64,
    time: u64,
}

/// The bursts of all cores together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    /// Sum of the times for which cores were watched.
    watched: u64,
    kinds: [Kind; KINDS],
}

impl Rest {
    /// Adds the times in runs without a balancer that are beyond those of sweeps and halos; returns
    /// their share of the cores' time.
    pub fn add(&mut self, runs: &[&Watched]) -> Option<f64> {
        let before = *self;
        runs.iter().flat_map(|run| &run.sweeps).for_each(|sweeps| self.add_worker(sweeps));
        let watched = self.watched - before.watched;
        let taken = self.taken() - before.taken();
        (watched > 0).then(|| taken as f64 / watched as f64)
    }

    /// Adds the bursts of one worker: the periods from sweep to sweep beyond `SWEEPS` times the
    /// usual one, without it.
    fn add_worker(&mut self, sweeps: &[Swept]) {
        let periods = sweeps.windows(2).filter_map(|pair| match pair {
            [one, next] if !one.residual && next.after.is_some() => {
                Some(next.starts.saturating_sub(one.starts))
            }
            _ => None,
        });
        let periods: Vec<u64> = periods.collect();
        let Some(usual) = undisturbed(&periods, SWEEPS).map(whole) else { return };
        self.watched += periods.iter().sum::<u64>();
        let bursts = periods.iter().filter(|&&period| period as f64 > usual as f64 * SWEEPS);
        for burst in bursts.map(|period| period.saturating_sub(usual)) {
            let place = LENGTHS.iter().position(|&length| burst < length).unwrap_or(LENGTHS.len());
            if let Some(kind) = self.kinds.get_mut(place) {
                kind.number += 1;
                kind.time += burst;
            }
        }
    }

    /// Returns the time of all bursts, in nanoseconds.
    fn taken(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.time).sum()
    }

    /// Returns the share of the cores' time that was taken.
    pub fn share(&self) -> f64 {
        if self.watched > 0 { self.taken() as f64 / self.watched as f64 } else { 0.0 }
    }

    /// Returns the bursts as the background of a machine.
    pub fn background(&self) -> Vec<Parasite> {
        let kinds = self
            .kinds
            .iter()
            .filter(|kind| kind.number > 0 && kind.time as f64 >= LEAST * self.watched as f64);
        let parasite = |kind: &Kind| {
            let gap = self.watched.saturating_sub(kind.time).checked_div(kind.number)?;
            let burst = kind.time.checked_div(kind.number)?;
            let is_noise = burst > 0 && gap > 0;
            is_noise.then_some(Parasite::Bursts { burst: Duration(burst), gap: Duration(gap) })
        };
        kinds.filter_map(parasite).collect()
    }
}

/// Returns a time in whole nanoseconds.
fn whole(nanoseconds: f64) -> u64 {
    let time = std::time::Duration::try_from_secs_f64(nanoseconds * 1e-9).unwrap_or_default();
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::stopwatch::{Mark, What};
    use super::super::timeline::{sweeps, tests::turns};
    use super::*;

    /// Returns bursts that take so many thousandths of the cores' time.
    pub fn taken(thousandths: u64) -> Rest {
        let mut rest = Rest { watched: 1_000, ..Rest::default() };
        let [first, ..] = &mut rest.kinds;
        *first = Kind { number: 1, time: thousandths };
        rest
    }

    #[test]
    fn bursts_are_what_takes_longer_than_usual() {
        // Every hundredth period of 1 µs takes 5 µs more, and one 300 µs.
        let mut late = 0;
        let marks: Vec<_> = turns(&[0], 2_200, 900, 100)
            .into_iter()
            .enumerate()
            .map(|(index, mark)| {
                let starts = matches!(mark.what, What::Starts(_));
                late += if starts && (index / 2) % 100 == 50 { 5_000 } else { 0 };
                late += if starts && index / 2 == 777 { 300_000 } else { 0 };
                Mark { at: mark.at + late, ..mark }
            })
            .collect();
        let mut rest = Rest::default();
        rest.add_worker(&sweeps(&marks, 0));
        assert_eq!(rest.kinds[0], Kind { number: 20, time: 100_000 });
        assert_eq!(rest.kinds[1], Kind { number: 1, time: 300_000 });
        let [short, long] = rest.background().try_into().unwrap();
        let burst = |burst, gap| Parasite::Bursts { burst: Duration(burst), gap: Duration(gap) };
        let watched = 1_999_000 + 400_000;
        assert_eq!(short, burst(5_000, (watched - 100_000) / 20));
        assert_eq!(long, burst(300_000, watched - 300_000));
        assert!((rest.share() - 400_000.0 / watched as f64).abs() < 1e-12);
        assert!(Rest::default().background().is_empty());
    }
}
