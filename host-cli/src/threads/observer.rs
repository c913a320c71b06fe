//! A look at all that workers do, for tests and recordings; costs nothing where nobody looks.

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::Move;
use tresse_core::stencil::Layout;
pub use tresse_files::recording::Activity;

use crate::noise::Bursts;

/// One sweep, as it is at its start or at its end.
#[derive(Clone, Copy, Debug)]
pub struct Sweep<'a, F> {
    /// Who makes it.
    pub worker: WorkerId,
    /// Of what.
    pub subdomain: SubdomainId,
    /// The update count after it.
    pub version: u64,
    /// By side, the version of the halo that was read; none at the boundary of the grid.
    ///
    /// By reference: copied as soon as they are written, they would be waited for.
    pub halos: &'a [Option<u64>; 4],
    /// Where the cells lie.
    pub layout: &'a Layout,
    /// The cells; at the start with the halos that were read.
    pub cells: &'a [F],
}

/// Sees the sweeps of one worker, and what it does between them.
pub trait Observer<F>: Send {
    /// Called when the halos are read.
    fn starts(&mut self, sweep: Sweep<'_, F>);

    /// Called when the cells are swept, and before their edges are published.
    fn ends(&mut self, sweep: Sweep<'_, F>);

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
impl<F> Observer<F> for () {
    #[inline(always)]
    fn starts(&mut self, _: Sweep<'_, F>) {}

    #[inline(always)]
    fn ends(&mut self, _: Sweep<'_, F>) {}
}
