//! Sampling a run while it goes.

use std::collections::BTreeMap;

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::{Duration, Instant};
use tresse_core::parts::Graph;
use tresse_core::run::RunConfig;
use tresse_core::run::progress::Progress;

use tresse_draw::history::{History, HistorySample};

/// The most samples that are kept; then every other one is dropped.
const SAMPLES_MOST: usize = 1_024;
/// The most subdomains whose counts are kept over time.
const SUBDOMAINS_MOST: usize = 256;
/// Time between samples at first; doubled whenever samples are dropped.
const INTERVAL: Duration = Duration::from_millis(2);

/// A history that thins itself out, so that a run of any length keeps its memory.
#[derive(Debug)]
pub struct Recorder {
    history: History,
    stride: usize,
    interval: Duration,
    next: Instant,
    spreads: Spreads,
}

/// The spreads of a run's samples.
#[derive(Debug, Default)]
pub struct Spreads {
    /// Number of samples by their spread.
    samples: BTreeMap<u64, u64>,
}

impl Spreads {
    /// Adds a sample.
    pub fn add(&mut self, spread: u64) {
        *self.samples.entry(spread).or_default() += 1;
    }

    /// Returns the largest spread of a sample.
    pub fn most(&self) -> u64 {
        self.samples.last_key_value().map_or(0, |(spread, _)| *spread)
    }

    /// Returns the least spread that at least `percent` of the samples do not exceed (the nearest
    /// rank); none without a sample.
    pub fn percentile(&self, percent: u64) -> Option<u64> {
        let all: u64 = self.samples.values().sum();
        let rank = (all * percent).div_ceil(100);
        let mut seen = 0;
        let mut found = self.samples.iter().filter(|(_, samples)| {
            seen += **samples;
            seen >= rank
        });
        found.next().map(|(spread, _)| *spread)
    }
}

impl Recorder {
    /// Returns a recorder of all parts of a run.
    pub fn new<G: Graph<N>, const N: usize>(graph: &G, config: &RunConfig) -> Self {
        Self::of_parts(graph.parts(), |id| graph.first_owner(SubdomainId(id), config).0)
    }

    /// Returns a recorder of a number of parts, each with its first worker.
    pub fn of_parts(parts: u32, first_worker: impl Fn(u32) -> u32) -> Self {
        let stride = (parts as usize).div_ceil(SUBDOMAINS_MOST).max(1);
        let kept = || (0..parts).step_by(stride);
        let subdomains = kept().collect();
        let first_workers = kept().map(first_worker).collect();
        Self {
            history: History { subdomains, first_workers, ..History::default() },
            stride,
            interval: INTERVAL,
            next: Instant::ZERO,
            spreads: Spreads::default(),
        }
    }

    /// Counts the spread of a sample, where its counts are of one moment.
    pub fn count_spread(&mut self, spread: u64) {
        self.spreads.add(spread);
    }

    /// Reports whether the next sample is due.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
    }

    /// Returns the time from one sample to the next.
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// Keeps a sample; `counts` has the update count of every subdomain.
    pub fn record(&mut self, now: Instant, sample: HistorySample, counts: &[u64]) {
        self.next = now.after(self.interval);
        self.history.samples.push(sample);
        self.history.counts.push(counts.iter().copied().step_by(self.stride).collect());
        if self.history.samples.len() >= SAMPLES_MOST {
            thin(&mut self.history.samples);
            thin(&mut self.history.counts);
            self.interval = Duration(self.interval.0.saturating_mul(2));
        }
    }

    /// Returns the recorded history, and the spreads of the samples.
    pub fn finish(self) -> (History, Spreads) {
        (self.history, self.spreads)
    }
}

/// Returns the state of a run as one sample. The residual comes with the version at which all
/// subdomains had it, where it is of one version.
pub fn sample(
    now: Instant,
    residual: Option<(f64, Option<u64>)>,
    progress: &Progress,
    moves: u64,
    rounds: u64,
) -> HistorySample {
    HistorySample {
        seconds: now.seconds(),
        residual: residual.map(|(relative, _)| relative),
        residual_at: residual.and_then(|(_, at)| at),
        iteration_rate: progress.iteration_rate(now.since(Instant::ZERO)),
        spread: progress.spread(),
        least: progress.least,
        most: progress.most,
        mean: progress.mean(),
        moves,
        rounds,
    }
}

/// Drops every other element.
fn thin<T>(elements: &mut Vec<T>) {
    let mut keep = false;
    elements.retain(|_| {
        keep = !keep;
        keep
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_a_spread_that_was_seen() {
        let mut spreads = Spreads::default();
        assert_eq!((spreads.percentile(99), spreads.most()), (None, 0));
        (0..100).for_each(|spread| spreads.add(spread / 50));
        assert_eq!(
            [50, 51, 99].map(|percent| spreads.percentile(percent)),
            [Some(0), Some(1), Some(1)]
        );
        spreads.add(70);
        assert_eq!([99, 100].map(|percent| spreads.percentile(percent)), [Some(1), Some(70)]);
        assert_eq!(spreads.most(), 70);
    }
}
