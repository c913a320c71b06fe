//! A look at every sweep, for tests and recordings; costs nothing where nobody looks.

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::stencil::Layout;

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
    pub halos: [Option<u64>; 4],
    /// Where the cells lie.
    pub layout: &'a Layout,
    /// The cells; at the start with the halos that were read.
    pub cells: &'a [F],
}

/// Sees the sweeps of one worker.
pub trait Observer<F>: Send {
    /// Called when the halos are read.
    fn starts(&mut self, sweep: Sweep<'_, F>);

    /// Called when the cells are swept, and before their edges are published.
    fn ends(&mut self, sweep: Sweep<'_, F>);
}

/// Nobody looks.
impl<F> Observer<F> for () {
    #[inline(always)]
    fn starts(&mut self, _: Sweep<'_, F>) {}

    #[inline(always)]
    fn ends(&mut self, _: Sweep<'_, F>) {}
}
