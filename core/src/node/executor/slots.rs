//! The slots of this process, and which subdomains lie in them.

use crate::base::bug::OrBug;
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::{AtomicU32, Ordering};
use crate::base::table::At;
use crate::node::shared::{Copies, Grip, Swept};
use crate::node::worker::Pass;
use crate::parts::Part;
use crate::parts::halo::Publication;
use crate::run::progress::Progress;

/// A part that a worker has just claimed.
pub(super) struct Taken<'r, T: Part, const N: usize> {
    pub(super) id: SubdomainId,
    /// The index of its claim.
    pub(super) claim: usize,
    pub(super) publication: &'r Publication<'r, T::Unit, N>,
}

/// Sentinel for a subdomain that is in another process.
const REMOTE: u32 = u32::MAX;

/// By subdomain, the slot of this process in which it lies, or a sentinel for a remote one.
#[derive(Clone, Copy, Debug)]
pub struct SlotTable<'m>(&'m [AtomicU32]);

impl<'m> SlotTable<'m> {
    /// Returns a table in `memory`, one word for each subdomain. `slots` has the slot of each, or
    /// none for a remote one.
    pub fn new(memory: &'m [AtomicU32], slots: impl Iterator<Item = Option<u32>>) -> Self {
        for (place, slot) in memory.iter().zip(slots) {
            place.store(slot.unwrap_or(REMOTE), Ordering::Relaxed);
        }
        Self(memory)
    }

    /// Returns the number of all subdomains, local and remote.
    pub fn subdomains(&self) -> usize {
        self.0.len()
    }

    /// Returns the slot of a subdomain; none where it is remote.
    #[inline]
    pub fn slot(&self, id: SubdomainId) -> Option<usize> {
        let slot = self.0.at(id).load(Ordering::Acquire);
        (slot != REMOTE).then_some(slot as usize)
    }

    /// Records the slot to which a subdomain has come; `None` where it has left.
    pub fn place(&self, id: SubdomainId, slot: Option<u32>) {
        self.0.at(id).store(slot.unwrap_or(REMOTE), Ordering::Release);
    }

    /// Returns all subdomains of this process with their slots, in ascending order.
    pub fn here(self) -> impl Iterator<Item = (SubdomainId, usize)> + use<'m> {
        (0..).map(SubdomainId).zip(self.0).filter_map(|(id, slot)| {
            let slot = slot.load(Ordering::Acquire);
            (slot != REMOTE).then_some((id, slot as usize))
        })
    }
}

/// The slots of this process: the part in each, which can be claimed, and what it publishes.
pub struct Slots<'r, T: Part, const N: usize = 4> {
    /// The parts.
    pub parts: Copies<'r, T>,
    /// Publications of the parts.
    pub publications: &'r [Publication<'r, T::Unit, N>],
    /// The slot that each part lies in.
    pub table: SlotTable<'r>,
}

// Derived, they would ask the same of the parts.
impl<T: Part, const N: usize> Clone for Slots<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Part, const N: usize> Copy for Slots<'_, T, N> {}

impl<'r, T: Part, const N: usize> Slots<'r, T, N> {
    /// Returns the publication of a part that is here.
    #[inline]
    pub fn publication(&self, id: SubdomainId) -> Option<&'r Publication<'r, T::Unit, N>> {
        Some(self.publications.at(self.table.slot(id)?))
    }

    /// Returns all parts that are here with their publications, in ascending order.
    pub fn here(
        &self,
    ) -> impl Iterator<Item = (SubdomainId, &'r Publication<'r, T::Unit, N>)> + use<'r, T, N> {
        let publications = self.publications;
        self.table.here().map(|(id, slot)| (id, publications.at(slot)))
    }

    /// Writes the update count of each part here to its place in `counts`, each read at a slightly
    /// different moment.
    pub fn read_counts(&self, counts: &mut [u64]) {
        for (id, publication) in self.here() {
            *counts.at_mut(id) = publication.version();
        }
    }

    /// Returns the progress of the parts here, from a snapshot of their counts.
    pub(super) fn progress(&self, counts: &[u64]) -> Progress {
        Progress::of(self.table.here().map(|(id, _)| *counts.at(id)))
    }

    /// Returns the sum of the squares that the parts here have published as their residual, added
    /// in ascending order of the parts.
    pub fn published_residual(&self) -> f64 {
        self.here().map(|(_, publication)| publication.residual()).sum()
    }

    /// Whether a part is here and nobody has it at this moment.
    #[inline]
    pub(super) fn is_free(&self, id: SubdomainId) -> bool {
        self.table.slot(id).is_some_and(|slot| self.parts.is_free(slot))
    }

    /// Returns the worker that holds a part here at this moment.
    pub(super) fn holder(&self, id: SubdomainId) -> Option<WorkerId> {
        self.parts.holder(self.table.slot(id)?)
    }

    /// Whether others may help with the sweep of a part at this moment.
    #[inline]
    pub(super) fn is_open(&self, id: SubdomainId) -> bool {
        self.table.slot(id).is_some_and(|slot| self.parts.is_open(slot))
    }

    /// Returns the slot of a part that must be here.
    fn slot_of(&self, id: SubdomainId) -> usize {
        self.table.slot(id).or_bug("a part is not here")
    }

    /// Sweeps a part that the worker holds, so that another may help; see [`Copies::sweep`].
    #[inline]
    pub(super) fn sweep<R>(
        &self,
        id: SubdomainId,
        grip: &mut Grip<'r, T>,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        self.parts.sweep(grip, self.slot_of(id), sweep)
    }

    /// Makes the sweep that another worker is stuck in; see [`Copies::help`].
    pub(super) fn help<R>(
        &self,
        id: SubdomainId,
        grip: &mut Grip<'r, T>,
        sweep: impl FnOnce(&mut T, &T) -> R,
    ) -> Swept<R> {
        self.parts.help(grip, self.slot_of(id), sweep)
    }

    /// Claims a part for a worker in a pass, as [`Copies::take_in`] does.
    #[inline]
    pub(super) fn take_in(
        &self,
        pass: Pass,
        id: SubdomainId,
        grip: &mut Grip<'r, T>,
    ) -> Option<Taken<'r, T, N>> {
        let slot = self.table.slot(id)?;
        let claim = self.parts.take_in(pass, grip, slot)?;
        Some(Taken { id, claim, publication: self.publications.at(slot) })
    }

    /// Claims a part, which is here and which nobody holds, calls `f` with it, and releases it; in
    /// whatever pass.
    pub fn with<R>(
        &self,
        id: SubdomainId,
        grip: &mut Grip<'r, T>,
        f: impl FnOnce(&mut T) -> R,
    ) -> R {
        let claim = self.parts.take(grip, self.slot_of(id)).or_bug("somebody holds a part");
        let done = grip.with(claim, f);
        grip.leave(claim);
        done
    }
}
