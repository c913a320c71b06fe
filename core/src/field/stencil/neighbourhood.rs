//! The five (with the source, six) rows that a residual is made of.

use core::slice::Chunks;

use super::layout::Layout;
use super::rows::Rows;

/// A value for each place of the stencil around a cell: slices of cells, or iterators over them.
#[derive(Clone, Copy)]
pub(super) struct Neighbourhood<T> {
    pub up: T,
    pub down: T,
    pub left: T,
    pub right: T,
    pub centre: T,
    pub source: Option<T>,
}

impl<T> Neighbourhood<T> {
    /// Returns the neighbourhood with each value changed.
    #[inline(always)]
    pub(super) fn map<U>(self, mut change: impl FnMut(T) -> U) -> Neighbourhood<U> {
        Neighbourhood {
            up: change(self.up),
            down: change(self.down),
            left: change(self.left),
            right: change(self.right),
            centre: change(self.centre),
            source: self.source.map(change),
        }
    }

    /// Takes one item at each place of the stencil by `next`; none where one of them has no more.
    #[inline(always)]
    fn each<U>(&mut self, mut next: impl FnMut(&mut T) -> Option<U>) -> Option<Neighbourhood<U>> {
        Some(Neighbourhood {
            up: next(&mut self.up)?,
            down: next(&mut self.down)?,
            left: next(&mut self.left)?,
            right: next(&mut self.right)?,
            centre: next(&mut self.centre)?,
            source: match &mut self.source {
                Some(source) => Some(next(source)?),
                None => None,
            },
        })
    }
}

impl<I: Iterator> Iterator for Neighbourhood<I> {
    type Item = Neighbourhood<I::Item>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.each(Iterator::next)
    }
}

impl<'a, F> Neighbourhood<Rows<'a, F>> {
    /// Returns iterators over the interior rows, from the top, and over the rows shifted by one
    /// cell in each direction.
    #[inline(always)]
    pub(super) fn rows(layout: &Layout, source: Option<&'a [F]>, current: &'a [F]) -> Self {
        Self {
            up: layout.rows_at(current, 0, 1),
            down: layout.rows_at(current, 2, 1),
            left: layout.rows_at(current, 1, 0),
            right: layout.rows_at(current, 1, 2),
            centre: layout.rows_at(current, 1, 1),
            source: source.map(|source| layout.at_start().rows_at(source, 1, 1)),
        }
    }
}

impl<'a, F> Neighbourhood<&'a [F]> {
    /// Cuts the rows into blocks of at most `CELLS` cells.
    #[inline(always)]
    pub(super) fn blocks<const CELLS: usize>(self) -> Neighbourhood<Chunks<'a, F>> {
        self.map(|row| row.chunks(CELLS))
    }
}
