//! What becomes of parts outside the hands of workers: where they come from, and how they are kept.

use tresse_core::base::id::SubdomainId;
use tresse_core::base::time::Instant;
use tresse_core::parts::Part;

use super::group::Group;
use crate::threads::Moment;

/// What a process does with parts besides iterating them. The defaults are those of a run without
/// checkpoints.
pub trait Keeper<T: Part>: Sync {
    /// Makes `part` the one of this number, as it was packed ([`Part::pack`]); false where it does
    /// not fit.
    fn unpack(
        &self,
        id: SubdomainId,
        part: &mut T,
        units: &mut dyn Iterator<Item = T::Unit>,
    ) -> bool {
        part.unpack(id, units)
    }

    /// Sets a part to its state at the start of the run. The default leaves it as it is.
    fn fill(&self, id: SubdomainId, part: &mut T) {
        let _ = (id, part);
    }

    /// Returns the number of updates that a part of this process had made before the run.
    fn updates(&self, id: SubdomainId) -> Option<u64> {
        let _ = id;
        None
    }

    /// Returns the number of updates that all parts of this process had made before the run.
    fn all_updates(&self) -> u64 {
        0
    }

    /// Returns the sum of squares of the residual that tolerances are relative to, where it is that
    /// of an earlier run.
    fn initial(&self) -> Option<f64> {
        None
    }

    /// Whether this process wants a checkpoint now.
    fn is_wanted(&self, now: Instant) -> bool {
        let _ = now;
        false
    }

    /// Begins a checkpoint; returns whether every process can write its piece. Collective, while
    /// all are halted.
    fn begin(&self, moment: &Moment, group: &mut dyn Group) -> bool {
        let _ = (moment, group);
        false
    }

    /// Saves a part that has made this number of updates; called by any worker.
    fn save(&self, id: SubdomainId, updates: u64, part: &T) {
        let _ = (id, updates, part);
    }

    /// Completes the checkpoint, if every process has written its piece. Collective.
    fn complete(&self, group: &mut dyn Group) {
        let _ = group;
    }

    /// Returns what is left of the run if it is killed, for a message; none where nothing is kept.
    fn left(&self) -> Option<String> {
        None
    }
}

/// Keeps nothing.
impl<T: Part> Keeper<T> for () {}
