//! What workers see of a node's parts, and of each other.

use crate::base::id::{SubdomainId, WorkerId};

/// What a worker sees of the parts and of the other workers. All of it are hints: each is read at a
/// moment of its own and may be old.
pub trait Board {
    /// Returns the version of a part.
    fn version(&self, part: SubdomainId) -> u64;

    /// Whether nobody has claimed a part.
    fn is_free(&self, part: SubdomainId) -> bool;

    /// Whether the neighbours of a part at `version` are far enough for its next update, and no
    /// halt is in the way.
    fn is_ready(&self, part: SubdomainId, version: u64) -> bool;

    /// Whether a part that somebody has claimed is being swept so that others can help.
    fn is_open(&self, part: SubdomainId) -> bool;

    /// Returns the number of times that a part was found to be stuck in the hands of a worker.
    fn stuck(&self, worker: WorkerId) -> u64;

    /// Adds a time, for the worker that has a part which is not open.
    fn tell_stuck(&self, part: SubdomainId);

    /// Returns the lowest version of the parts at home with a worker, as it was last published.
    fn least(&self, worker: WorkerId) -> u64;

    /// Returns the worker, other than `me`, of a node of so many whose published version is the
    /// lowest, with that version; ties go to the lowest number. A board of many workers may know it
    /// without a look at each.
    fn furthest_behind(&self, me: WorkerId, workers: u32) -> Option<(u64, WorkerId)> {
        let others = (0..workers).map(WorkerId).filter(|&worker| worker != me);
        others.map(|worker| (self.least(worker), worker)).min_by_key(|&(least, _)| least)
    }

    /// Publishes the lowest version of the parts at home with a worker: by that worker, or by one
    /// that has looked at them.
    fn publish_least(&self, worker: WorkerId, least: u64);
}
