//! The reports of the ranks of a pool.

use serde::{Deserialize, Serialize};
use tresse::engine::pool::{PoolError, PoolReport};
use tresse::files::recording::pool::spans;
use tresse_core::base::time::Instant;
use tresse_core::sim::owned::timeline::{Timeline, TrackRecorder};
use tresse_core::tasks::sharing::SharingStatistics;

use crate::mpi::Entry;

/// The report of one rank.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct RankReport {
    /// Counts of the rank's worker.
    pub worker: Option<SharingStatistics>,
    /// Number of messages that the rank sent.
    pub messages: u64,
    /// Whether the rank heard that all tasks are executed.
    pub ended: bool,
    /// Whether the rank had too many tasks.
    pub overflowed: bool,
}

/// The result of a pool on a rank.
#[derive(Debug)]
pub struct RankPooled<W> {
    /// The work of this rank, if it is a worker.
    pub work: Option<W>,
    /// Reports of all ranks, by rank, on the first one; empty on the others.
    pub all: Vec<RankReport>,
    /// Activities of all workers and managers, on the first rank.
    pub timeline: Timeline,
}

/// Returns every rank's report, on the first one. Collective.
pub(super) fn gather(entry: &mut Entry, own: &RankReport) -> Vec<RankReport> {
    let bytes = serde_json::to_vec(own).unwrap_or_default();
    let all = entry.gather_bytes(bytes).unwrap_or_default();
    let read = |bytes: &Vec<u8>| match serde_json::from_slice(bytes) {
        Ok(report) => report,
        Err(error) => entry.give_up(&error),
    };
    all.iter().map(read).collect()
}

/// Gathers the activities of all workers and managers on the first rank; the clocks of all ranks
/// have started together, and the run ends when the last one does. Collective.
pub(super) fn gather_timeline(
    entry: &mut Entry,
    now: Instant,
    [worker, manager]: [Option<TrackRecorder>; 2],
) -> Timeline {
    let end = Instant(entry.max_u64(now.0));
    let mut gathered = |own: Option<TrackRecorder>| {
        let bytes = own.map_or_else(Vec::new, |recorder| spans::encode(&recorder.finish(end)));
        let all = entry.gather_bytes(bytes).unwrap_or_default();
        let tracks = all.iter().filter(|bytes| !bytes.is_empty()).map(|bytes| spans::decode(bytes));
        tracks.map(|track| track.unwrap_or_else(|error| entry.give_up(&error))).collect::<Vec<_>>()
    };
    Timeline { workers: gathered(worker), managers: gathered(manager) }
}

impl<W> RankPooled<W> {
    /// Returns the report of all ranks together, on the first rank.
    pub fn report(self, most_tasks: usize) -> Result<PoolReport, PoolError> {
        let Self { all, timeline, .. } = self;
        let statistics: Vec<_> = all.iter().filter_map(|rank| rank.worker).collect();
        if all.iter().any(|rank| rank.overflowed) {
            return Err(PoolError::TooManyTasks { most: most_tasks });
        }
        if all.iter().any(|rank| !rank.ended) {
            let tasks = statistics.iter().map(SharingStatistics::done).sum();
            return Err(PoolError::Interrupted { tasks });
        }
        let messages = all.iter().map(|rank| rank.messages).sum();
        Ok(PoolReport::new(timeline, statistics, messages))
    }
}
