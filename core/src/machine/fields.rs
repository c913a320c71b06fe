//! The cells behind the simulation.

use crate::bug::OrBug;
use crate::grid::Side;
use crate::id::SubdomainId;
use crate::stencil::{Kernel, Real};
use crate::subdomain::Subdomain;

/// What the machine does with cells.
pub trait Fields {
    /// Reads a neighbour's edge, as it is published now, into the halo on `side`.
    fn read_halo(&mut self, subdomain: SubdomainId, side: Side, neighbour: SubdomainId);

    /// Sweeps a subdomain with the halos that it has; the residual's sum of squares before it
    /// where it is asked for.
    fn sweep(&mut self, subdomain: SubdomainId, with_residual: bool) -> Option<f64>;

    /// The sum of squares of the residual with the halos that it has.
    fn residual(&mut self, subdomain: SubdomainId) -> f64;
}

const NO_CELLS: &str = "a subdomain has no cells";

/// Real cells under the real stencil.
#[derive(Debug)]
pub struct RealFields<'a, 'm, F, K> {
    subdomains: &'a mut [Subdomain<'m, F>],
    kernel: K,
}

impl<'a, 'm, F: Real, K: Kernel<F>> RealFields<'a, 'm, F, K> {
    /// On subdomains in the order of their numbers.
    pub const fn new(subdomains: &'a mut [Subdomain<'m, F>], kernel: K) -> Self {
        Self { subdomains, kernel }
    }

    /// The subdomains.
    pub const fn subdomains(&self) -> &[Subdomain<'m, F>] {
        self.subdomains
    }
}

impl<F: Real, K: Kernel<F>> Fields for RealFields<'_, '_, F, K> {
    #[inline]
    fn read_halo(&mut self, subdomain: SubdomainId, side: Side, neighbour: SubdomainId) {
        let both = self.subdomains.get_disjoint_mut([subdomain.index(), neighbour.index()]);
        if let Ok([own, neighbour]) = both.or_bug(NO_CELLS) {
            own.copy_halo(side, neighbour);
        }
    }

    #[inline]
    fn sweep(&mut self, subdomain: SubdomainId, with_residual: bool) -> Option<f64> {
        let subdomain = self.subdomains.get_mut(subdomain.index()).or_bug(NO_CELLS)?;
        let kernel = &self.kernel;
        if with_residual {
            let sweep = |layout: &mut _, source: Option<&[F]>, cells: &mut [F]| {
                kernel.sweep_with_residual(layout, source, cells)
            };
            return Some(subdomain.sweep(sweep));
        }
        subdomain.sweep(|layout, source, cells| kernel.sweep(layout, source, cells));
        None
    }

    fn residual(&mut self, subdomain: SubdomainId) -> f64 {
        let kernel = &self.kernel;
        let subdomain = self.subdomains.get(subdomain.index()).or_bug(NO_CELLS);
        subdomain.map_or(0.0, |subdomain| {
            subdomain.residual(|layout, source, cells| kernel.residual(layout, source, cells))
        })
    }
}

/// No cells at all: the residual stays as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFields;

impl Fields for NoFields {
    #[inline]
    fn read_halo(&mut self, _: SubdomainId, _: Side, _: SubdomainId) {}

    #[inline]
    fn sweep(&mut self, _: SubdomainId, with_residual: bool) -> Option<f64> {
        with_residual.then_some(1.0)
    }

    fn residual(&mut self, _: SubdomainId) -> f64 {
        1.0
    }
}
