//! The assignment of subdomains to workers, and marks for the workers that have to look again.

use crate::base::bug::OrBug;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::{AtomicBool, AtomicU32, Ordering};
use crate::parts::ownership::Move;

/// A worker's mark that its working set has changed, on a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct DirtyMark(AtomicBool);

impl DirtyMark {
    /// Returns a mark that makes its worker look at its working set for the first time.
    pub fn new() -> Self {
        Self(AtomicBool::new(true))
    }
}

impl Default for DirtyMark {
    fn default() -> Self {
        Self::new()
    }
}

/// The balancer's decisions on their way to the workers (section 4.2).
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'m> {
    owners: &'m [AtomicU32],
    dirty: &'m [DirtyMark],
}

impl<'m> Assignment<'m> {
    /// Returns the assignment in this memory: `owners` has one worker number a subdomain, `dirty`
    /// one mark a worker.
    pub const fn new(owners: &'m [AtomicU32], dirty: &'m [DirtyMark]) -> Self {
        Self { owners, dirty }
    }

    /// Tells both workers of a move.
    pub fn announce(&self, made: Move) {
        let owner = self.owners.get(made.subdomain.index());
        if let Some(owner) = owner.or_bug("a subdomain that is not there moves") {
            owner.store(made.to.0, Ordering::Relaxed);
        }
        self.mark(made.from);
        self.mark(made.to);
    }

    /// Makes a worker look at its working set again; nothing where the number is nobody's, such as that
    /// under which a driver has what is elsewhere.
    pub fn mark(&self, worker: WorkerId) {
        if let Some(mark) = self.dirty.get(worker.index()) {
            // This is an exchange, as in `take_dirty`: loom does not keep a plain store from
            // slipping between the two halves of the other's exchange.
            mark.0.swap(true, Ordering::Release);
        }
    }

    /// Whether a worker's working set has changed since it last asked.
    #[inline]
    pub fn take_dirty(&self, worker: WorkerId) -> bool {
        self.dirty.get(worker.index()).or_bug("a worker has no mark").is_some_and(|mark| {
            mark.0.load(Ordering::Relaxed) && mark.0.swap(false, Ordering::Acquire)
        })
    }

    /// Returns the worker that should hold a subdomain; none where there is no such subdomain.
    pub fn owner(&self, subdomain: SubdomainId) -> Option<WorkerId> {
        self.owners.get(subdomain.index()).map(|owner| WorkerId(owner.load(Ordering::Relaxed)))
    }

    /// Returns the subdomains that a worker should hold, by a scan of all.
    pub fn of(&self, worker: WorkerId) -> impl Iterator<Item = SubdomainId> + use<'m> {
        let owners = (0..).zip(self.owners);
        owners
            .filter(move |(_, owner)| owner.load(Ordering::Relaxed) == worker.0)
            .map(|(id, _)| SubdomainId(id))
    }
}
