//! A look at all that workers do, for tests and recordings; costs nothing where nobody looks.

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::ownership::Move;
use tresse_core::stencil::Layout;

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

/// What a worker does beside its sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activity {
    /// A balancing round that decided this number of moves.
    Round {
        /// Moves.
        moves: u32,
    },
    /// A look at the published residuals.
    Detection,
    /// Taking the residual of a state that all agree on.
    Verification,
    /// Waiting for all other workers.
    Barrier,
    /// Waiting for neighbours that the mode does not let it leave behind.
    Gate,
    /// Waiting for a subdomain that another worker still holds.
    HandOver,
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
