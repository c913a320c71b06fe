//! Observation of everything that workers do, for tests and recordings; costs nothing without an
//! observer.

use tresse_core::base::id::{SubdomainId, WorkerId};
use tresse_core::parts::ownership::Move;
pub use tresse_files::recording::Activity;

use tresse_platform::noise::Bursts;

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

    /// Called when the worker turns to something else than a sweep.
    #[inline(always)]
    fn turns(&mut self) {}

    /// Called when the worker returns to its sweeps.
    #[inline(always)]
    fn returns(&mut self, _: Activity) {}

    /// Called each time that the worker finds nothing that it could sweep.
    #[inline(always)]
    fn idles(&mut self, _: Activity) {}

    /// Called during a balancing round, for each move that is decided.
    #[inline(always)]
    fn moves(&mut self, _: Move) {}

    /// Called when the worker takes a subdomain into its hands.
    #[inline(always)]
    fn takes(&mut self, _: SubdomainId) {}
}

/// All observers of a run.
pub struct Observers<O> {
    /// Observers of the workers, one each.
    pub workers: Vec<O>,
    /// Observers of the noisy cores, in the order of [`Job::noisy_cores`](super::Job::noisy_cores);
    /// cores beyond the list have none.
    pub noise: Vec<Box<dyn Bursts>>,
}

impl<O> Observers<O> {
    /// Returns observers of the workers only.
    pub const fn of_workers(workers: Vec<O>) -> Self {
        Self { workers, noise: Vec::new() }
    }
}

/// An observer that does nothing.
impl<T, const N: usize> Observer<T, N> for () {
    #[inline(always)]
    fn starts(&mut self, _: Sweep<'_, T, N>) {}

    #[inline(always)]
    fn ends(&mut self, _: Sweep<'_, T, N>) {}
}
