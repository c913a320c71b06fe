//! The places where workers find the edges of neighbours on other ranks.

use std::sync::atomic::{AtomicU32, Ordering};

use tresse_core::halo::{Edges, Location, Mirror, Publication, SharedReal};
use tresse_core::id::RankId;
use tresse_core::remote::{self, Links, Sight};

/// The value for a neighbour that is not seen yet; other values stand for the mirror of its edge, or for
/// the slot of this number among those of the node.
const UNSEEN: u32 = 0;
const MIRROR: u32 = 1;
const SLOT: u32 = 2;

/// The places where workers find the edges of neighbours on other ranks, one for each side of each slot.
pub struct Sights<'r, F: SharedReal> {
    seen: Vec<AtomicU32>,
    mirrors: &'r [Mirror<'r, F>],
    /// Publications by rank of this node and by slot.
    publications: &'r [Publication<'r, F>],
    /// Ranks of this node, in the order of their publications.
    together: &'r [RankId],
}

impl<'r, F: SharedReal> Sights<'r, F> {
    /// Returns the places for a quarter as many slots as mirrors; the publications are those of the slots
    /// of all ranks of this node, `together`.
    pub fn new(
        mirrors: &'r [Mirror<'r, F>],
        publications: &'r [Publication<'r, F>],
        together: &'r [RankId],
    ) -> Self {
        let seen = mirrors.iter().map(|_| AtomicU32::new(UNSEEN)).collect();
        Self { seen, mirrors, publications, together }
    }

    pub(super) fn edges(&self, slot: usize, link: usize) -> Option<Edges<'r, 'r, F>> {
        let place = Links::<(), (), (), (), ()>::place(slot, link);
        match self.seen.get(place)?.load(Ordering::Acquire) {
            UNSEEN => None,
            MIRROR => self.mirrors.get(place).map(Edges::Fetched),
            other => self.publications.get((other - SLOT) as usize).map(Edges::Published),
        }
    }

    /// Returns the number of a slot among those of the node.
    fn number(&self, Location { rank, slot, .. }: Location) -> Option<u32> {
        let place = self.together.iter().position(|&other| other == rank)?;
        let slots = self.publications.len() / self.together.len();
        u32::try_from(place * slots + slot.index()).ok()?.checked_add(SLOT)
    }
}

impl<F: SharedReal> remote::Sights<F> for &Sights<'_, F> {
    fn show(&mut self, place: usize, sight: Sight<'_, F>) -> bool {
        let shown = match sight {
            Sight::Nothing => Some(UNSEEN),
            Sight::Slot(location) => self.number(location),
            Sight::Edge(neighbour, version, cells) => self.mirrors.get(place).map(|mirror| {
                mirror.publish(neighbour, version, cells);
                MIRROR
            }),
        };
        let Some((seen, shown)) = self.seen.get(place).zip(shown) else { return false };
        let has_changed = seen.load(Ordering::Relaxed) != shown;
        if has_changed {
            seen.store(shown, Ordering::Release);
        }
        has_changed
    }
}
