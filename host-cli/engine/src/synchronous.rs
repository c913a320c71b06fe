//! The record of a run in which every part has the same count: of the solvers on rayon's pool, and
//! of multigrid.

use tresse_core::base::time::Instant;
use tresse_core::run::convergence::norm;
use tresse_core::run::progress::{Progress, Staleness};
use tresse_core::run::{End, NoiseReport, RunConfig};

use crate::recorder::{Recorder, sample};
use crate::solution::{RunRecord, residual_report};
use tresse_draw::history::{History, HistorySample};

/// Updates of each part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    /// Updates of this run and of those that it goes on from.
    pub all: u64,
    /// Those of the latter.
    pub before: u64,
}

/// How a run ended; residuals are sums of squares.
pub(super) struct Ended {
    pub end: End,
    pub initial: f64,
    pub detected: Option<f64>,
    pub verified: f64,
    pub count: Count,
    /// Parts that this process has given to others.
    pub moved: u64,
    pub now: Instant,
}

impl Ended {
    /// Returns the record of the run, in which nothing was stale and nothing spread.
    pub fn record(
        self,
        config: &RunConfig,
        history: History,
        noise: Vec<NoiseReport>,
    ) -> RunRecord {
        let Self { end, initial, detected, verified, count, moved, now } = self;
        RunRecord {
            end,
            elapsed: now.since(Instant::ZERO),
            is_virtual: false,
            progress: progress(config, count.all),
            spread_max: 0,
            spread_p99: None,
            sweeps: own_progress(config, count).updates,
            staleness: Staleness::default(),
            moves: 0,
            visits: None,
            transfers: moved,
            rounds: 0,
            auto: None,
            residual: residual_report(initial, detected, verified, &config.stop),
            error_estimate: None,
            history,
            noise,
            cpu_share: None,
            unpinned: Vec::new(),
        }
    }
}

/// Returns every subdomain of a node's workers at the same count.
fn progress(config: &RunConfig, count: u64) -> Progress {
    let subdomains = u64::from(config.workers_per_node()) * u64::from(config.split);
    Progress::level(count, subdomains)
}

/// Returns the progress of this run alone, without those that it goes on from.
fn own_progress(config: &RunConfig, Count { all, before }: Count) -> Progress {
    progress(config, all.saturating_sub(before))
}

/// Records a sample: the sum of squares of the residual, relative to the initial one, and the count
/// of each of `parts`.
pub(super) fn record(
    recorder: &mut Recorder,
    now: Instant,
    relative: f64,
    count: Count,
    config: &RunConfig,
    parts: u32,
) -> HistorySample {
    let relative = norm(relative);
    let residual = relative.is_finite().then_some((relative, None));
    let mut sample = sample(now, residual, &progress(config, count.all), 0, 0);
    sample.iteration_rate = own_progress(config, count).iteration_rate(now.since(Instant::ZERO));
    recorder.record(now, sample, &vec![count.all; parts as usize]);
    sample
}
