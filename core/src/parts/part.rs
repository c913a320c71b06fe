//! Parts: the view that schedules, balancers, workers and the virtual machine have of the things
//! that they drive.
//!
//! A part has a number ([`SubdomainId`](crate::base::id::SubdomainId)), neighbours, a version and
//! an owner. Its neighbours are in a [`Graph`](crate::parts::Graph), where each *link* of a part,
//! counted from 0, leads to one of them or to nobody. What it does is a [`Part`]. A rectangle of
//! the grid under the stencil ([`StencilPart`](crate::field::subdomain::StencilPart)) is one kind
//! of part: its links are its sides.
//!
//! An iteration of one's own is this trait for one's own type: `examples/heat.rs` of the package
//! `tresse` is one in a page.

use crate::base::bug::OrBug;
use crate::base::id::SubdomainId;
use crate::base::unit::Unit;
use crate::parts::halo::{EdgeReader, EdgeWriter};

/// One shared unit of a part.
pub type SharedUnit<T> = <<T as Part>::Unit as Unit>::Shared;

/// The behaviour of a part: it publishes its edges, reads those of its neighbours, and updates
/// itself. It is packed where somebody else goes on with it: a worker that helps, another process,
/// or a later run.
pub trait Part: Send + Sync {
    /// The unit of what it publishes and packs.
    type Unit: Unit;

    /// Writes what the neighbour on a link reads.
    fn publish(&self, link: usize, edge: EdgeWriter<'_, Self::Unit>);

    /// Reads what the neighbour on a link has published for this part. What it reads may turn out
    /// to have been disturbed; then it is called again, before anything else.
    fn read(&mut self, link: usize, edge: EdgeReader<'_, Self::Unit>);

    /// Updates the part once, with the values that it last read of its neighbours. Where it is
    /// asked for, answers the sum of squares of the residual before the update, or of a part of the
    /// same size for all parts; a part is free to answer it where it is not asked for. Near the end
    /// of a run in the exact mode, [`Part::residual`] is asked for before the update instead.
    fn update(&mut self, with_residual: bool) -> Option<f64>;

    /// Returns the sum of squares of the residual, with the values that the part last read of its
    /// neighbours.
    fn residual(&mut self) -> f64;

    /// Returns all that an update depends on, or changes, and that [`Part::unpack`] cannot know by
    /// the part's number: with what was last read of the neighbours.
    fn pack(&self) -> impl Iterator<Item = Self::Unit>;

    /// Becomes the part of this number as [`Part::pack`] has packed it, whatever it was before;
    /// false where these are not such units, or there is no room for them.
    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = Self::Unit>) -> bool;

    /// Reads what the neighbour on a link, which is in the same hands, has for this part: what it
    /// would publish on its own link `back`. `through` is memory for that edge.
    #[inline]
    fn copy(&mut self, link: usize, neighbour: &Self, back: usize, through: &[SharedUnit<Self>]) {
        neighbour.publish(back, EdgeWriter::through(through));
        self.read(link, EdgeReader::new(through));
    }

    /// Becomes what [`Part::update`] makes of `other`, the part of this number, and answers what
    /// that answers. `other` stays as it is: another worker makes the same of it at the same time.
    #[inline]
    fn update_from(&mut self, id: SubdomainId, other: &Self, with_residual: bool) -> Option<f64> {
        self.unpack(id, other.pack()).or_bug("a part does not unpack what it has packed");
        self.update(with_residual)
    }
}

/// Parts that stay where the caller keeps them.
impl<T: Part> Part for &mut T {
    type Unit = T::Unit;

    #[inline(always)]
    fn publish(&self, link: usize, edge: EdgeWriter<'_, T::Unit>) {
        T::publish(self, link, edge);
    }

    #[inline(always)]
    fn read(&mut self, link: usize, edge: EdgeReader<'_, T::Unit>) {
        T::read(self, link, edge);
    }

    #[inline(always)]
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        T::update(self, with_residual)
    }

    #[inline(always)]
    fn residual(&mut self) -> f64 {
        T::residual(self)
    }

    fn pack(&self) -> impl Iterator<Item = T::Unit> {
        T::pack(self)
    }

    fn unpack(&mut self, id: SubdomainId, units: impl Iterator<Item = T::Unit>) -> bool {
        T::unpack(self, id, units)
    }

    #[inline(always)]
    fn copy(&mut self, link: usize, neighbour: &Self, back: usize, through: &[SharedUnit<T>]) {
        T::copy(self, link, neighbour, back, through);
    }

    #[inline(always)]
    fn update_from(&mut self, id: SubdomainId, other: &Self, with_residual: bool) -> Option<f64> {
        T::update_from(self, id, other, with_residual)
    }
}

/// Parts without cells: only their counts matter, and the residual stays as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoCells;

impl Part for NoCells {
    type Unit = u32;

    #[inline]
    fn publish(&self, _: usize, _: EdgeWriter<'_, u32>) {}

    #[inline]
    fn read(&mut self, _: usize, _: EdgeReader<'_, u32>) {}

    #[inline]
    fn update(&mut self, with_residual: bool) -> Option<f64> {
        with_residual.then_some(1.0)
    }

    #[inline]
    fn residual(&mut self) -> f64 {
        1.0
    }

    fn pack(&self) -> impl Iterator<Item = u32> {
        core::iter::empty()
    }

    fn unpack(&mut self, _: SubdomainId, mut units: impl Iterator<Item = u32>) -> bool {
        units.next().is_none()
    }

    #[inline]
    fn copy(&mut self, _: usize, _: &Self, _: usize, _: &[SharedUnit<Self>]) {}
}
