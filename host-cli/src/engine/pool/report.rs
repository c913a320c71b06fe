//! What happened in a pool.

use serde::Serialize;
use tresse_core::owned::timeline::{Spent, Timeline};
use tresse_core::sharing::{Activity, SharingStatistics};

/// What one worker did. Its seconds add up to those of the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WorkerReport {
    /// Seconds with tasks of its own.
    pub busy: f64,
    /// Seconds with tasks of copies.
    pub speculating: f64,
    /// Seconds without any, until some came.
    pub searching: f64,
    /// Seconds without any, after its last one.
    pub idle: f64,
    /// Seconds with what a manager does, where that is a turn of the workers.
    pub managing: f64,
    /// Seconds with messages, where they are told apart: in virtual time.
    pub messaging: f64,
    /// Numbers of tasks and messages.
    #[serde(flatten)]
    pub statistics: SharingStatistics,
}

impl WorkerReport {
    /// What a worker was at, and what it counted.
    pub fn new(spent: &Spent, statistics: SharingStatistics) -> Self {
        let seconds = |activity| spent.with(activity).seconds();
        Self {
            busy: seconds(Activity::Tasks),
            speculating: seconds(Activity::Copies),
            searching: seconds(Activity::Searching),
            idle: seconds(Activity::Idle),
            managing: seconds(Activity::Managing),
            messaging: seconds(Activity::Messages),
            statistics,
        }
    }
}

/// What happened in a run.
#[derive(Clone, Debug)]
pub struct PoolReport {
    /// What each worker did.
    pub workers: Vec<WorkerReport>,
    /// How long it took.
    pub seconds: f64,
    /// What everybody was at.
    pub timeline: Timeline,
    /// Messages sent.
    pub messages: u64,
    /// Cores that a worker could not be pinned to.
    pub unpinned: Vec<u32>,
}

impl PoolReport {
    /// What everybody was at, what each worker counted, and the messages that were sent.
    pub fn new(
        timeline: Timeline,
        statistics: impl IntoIterator<Item = SharingStatistics>,
        messages: u64,
    ) -> Self {
        let workers = timeline.workers.iter().zip(statistics);
        let report = |(track, statistics): (&tresse_core::owned::timeline::Track, _)| {
            WorkerReport::new(&track.spent(), statistics)
        };
        Self {
            workers: workers.map(report).collect(),
            seconds: timeline.end().seconds(),
            timeline,
            messages,
            unpinned: vec![],
        }
    }

    /// What all workers did together.
    pub fn statistics(&self) -> SharingStatistics {
        let all = self.workers.iter().map(|worker| worker.statistics);
        all.fold(SharingStatistics::default(), SharingStatistics::and)
    }

    /// Returns the share of all workers' time that `seconds` has of it.
    pub fn share(&self, seconds: impl Fn(&WorkerReport) -> f64) -> f64 {
        let all = self.seconds * self.workers.len() as f64;
        self.workers.iter().map(seconds).sum::<f64>() / all
    }

    /// Returns the time of all tasks that were not in vain, spread evenly.
    pub fn ideal_seconds(&self) -> f64 {
        let statistics = self.statistics();
        // Of the time with copies, what became the worker's own.
        let committed = statistics.committed as f64 / statistics.speculated.max(1) as f64;
        let speculating = self.share(|worker| worker.speculating) * committed;
        self.seconds * (self.share(|worker| worker.busy) + speculating)
    }

    /// Returns the share of the time for which the busiest manager had something to do.
    pub fn manager_busy(&self) -> f64 {
        let managers = self.timeline.managers.iter();
        let busy = managers.map(|track| track.spent().with(Activity::Managing).seconds());
        busy.fold(0.0, f64::max) / self.seconds
    }
}
