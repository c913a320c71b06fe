//! Graphs that can be traversed.

/// A graph whose vertices are numbers from 0 on, with arcs that lead from one to another.
pub trait Digraph {
    /// Returns the number of vertices.
    fn vertices(&self) -> u32;

    /// Tells each vertex that an arc leads to from this one: each once, and never itself. Returns
    /// their number, or the first error of `tell`.
    fn successors<E>(&self, of: u32, tell: impl FnMut(u32) -> Result<(), E>) -> Result<u32, E>;
}

impl<G: Digraph> Digraph for &G {
    fn vertices(&self) -> u32 {
        (*self).vertices()
    }

    #[inline]
    fn successors<E>(&self, of: u32, tell: impl FnMut(u32) -> Result<(), E>) -> Result<u32, E> {
        (*self).successors(of, tell)
    }
}
