//! A look at every sweep, for tests and recordings; costs nothing where nobody looks.

use tresse_core::id::{SubdomainId, WorkerId};
use tresse_core::stencil::Layout;

/// One sweep that has just been made.
#[derive(Clone, Copy, Debug)]
pub struct Swept<'a, F> {
    /// Who made it.
    pub worker: WorkerId,
    /// Of what.
    pub subdomain: SubdomainId,
    /// The update count after it.
    pub version: u64,
    /// By side, the version of the halo that was read; none at the boundary of the grid.
    pub halos: [Option<u64>; 4],
    /// Where the cells lie.
    pub layout: &'a Layout,
    /// The cells after it.
    pub cells: &'a [F],
}

/// Sees the sweeps of one worker.
pub trait Observer<F>: Send {
    /// Called after each sweep and before its edges are published.
    fn swept(&mut self, swept: Swept<'_, F>);
}

/// Nobody looks.
impl<F> Observer<F> for () {
    #[inline(always)]
    fn swept(&mut self, _: Swept<'_, F>) {}
}
