//! Memory for the edges of neighbours on other nodes.

use tresse_core::base::unit::Unit;
use tresse_core::parts::halo::{EDGE_BUFFERS, Head, Mirror};

use crate::rank::layout::Layout;

/// The mirrors of a rank: one for each link of each slot, in which fetched edges are kept.
pub(super) struct MirrorMemory<F: Unit> {
    heads: Vec<Head>,
    edges: Vec<Vec<F::Shared>>,
}

impl<F: Unit> MirrorMemory<F> {
    /// Allocates the memory, without edges where none are fetched.
    pub(super) fn allocate<const N: usize>(layout: &Layout<N>, fetches: bool) -> Self {
        let number = layout.bounds().slots as usize * N;
        let length = if fetches { EDGE_BUFFERS * layout.longest_edge() } else { 0 };
        let edge = || (0..length).map(|_| F::shared_zero()).collect();
        Self {
            heads: (0..number).map(|_| Head::new()).collect(),
            edges: (0..number).map(|_| edge()).collect(),
        }
    }

    /// Lends all mirrors.
    pub(super) fn lend(&self) -> Vec<Mirror<'_, F>> {
        let mirrors = self.heads.iter().zip(&self.edges);
        mirrors.map(|(head, edge)| Mirror::new(head.words(), edge)).collect()
    }
}
