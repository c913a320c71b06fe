//! Parts: the view that schedules, balancers, workers and the virtual machine have of the things
//! that they drive.
//!
//! A part has a number ([`SubdomainId`](crate::base::id::SubdomainId)), neighbours, a version and
//! an owner. Its neighbours are in a [`Graph`](crate::parts::Graph), where each *link* of a part,
//! counted from 0, leads to one of them or to nobody. What it does is a [`Part`], and a
//! [`SharedPart`] where threads share it. A rectangle of the grid under the stencil
//! ([`StencilPart`](crate::field::subdomain::StencilPart)) is one kind of part: its links are its
//! sides.
//!
//! An iteration of one's own is these traits for one's own type: `examples/heat.rs` of the package
//! `tresse` is one in a page.

#[cfg(target_has_atomic = "64")]
use crate::parts::halo::{EdgeReader, EdgeWriter, SharedReal};

/// The behaviour of a part in one memory with its neighbours.
pub trait Part {
    /// Reads the edge of a neighbour in the same memory into the halo on `link`: what the neighbour
    /// would publish on its own link `back`.
    fn copy(&mut self, link: usize, neighbour: &Self, back: usize);

    /// Updates the part once, with the halos that it has read. With `with_residual`, returns the
    /// sum of squares of the residual before the update, or of a sample of the same size in all
    /// parts; a part may return it unasked as well. Near the end of a run in the exact mode,
    /// [`Part::residual`] is called before the update instead.
    fn update(&mut self, with_residual: bool) -> Option<f64>;

    /// Returns the sum of squares of the residual, with the halos that the part has read.
    fn residual(&mut self) -> f64;
}

/// The further behaviour of a part whose neighbours are in the hands of other threads.
#[cfg(target_has_atomic = "64")]
pub trait SharedPart: Part + Send + Sync {
    /// Type of the cells that a part publishes.
    type Real: SharedReal;

    /// Writes the edge on a link, which the neighbour there reads.
    fn publish(&self, link: usize, edge: EdgeWriter<'_, Self::Real>);

    /// Reads the edge that the neighbour on a link has published. After a torn read it is called
    /// again before anything else.
    fn read(&mut self, link: usize, edge: EdgeReader<'_, Self::Real>);

    /// Becomes a copy of `other`, a part on memory that is not larger, but for what an update
    /// changes; false where that is not possible: here it is not, and no worker helps another with
    /// its sweeps.
    fn assume(&mut self, other: &Self) -> bool {
        let _ = other;
        false
    }

    /// Becomes what [`Part::update`] makes of `other`, of which this is a copy
    /// ([`SharedPart::assume`]), and answers what that answers.
    fn update_from(&mut self, other: &Self, with_residual: bool) -> Option<f64> {
        let _ = (other, with_residual);
        None
    }
}

/// Parts that stay where the caller keeps them.
impl<T: Part> Part for &mut T {
    #[inline(always)]
    fn copy(&mut self, link: usize, neighbour: &Self, back: usize) {
        T::copy(self, link, neighbour, back);
    }

    #[inline(always)]
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        T::update(self, with_residual)
    }

    #[inline(always)]
    fn residual(&mut self) -> f64 {
        T::residual(self)
    }
}

#[cfg(target_has_atomic = "64")]
impl<T: SharedPart> SharedPart for &mut T {
    type Real = T::Real;

    #[inline(always)]
    fn publish(&self, link: usize, edge: EdgeWriter<'_, T::Real>) {
        T::publish(self, link, edge);
    }

    #[inline(always)]
    fn read(&mut self, link: usize, edge: EdgeReader<'_, T::Real>) {
        T::read(self, link, edge);
    }

    fn assume(&mut self, other: &Self) -> bool {
        T::assume(self, other)
    }

    #[inline(always)]
    fn update_from(&mut self, other: &Self, with_residual: bool) -> Option<f64> {
        T::update_from(self, other, with_residual)
    }
}

/// Parts without cells: only their counts matter, and the residual stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoCells;

impl Part for NoCells {
    #[inline]
    fn copy(&mut self, _: usize, _: &Self, _: usize) {}

    #[inline]
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        with_residual.then_some(1.0)
    }

    #[inline]
    fn residual(&mut self) -> f64 {
        1.0
    }
}

#[cfg(target_has_atomic = "64")]
impl SharedPart for NoCells {
    type Real = f32;

    #[inline]
    fn publish(&self, _: usize, _: EdgeWriter<'_, f32>) {}

    #[inline]
    fn read(&mut self, _: usize, _: EdgeReader<'_, f32>) {}
}
