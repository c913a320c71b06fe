//! Reports of a pool's run.

use serde::Serialize;
use tresse_core::sim::owned::timeline::{Spent, Timeline};
use tresse_core::tasks::sharing::{Activity, SharingStatistics};

/// The times and counts of one worker. Its seconds add up to those of the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct WorkerReport {
    /// Seconds with the worker's own tasks.
    pub busy: f64,
    /// Seconds with tasks of copies.
    pub speculating: f64,
    /// Seconds without tasks, until some came.
    pub searching: f64,
    /// Seconds without tasks, after the last one.
    pub idle: f64,
    /// Seconds with the work of managers, where workers do that in turn.
    pub managing: f64,
    /// Seconds with messages, which are counted separately in virtual time only.
    pub messaging: f64,
    /// Numbers of tasks and messages.
    #[serde(flatten)]
    pub statistics: SharingStatistics,
}

impl WorkerReport {
    /// Returns the report of a worker's times and counts.
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

/// The report of a pool's run.
#[derive(Clone, Debug)]
pub struct PoolReport {
    /// Report of each worker.
    pub workers: Vec<WorkerReport>,
    /// Duration of the run in seconds.
    pub seconds: f64,
    /// Activities of all workers and managers over time.
    pub timeline: Timeline,
    /// Number of messages sent.
    pub messages: u64,
    /// Cores that a worker could not be pinned to.
    pub unpinned: Vec<u32>,
}

impl PoolReport {
    /// Returns the report of a timeline, the counts of each worker, and the number of messages that
    /// were sent.
    pub fn new(
        timeline: Timeline,
        statistics: impl IntoIterator<Item = SharingStatistics>,
        messages: u64,
    ) -> Self {
        let workers = timeline.workers.iter().zip(statistics);
        let report = |(track, statistics): (&tresse_core::sim::owned::timeline::Track, _)| {
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

    /// Returns the counts of all workers together.
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
