//! What workers see of the ownership: whose each subdomain is, and who has to look again.

use crate::base::id::{SubdomainId, WorkerId};
use crate::base::table::At;
use crate::parts::ownership::{Mark, Owner};

/// The balancer's decisions on their way to the workers (section 4.2), in the words of the
/// [`Ownership`](crate::parts::ownership::Ownership).
#[derive(Clone, Copy, Debug)]
pub struct Assignment<'m> {
    owners: &'m [Owner],
    marks: &'m [Mark],
}

impl<'m> Assignment<'m> {
    /// Returns a view of an ownership's memory: one word for each subdomain, one mark for each
    /// worker.
    pub const fn new(owners: &'m [Owner], marks: &'m [Mark]) -> Self {
        Self { owners, marks }
    }

    /// Marks all workers, so that each looks at its working set again.
    pub fn mark_all(&self) {
        self.marks.iter().for_each(Mark::set);
    }

    /// Clears a worker's mark, and returns whether it was set: its working set has changed since
    /// the last call.
    #[inline]
    pub fn take_mark(&self, worker: WorkerId) -> bool {
        self.marks.at(worker).take()
    }

    /// Whether a worker has not yet seen that its working set has changed.
    pub fn is_marked(&self, worker: WorkerId) -> bool {
        self.marks.at(worker).is_set()
    }

    /// Returns the worker that should hold a subdomain; none where there is no such subdomain.
    pub fn owner(&self, subdomain: SubdomainId) -> Option<WorkerId> {
        self.owners.get(subdomain.index()).map(Owner::worker)
    }

    /// Returns the subdomains that a worker should hold, by a scan of all.
    pub fn of(&self, worker: WorkerId) -> impl Iterator<Item = SubdomainId> + use<'m> {
        let owners = (0..).zip(self.owners);
        owners.filter(move |(_, owner)| owner.worker() == worker).map(|(id, _)| SubdomainId(id))
    }
}
