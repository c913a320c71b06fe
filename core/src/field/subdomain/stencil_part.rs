//! A subdomain under the stencil: the part that this crate brings along.

use crate::base::real::Real;
use core::ops::{Deref, DerefMut};

use super::{Subdomain, edges_of, halo_of};
use crate::base::bug::OrBug;
use crate::base::id::SubdomainId;
use crate::base::table::At;
use crate::field::grid::Side;
use crate::field::stencil::{Kernel, Layout, Terms};
use crate::parts::Part;
use crate::parts::halo::{EdgeReader, EdgeWriter};

/// A subdomain with the kernel that sweeps it; its links are its sides, by [`Side::index`].
#[derive(Debug)]
pub struct StencilPart<'m, F, K> {
    subdomain: Subdomain<'m, F>,
    /// The sweep, as the host compiled it.
    kernel: K,
    /// The subdomain of which this is a copy, with its boundary and its terms.
    copy_of: SubdomainId,
}

impl<'m, F, K> StencilPart<'m, F, K> {
    /// Returns a subdomain as a part.
    pub const fn new(subdomain: Subdomain<'m, F>, kernel: K) -> Self {
        Self { subdomain, kernel, copy_of: NO_COPY }
    }
}

/// Stands for no subdomain.
const NO_COPY: SubdomainId = SubdomainId(u32::MAX);

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
        // It may become another one.
        self.copy_of = NO_COPY;
        &mut self.subdomain
    }
}

impl<F: Real, K: Kernel<F>> Part for StencilPart<'_, F, K> {
    type Unit = F;

    #[inline(always)]
    fn publish(&self, link: usize, edge: EdgeWriter<'_, F>) {
        edges_of(self.subdomain.layout(), self.subdomain.cells())(link, edge);
    }

    #[inline(always)]
    fn read(&mut self, link: usize, edge: EdgeReader<'_, F>) {
        let Subdomain { layout, cells, .. } = &mut self.subdomain;
        halo_of(*Side::ALL.at(link), layout, cells)(edge);
    }

    #[inline(always)]
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        let Self { subdomain, kernel, .. } = self;
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
        let Self { subdomain, kernel, .. } = self;
        subdomain.residual(|layout, terms, cells| kernel.residual(layout, terms, cells))
    }

    /// The interior, row by row: boundary and source are the problem's, and the halos are read
    /// again.
    fn pack(&self) -> impl Iterator<Item = F> {
        self.subdomain.interior().copied()
    }

    /// Takes an interior of the size that the subdomain has: who moves subdomains refits it first.
    fn unpack(&mut self, id: SubdomainId, mut units: impl Iterator<Item = F>) -> bool {
        self.copy_of = id;
        let is_whole = self.subdomain.set_interior(&mut units);
        is_whole && units.next().is_none()
    }

    #[inline(always)]
    fn copy(&mut self, link: usize, neighbour: &Self, _: usize, _: &[F::Shared]) {
        self.subdomain.copy_halo(*Side::ALL.at(link), &neighbour.subdomain);
    }

    #[inline(always)]
    fn update_from(&mut self, id: SubdomainId, other: &Self, with_residual: bool) -> Option<f64> {
        if self.copy_of != id {
            self.subdomain.assume(&other.subdomain).or_bug("a copy of a subdomain has no room");
            self.copy_of = id;
        }
        let Self { subdomain, kernel, .. } = self;
        subdomain
            .sweep_from(&other.subdomain, |to, from| kernel.sweep_into(to, from, with_residual))
    }
}
