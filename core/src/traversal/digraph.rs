//! What is traversed.

/// A graph whose vertices are numbers from 0 on, with arcs that lead from one to another.
pub trait Digraph {
    /// How many vertices there are.
    fn vertices(&self) -> u32;

    /// Tells each vertex that an arc leads to from this one: each once, and never itself. The number
    /// of them, or the first error of who is told.
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
