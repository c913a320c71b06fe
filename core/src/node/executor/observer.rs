//! Observation of everything that workers do, for tests and recordings; costs nothing without an
//! observer.

use crate::base::id::{SubdomainId, WorkerId};
use crate::parts::ownership::Move;

/// The activities of a worker beside its sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A balancing round, with the number of moves that it decided.
    Round {
        /// Number of moves.
        moves: u32,
    },
    /// A look at the published residuals.
    Detection,
    /// Computing the residual of a state that all workers agree on.
    Verification,
    /// Waiting for all other workers.
    Barrier,
    /// Waiting for neighbours that the mode requires to catch up.
    Gate,
    /// Waiting for a subdomain that another worker still holds.
    HandOver,
}

/// A sweep at its start or at its end.
#[derive(Debug)]
pub struct Sweep<'a, T, const N: usize = 4> {
    /// Worker that makes the sweep.
    pub worker: WorkerId,
    /// The subdomain that was swept.
    pub subdomain: SubdomainId,
    /// Update count of the subdomain after the sweep.
    pub version: u64,
    /// Version of the neighbour's halo that was read on each link; `None` where there is no
    /// neighbour.
    ///
    /// By reference: copied as soon as they are written, they would be waited for.
    pub halos: &'a [Option<u64>; N],
    /// The part; at the start with what it has read of its neighbours.
    pub part: &'a T,
}

// Derived, they would ask the same of the part.
impl<T, const N: usize> Clone for Sweep<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize> Copy for Sweep<'_, T, N> {}

/// Sees the sweeps of one worker, and what it does between them.
pub trait Observer<T, const N: usize = 4>: Send {
    /// Called when the halos are read.
    fn starts(&mut self, sweep: Sweep<'_, T, N>);

    /// Called when the cells are swept, and before their edges are published.
    fn ends(&mut self, sweep: Sweep<'_, T, N>);

    /// Called when the worker stops sweeping to do something else.
    #[inline(always)]
    fn turns(&mut self) {}

    /// Called when the worker returns to its sweeps, with what it has done since
    /// [`Observer::turns`].
    #[inline(always)]
    fn returns(&mut self, _: Activity) {}

    /// Called each time that the worker finds nothing to sweep, with what it waits for.
    #[inline(always)]
    fn idles(&mut self, _: Activity) {}

    /// Called during a balancing round, for each move that is decided.
    #[inline(always)]
    fn moves(&mut self, _: Move) {}

    /// Called when the worker claims a subdomain that is new to it.
    #[inline(always)]
    fn takes(&mut self, _: SubdomainId) {}
}

/// An observer that does nothing.
impl<T, const N: usize> Observer<T, N> for () {
    #[inline(always)]
    fn starts(&mut self, _: Sweep<'_, T, N>) {}

    #[inline(always)]
    fn ends(&mut self, _: Sweep<'_, T, N>) {}
}
