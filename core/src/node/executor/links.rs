//! The neighbours of a part, as whoever holds it reads their edges.

use crate::base::id::SubdomainId;
use crate::base::unit::Unit;
use crate::parts::halo::Edges;
use crate::parts::{Graph, Part};
use crate::run::Mode;

use super::slots::Slots;

/// The neighbour on each link of a part.
pub type Links<'r, F, const N: usize> = [Neighbour<'r, F, N>; N];

/// The two directions of a link between a part and its neighbour.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The neighbour's own link that leads back.
    pub(super) back: usize,
    /// Units that the part publishes on the link.
    pub(super) sent: u32,
    /// Units that the neighbour publishes for the part.
    pub(super) received: u32,
}

impl Ends {
    /// Returns both directions of a part's link to its neighbour.
    pub(super) fn new<G: Graph<N>, const N: usize>(
        graph: &G,
        (part, link): (SubdomainId, usize),
        neighbour: SubdomainId,
    ) -> Self {
        let back = graph.back(part, link);
        let [sent, received] = [(part, link), (neighbour, back)]
            .map(|(from, link)| graph.edge(graph.size(from), link));
        Self { back, sent, received }
    }
}

/// The part on a link.
#[derive(Clone, Copy)]
pub enum Neighbour<'r, F: Unit, const N: usize> {
    /// No neighbour.
    Nobody,
    /// The member of the same worker at this index.
    Member(usize, Ends),
    /// A part of another worker or process, and its edges, once it is known where to read them.
    Other(SubdomainId, Ends, Option<Edges<'r, 'r, F, N>>),
}

impl<'r, F: Unit, const N: usize> Neighbour<'r, F, N> {
    /// Returns a neighbour in this process whose published edges are read.
    pub(super) fn published<T: Part<Unit = F>>(
        id: SubdomainId,
        ends: Ends,
        slots: &Slots<'r, T, N>,
    ) -> Self {
        Self::Other(id, ends, slots.publication(id).map(Edges::Published))
    }

    /// Returns the number of units that the part publishes for this neighbour.
    #[inline]
    pub(super) const fn sent(&self) -> Option<u32> {
        match self {
            Self::Nobody => None,
            Self::Member(_, ends) | Self::Other(_, ends, _) => Some(ends.sent),
        }
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
