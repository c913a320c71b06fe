//! A look at all that workers do, for tests and recordings; costs nothing where nobody looks.

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::Move;
pub use tresse_files::recording::Activity;

use crate::platform::noise::Bursts;

/// One sweep, as it is at its start or at its end.
#[derive(Debug)]
pub struct Sweep<'a, T, const N: usize = 4> {
    /// Who makes it.
    pub worker: WorkerId,
    /// The subdomain that was swept.
    pub subdomain: SubdomainId,
    /// The update count after it.
    pub version: u64,
    /// By link, the version that was read of the neighbour there; none where there is none.
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

    /// Called when that is done.
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

/// All who see a run.
pub struct Observers<O> {
    /// One for each worker.
    pub workers: Vec<O>,
    /// One for each noisy core, in the order of [`Job::noisy_cores`](super::Job::noisy_cores);
    /// those that are missing see nothing.
    pub noise: Vec<Box<dyn Bursts>>,
}

impl<O> Observers<O> {
    /// Nobody sees the noise.
    pub const fn of_workers(workers: Vec<O>) -> Self {
        Self { workers, noise: Vec::new() }
    }
}

/// Nobody looks.
impl<T, const N: usize> Observer<T, N> for () {
    #[inline(always)]
    fn starts(&mut self, _: Sweep<'_, T, N>) {}

    #[inline(always)]
    fn ends(&mut self, _: Sweep<'_, T, N>) {}
}
