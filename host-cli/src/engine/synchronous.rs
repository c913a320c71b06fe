//! The record of a run in which every part has the same count: of the solvers on rayon's pool, and of multigrid.

use tresse_core::convergence::norm;
use tresse_core::progress::{Progress, Staleness};
use tresse_core::run::{End, NoiseReport, RunConfig};
use tresse_core::time::Instant;

use crate::engine::recorder::{Recorder, sample};
use crate::engine::solution::{RunRecord, residual_report};
use tresse_draw::history::{History, HistorySample};

/// How a run ended; residuals are sums of squares.
pub(super) struct Ended {
    pub end: End,
    pub initial: f64,
    pub detected: Option<f64>,
    pub verified: f64,
    /// Updates of each part.
    pub count: u64,
    pub now: Instant,
}

impl Ended {
    pub fn record(
        self,
        config: &RunConfig,
        history: History,
        noise: Vec<NoiseReport>,
    ) -> RunRecord {
        let Self { end, initial, detected, verified, count, now } = self;
        let progress = progress(config, count);
        RunRecord {
            end,
            elapsed: now.since(Instant::ZERO),
            is_virtual: false,
            progress,
            spread_max: 0,
            spread_p99: None,
            sweeps: progress.updates,
            staleness: Staleness::default(),
            moves: 0,
            visits: None,
            transfers: 0,
            rounds: 0,
            auto: None,
            residual: residual_report(initial, detected, verified, config.stop.tolerance),
            history,
            noise,
            unpinned: Vec::new(),
        }
    }
}

/// Returns every subdomain of a node's workers at the same count.
fn progress(config: &RunConfig, count: u64) -> Progress {
    let subdomains = u64::from(config.workers_per_node()) * u64::from(config.split);
    Progress::level(count, subdomains)
}

/// Records a sample: the sum of squares of the residual, relative to the initial one, and the count of each of
/// `parts`.
pub(super) fn record(
    recorder: &mut Recorder,
    now: Instant,
    relative: f64,
    count: u64,
    config: &RunConfig,
    parts: u32,
) -> HistorySample {
    let residual = Some(norm(relative)).filter(|relative| relative.is_finite());
    let sample = sample(now, residual, &progress(config, count), 0, 0);
    recorder.record(now, sample, &vec![count; parts as usize]);
    sample
}
