//! A subdomain under the stencil: the part that this crate brings along.

use core::ops::{Deref, DerefMut};

use super::Subdomain;
#[cfg(target_has_atomic = "64")]
use super::{edges_of, halo_of};
use crate::base::table::At;
use crate::field::grid::Side;
use crate::field::stencil::{Kernel, Layout, Real, Terms};
use crate::parts::Part;
#[cfg(target_has_atomic = "64")]
use crate::parts::SharedPart;
#[cfg(target_has_atomic = "64")]
use crate::parts::halo::{EdgeReader, EdgeWriter, SharedReal};

/// A subdomain with the kernel that sweeps it; its links are its sides, by [`Side::index`].
#[derive(Debug)]
pub struct StencilPart<'m, F, K> {
    /// The cells.
    pub subdomain: Subdomain<'m, F>,
    /// The sweep, as the host compiled it.
    pub kernel: K,
}

impl<'m, F, K> Deref for StencilPart<'m, F, K> {
    type Target = Subdomain<'m, F>;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.subdomain
    }
}

impl<F, K> DerefMut for StencilPart<'_, F, K> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.subdomain
    }
}

impl<F: Real, K: Kernel<F>> Part for StencilPart<'_, F, K> {
    #[inline(always)]
    fn copy(&mut self, link: usize, neighbour: &Self, _: usize) {
        self.subdomain.copy_halo(*Side::ALL.at(link), &neighbour.subdomain);
    }

    #[inline(always)]
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let Self { subdomain, kernel } = self;
        if with_residual {
            let sweep = |layout: &mut Layout, terms: Terms<&[F]>, cells: &mut [F]| {
                kernel.sweep_with_residual(layout, terms, cells)
            };
            return Some(subdomain.sweep(sweep));
        }
        subdomain.sweep(|layout, terms, cells| kernel.sweep(layout, terms, cells));
        None
    }

    fn residual(&mut self) -> f64 {
        let Self { subdomain, kernel } = self;
        subdomain.residual(|layout, terms, cells| kernel.residual(layout, terms, cells))
    }
}

#[cfg(target_has_atomic = "64")]
impl<F: SharedReal, K: Kernel<F> + Send + Sync> SharedPart for StencilPart<'_, F, K> {
    type Real = F;

    #[inline(always)]
    fn publish(&self, link: usize, edge: EdgeWriter<'_, F>) {
        edges_of(self.subdomain.layout(), self.subdomain.cells())(link, edge);
    }

    #[inline(always)]
    fn read(&mut self, link: usize, edge: EdgeReader<'_, F>) {
        let Subdomain { layout, cells, .. } = &mut self.subdomain;
        halo_of(*Side::ALL.at(link), layout, cells)(edge);
    }

    fn assume(&mut self, other: &Self) -> bool {
        self.subdomain.assume(&other.subdomain)
    }

    #[inline(always)]
    fn update_from(&mut self, other: &Self, with_residual: bool) -> Option<f64> {
        let Self { subdomain, kernel } = self;
        subdomain
            .sweep_from(&other.subdomain, |to, from| kernel.sweep_into(to, from, with_residual))
    }
}
