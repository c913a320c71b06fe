//! What workers see of a node's parts, and of each other.

use crate::base::id::{SubdomainId, WorkerId};

/// What a worker sees of the parts and of the other workers. All of it are hints: each is read at a
/// moment of its own and may be old.
pub trait Board {
    /// Returns the version of a part.
    fn version(&self, part: SubdomainId) -> u64;

    /// Whether nobody has claimed a part.
    fn is_free(&self, part: SubdomainId) -> bool;

    /// Whether a part at `version` may be updated next: its neighbours are far enough for the mode,
    /// and no halt forbids it.
    fn is_ready(&self, part: SubdomainId, version: u64) -> bool;

    /// Whether a part that somebody has claimed is being swept so that others can help.
    fn is_open(&self, part: SubdomainId) -> bool;

    /// Returns how often a part was found to be stuck in the hands of a worker.
    fn stuck(&self, worker: WorkerId) -> u64;

    /// Counts one more time for the worker that holds a part which is stuck and not open.
    fn tell_stuck(&self, part: SubdomainId);

    /// Returns the lowest version of the parts at home with a worker, as last published.
    fn least(&self, worker: WorkerId) -> u64;

    /// Returns the lowest published version among `workers` workers other than `me`, and its
    /// worker; ties go to the lowest number. A board of many workers may know it without asking
    /// each.
    fn furthest_behind(&self, me: WorkerId, workers: u32) -> Option<(u64, WorkerId)> {
        let others = (0..workers).map(WorkerId).filter(|&worker| worker != me);
        others.map(|worker| (self.least(worker), worker)).min_by_key(|&(least, _)| least)
    }

    /// Publishes the lowest version of the parts at home with a worker. The worker itself calls it,
    /// or one that has looked at these parts.
    fn publish_least(&self, worker: WorkerId, least: u64);
}
