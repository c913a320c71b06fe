//! Sampling a run while it goes.

use tresse_core::id::SubdomainId;
use tresse_core::part::Graph;
use tresse_core::progress::Progress;
use tresse_core::run::RunConfig;
use tresse_core::time::{Duration, Instant};

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
        }
    }

    /// Reports whether the next sample is due.
    pub fn is_due(&self, now: Instant) -> bool {
        now >= self.next
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

    /// Returns the recorded history.
    pub fn finish(self) -> History {
        self.history
    }
}

/// Returns the state of a run as one sample.
pub fn sample(
    now: Instant,
    residual: Option<f64>,
    progress: &Progress,
    moves: u64,
    rounds: u64,
) -> HistorySample {
    HistorySample {
        seconds: now.seconds(),
        residual,
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
