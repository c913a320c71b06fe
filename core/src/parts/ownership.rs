//! Ownership: each subdomain's owner, and the only door through which it changes.

use core::fmt;

use serde::Serialize;

use crate::base::bug::{Minus, OrBug};
use crate::base::id::{SubdomainId, WorkerId};
use crate::base::sync::{AtomicBool, AtomicU32, Ordering};
use crate::base::table::{PerPart, PerWorker};

/// A change of a subdomain's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Move {
    /// The subdomain that moves.
    pub subdomain: SubdomainId,
    /// The worker that had it.
    pub from: WorkerId,
    /// The worker that gets it.
    pub to: WorkerId,
}

/// Sentinel for no subdomain. It takes half the memory of an `Option`.
const NONE: u32 = u32::MAX;

/// Returns the subdomain of a list entry; none for the sentinel [`NONE`].
const fn known(id: u32) -> Option<SubdomainId> {
    if id == NONE { None } else { Some(SubdomainId(id)) }
}

/// The word that says whose a subdomain is: the only record of it. [`Ownership::give`] writes it,
/// in the turn; all workers read it, as a hint that whoever takes the subdomain verifies by its
/// claim.
#[derive(Debug, Default)]
pub struct Owner(AtomicU32);

impl Owner {
    /// Returns the word of a subdomain of this worker.
    pub fn of(worker: WorkerId) -> Self {
        Self(AtomicU32::new(worker.0))
    }

    /// Returns the worker.
    #[inline]
    pub fn worker(&self) -> WorkerId {
        WorkerId(self.0.load(Ordering::Relaxed))
    }

    /// Writes the worker before a run, when nobody reads it yet.
    pub(crate) fn set(&self, worker: WorkerId) {
        self.0.store(worker.0, Ordering::Relaxed);
    }
}

impl Clone for Owner {
    fn clone(&self) -> Self {
        Self::of(self.worker())
    }
}

/// A worker's mark that its working set has changed, on a cache line of its own.
#[derive(Debug)]
#[repr(align(128))]
pub struct Mark(AtomicBool);

impl Mark {
    /// Returns a mark that makes its worker look at its working set for the first time.
    pub fn new() -> Self {
        Self(AtomicBool::new(true))
    }

    /// Sets the mark, so that the worker looks at its working set again.
    pub(crate) fn set(&self) {
        // This is an exchange, as in `take`: loom does not keep a plain store from slipping between
        // the two halves of the other's exchange.
        self.0.swap(true, Ordering::Release);
    }

    /// Whether it is set.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Clears the mark, and returns whether it was set.
    #[inline]
    pub fn take(&self) -> bool {
        self.0.load(Ordering::Relaxed) && self.0.swap(false, Ordering::Acquire)
    }
}

impl Default for Mark {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory for one subdomain's place in its owner's list.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    next: u32,
    previous: u32,
}

/// Memory for one worker's list.
#[derive(Clone, Copy, Debug)]
pub struct Holding {
    first: u32,
    count: u32,
}

impl Link {
    /// A link of no list; [`Ownership::new`] fills it.
    pub const EMPTY: Self = Self { next: NONE, previous: NONE };
}

impl Holding {
    /// A worker without subdomains; [`Ownership::new`] fills it.
    pub const EMPTY: Self = Self { first: NONE, count: 0 };
}

/// Memory or owners that do not describe an ownership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnershipError {
    /// The number of links is not the number of subdomains, or does not fit 32 bits.
    Links,
    /// A subdomain's owner is not one of the workers.
    UnknownOwner(SubdomainId, WorkerId),
}

impl fmt::Display for OwnershipError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Links => f.write_str("one link is needed for each subdomain, below 2^32 of them"),
            Self::UnknownOwner(subdomain, owner) => {
                write!(f, "subdomain {subdomain} belongs to worker {owner}, which does not exist")
            }
        }
    }
}

impl core::error::Error for OwnershipError {}

/// Exactly one owner for each subdomain, and each worker's subdomains as a linked list, so that
/// neither a move nor a look at one worker costs a scan of all.
#[derive(Debug)]
pub struct Ownership<'m> {
    owners: PerPart<&'m [Owner]>,
    links: PerPart<&'m mut [Link]>,
    holdings: PerWorker<&'m mut [Holding]>,
    marks: &'m [Mark],
}

