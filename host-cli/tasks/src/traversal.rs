//! Graphs to traverse, and marks for who comes first to their vertices.

use std::sync::atomic::AtomicU32;

use tresse_core::tasks::owned::OwnedGraph;
use tresse_core::tasks::traversal::{Digraph, RandomArcs};

use super::hashes::Hash;

/// A graph of either kind.
#[derive(Clone, Debug)]
pub enum Graph {
    /// Made by a hash when it is asked for.
    Random(RandomArcs<Hash>),
    /// A graph in memory.
    Listed(OwnedGraph),
}

impl Digraph for Graph {
    fn vertices(&self) -> u32 {
        match self {
            Self::Random(graph) => graph.vertices(),
            Self::Listed(graph) => graph.vertices(),
        }
    }

    #[inline]
    fn successors<E>(&self, of: u32, tell: impl FnMut(u32) -> Result<(), E>) -> Result<u32, E> {
        match self {
            Self::Random(graph) => graph.successors(of, tell),
            Self::Listed(graph) => graph.successors(of, tell),
        }
    }
}

/// Returns a mark for each vertex, none claimed.
pub fn marks(vertices: u32) -> Vec<AtomicU32> {
    (0..vertices).map(|_| AtomicU32::new(0)).collect()
}
