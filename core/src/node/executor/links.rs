//! The neighbours of a part, as whoever holds it reads their edges.

use crate::base::id::SubdomainId;
use crate::base::unit::Unit;
use crate::parts::Part;
use crate::parts::halo::Edges;
use crate::run::Mode;

use super::slots::Slots;

/// The neighbour on each link of a part.
pub type Links<'r, F, const N: usize> = [Neighbour<'r, F, N>; N];

/// The part on a link; the second number is the neighbour's own link, back to the member.
#[derive(Clone, Copy)]
pub enum Neighbour<'r, F: Unit, const N: usize> {
    /// No neighbour.
    Nobody,
    /// The member of the same worker at this index; then its link back to this part.
    Member(usize, usize),
    /// A part of another worker or process; its link back to this part; and its edges, once it is
    /// known where to read them.
    Other(SubdomainId, usize, Option<Edges<'r, 'r, F, N>>),
}

impl<'r, F: Unit, const N: usize> Neighbour<'r, F, N> {
    /// Returns a neighbour in this process whose published edges are read; `back` is its link back.
    pub(super) fn published<T: Part<Unit = F>>(
        id: SubdomainId,
        back: usize,
        slots: &Slots<'r, T, N>,
    ) -> Self {
        Self::Other(id, back, slots.publication(id).map(Edges::Published))
    }

    /// Whether a part at update count `own` may be swept, as far as this neighbour's published
    /// count tells.
    #[inline]
    pub(super) fn admits(&self, mode: Mode, own: u64) -> bool {
        match self {
            Self::Other(_, _, Some(edges)) => mode.admits(own, edges.version()),
            _ => true,
        }
    }
}