impl<'m> Ownership<'m> {
    /// Builds the lists of the present owners. `links` has one element for each subdomain,
    /// `holdings` one for each worker; both are overwritten.
    pub fn new(
        owners: &'m [Owner],
        links: &'m mut [Link],
        holdings: &'m mut [Holding],
    ) -> Result<Self, OwnershipError> {
        if links.len() != owners.len() || u32::try_from(owners.len()).is_err() {
            return Err(OwnershipError::Links);
        }
        holdings.fill(Holding::EMPTY);
        let mut this = Self::resume(owners, links, holdings);
        // Reverse order, so that every list starts out in ascending order.
        for id in (0..this.owners.len()).rev().filter_map(|id| u32::try_from(id).ok()) {
            let subdomain = SubdomainId(id);
            let owner = this.owner_of(subdomain);
            if owner.index() >= this.holdings.len() {
                return Err(OwnershipError::UnknownOwner(subdomain, owner));
            }
            this.attach(subdomain, owner);
        }
        Ok(this)
    }

    /// Sets a mark for both workers of each later move; `marks` has one for each worker that reads
    /// it.
    #[must_use]
    pub const fn marking(self, marks: &'m [Mark]) -> Self {
        Self { marks, ..self }
    }

    /// Returns an ownership on memory that an earlier one has filled and nobody has changed since.
    pub(crate) const fn resume(
        owners: &'m [Owner],
        links: &'m mut [Link],
        holdings: &'m mut [Holding],
    ) -> Self {
        let (owners, links) = (PerPart::of(owners), PerPart::of(links));
        Self { owners, links, holdings: PerWorker::of(holdings), marks: &[] }
    }

    /// Returns the owner of a subdomain; none where there is no such subdomain.
    #[inline]
    pub fn owner(&self, subdomain: SubdomainId) -> Option<WorkerId> {
        self.owners.as_slice().get(subdomain.index()).map(Owner::worker)
    }

    /// Returns the owner of a subdomain, which is there.
    #[inline]
    pub(crate) fn owner_of(&self, subdomain: SubdomainId) -> WorkerId {
        self.owners[subdomain].worker()
    }

    /// Returns how many subdomains a worker has; 0 where there is no such worker.
    #[inline]
    pub fn held(&self, worker: WorkerId) -> u32 {
        self.holdings.as_slice().get(worker.index()).map_or(0, |holding| holding.count)
    }

    /// Returns a worker's subdomains, in no particular order; none where there is no such worker.
    #[inline]
    pub fn of(&self, worker: WorkerId) -> impl Iterator<Item = SubdomainId> + '_ {
        let first =
            self.holdings.as_slice().get(worker.index()).and_then(|holding| known(holding.first));
        core::iter::successors(first, |&id| self.after(id))
    }

    /// Returns the next subdomain in the list of the same owner.
    #[inline]
    pub(crate) fn after(&self, subdomain: SubdomainId) -> Option<SubdomainId> {
        known(self.links[subdomain].next)
    }

    /// Returns the number of subdomains.
    pub fn subdomains(&self) -> usize {
        self.owners.len()
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> usize {
        self.holdings.len()
    }

    /// Gives a subdomain to a worker, and returns the move. None where the worker has it already,
    /// or either does not exist.
    pub fn give(&mut self, subdomain: SubdomainId, to: WorkerId) -> Option<Move> {
        let from = self.owner(subdomain)?;
        if from == to || to.index() >= self.holdings.len() {
            return None;
        }
        self.detach(subdomain, from);
        self.attach(subdomain, to);
        for worker in [from, to] {
            // None where the number is nobody's, such as that of what is elsewhere.
            self.marks.get(worker.index()).into_iter().for_each(Mark::set);
        }
        Some(Move { subdomain, from, to })
    }

    /// Gives a subdomain to a worker that does not have it; both exist.
    pub(crate) fn hand_over(&mut self, subdomain: SubdomainId, to: WorkerId) -> Move {
        self.give(subdomain, to).or_bug("a subdomain cannot be given away")
    }

    /// Puts a subdomain at the head of a worker's list, and records the worker as its owner.
    fn attach(&mut self, subdomain: SubdomainId, to: WorkerId) {
        let holding = &mut self.holdings[to];
        let second = core::mem::replace(&mut holding.first, subdomain.0);
        holding.count += 1;
        self.links[subdomain] = Link { next: second, previous: NONE };
        if let Some(second) = known(second) {
            self.links[second].previous = subdomain.0;
        }
        self.owners[subdomain].set(to);
    }

    /// Takes a subdomain out of the list of the worker `from`, its owner.
    fn detach(&mut self, subdomain: SubdomainId, from: WorkerId) {
        let Link { next, previous } = self.links[subdomain];
        let holding = &mut self.holdings[from];
        holding.count = holding.count.minus(1);
        let before = match known(previous) {
            Some(previous) => &mut self.links[previous].next,
            None => &mut holding.first,
        };
        redirect(before, subdomain.0, next);
        if let Some(id) = known(next) {
            redirect(&mut self.links[id].previous, subdomain.0, previous);
        }
    }
}

/// Lets a link that names the subdomain `from` name `to`.
fn redirect(link: &mut u32, from: u32, to: u32) {
    (*link == from).or_bug("a list is not linked both ways");
    *link = to;
}
