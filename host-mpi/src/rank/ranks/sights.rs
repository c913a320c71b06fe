//! Where the workers find the edges of neighbours on other ranks.

use std::sync::atomic::{AtomicU32, Ordering};

use tresse_core::grid::Side;
use tresse_core::halo::{Edges, Mirror, Publication, SharedReal};

/// What a worker is shown of a neighbour: nothing yet, the mirror of its edge, or the slot of this
/// number among those of the node.
pub(super) const UNSEEN: u32 = 0;
pub(super) const MIRROR: u32 = 1;
pub(super) const SLOT: u32 = 2;

/// Where the workers find the edges of neighbours on other ranks: one place for each side of each
/// slot.
pub struct Sights<'r, F: SharedReal> {
    pub(super) seen: Vec<AtomicU32>,
    pub(super) mirrors: &'r [Mirror<'r, F>],
    /// By rank of this node and slot.
    publications: &'r [Publication<'r, F>],
}

impl<'r, F: SharedReal> Sights<'r, F> {
    /// Of as many slots as there are four mirrors.
    pub fn new(mirrors: &'r [Mirror<'r, F>], publications: &'r [Publication<'r, F>]) -> Self {
        let seen = mirrors.iter().map(|_| AtomicU32::new(UNSEEN)).collect();
        Self { seen, mirrors, publications }
    }

    pub(super) fn edges(&self, slot: usize, link: usize) -> Option<Edges<'r, 'r, F>> {
        let place = place(slot, *Side::ALL.get(link)?);
        match self.seen.get(place)?.load(Ordering::Acquire) {
            UNSEEN => None,
            MIRROR => self.mirrors.get(place).map(Edges::Fetched),
            other => self.publications.get((other - SLOT) as usize).map(Edges::Published),
        }
    }

    pub(super) fn show(&self, place: usize, what: u32) {
        if let Some(seen) = self.seen.get(place) {
            seen.store(what, Ordering::Release);
        }
    }
}

/// The place of a side of a slot.
pub(super) const fn place(slot: usize, side: Side) -> usize {
    slot * Side::ALL.len() + side.index()
}
