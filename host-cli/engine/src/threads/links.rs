//! The neighbours of a part, as whoever holds it reads their edges.

use tresse_core::base::id::SubdomainId;
use tresse_core::parts::SharedPart;
use tresse_core::parts::halo::{Edges, SharedReal};
use tresse_core::run::Mode;

use super::slots::Slots;

/// What is on each link of a part.
pub(super) type Links<'r, F, const N: usize> = [Neighbour<'r, F, N>; N];

/// The part on a link; the second number is the neighbour's own link, back to the member.
#[derive(Clone, Copy)]
pub(super) enum Neighbour<'r, F: SharedReal, const N: usize> {
    /// No neighbour.
    Nobody,
    /// The member of the same worker at this place.
    Member(usize, usize),
    /// A part of another worker or process, with the edges to read, once these are known.
    Other(SubdomainId, usize, Option<Edges<'r, 'r, F, N>>),
}

impl<'r, F: SharedReal, const N: usize> Neighbour<'r, F, N> {
    /// Returns a neighbour in this process whose edges are read as it publishes them; `back` is its
    /// link back.
    pub(super) fn published<T: SharedPart<Real = F>>(
        id: SubdomainId,
        back: usize,
        slots: &Slots<'r, T, N>,
    ) -> Self {
        Self::Other(id, back, slots.publication(id).map(Edges::Published))
    }

    /// Reports whether a part at count `own` may be swept, as far as the published count of this
    /// neighbour tells.
    #[inline]
    pub(super) fn admits(&self, mode: Mode, own: u64) -> bool {
        match self {
            Self::Other(_, _, Some(edges)) => mode.admits(own, edges.version()),
            _ => true,
        }
    }
}
