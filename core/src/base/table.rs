//! Tables: memory by part, worker, node and so on, made once with the right length.
//!
//! An id that is not in its table is a bug, and stops every build where it is looked up: whatever
//! else could be used in its place would be a wrong number that looks right.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut, Index, IndexMut};
use core::slice::SliceIndex;

use super::bug::stop;
use super::id::{NodeId, ObjectId, ProcessorId, SubdomainId, WorkerId};

/// A type whose values are indices of a table.
pub trait Id: Copy {
    /// Returns the index.
    fn index(self) -> usize;
}

impl Id for usize {
    #[inline]
    fn index(self) -> usize {
        self
    }
}

impl Id for u32 {
    #[inline]
    fn index(self) -> usize {
        self as usize
    }
}

/// A slice `S`, lent or owned, with one element for each id of type `I`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Table<I, S> {
    elements: S,
    ids: PhantomData<I>,
}

/// One element for each subdomain.
pub type PerPart<S> = Table<SubdomainId, S>;
/// One element for each worker.
pub type PerWorker<S> = Table<WorkerId, S>;
/// One element for each node.
pub type PerNode<S> = Table<NodeId, S>;
/// One element for each object.
pub type PerObject<S> = Table<ObjectId, S>;
/// One element for each processor.
pub type PerProcessor<S> = Table<ProcessorId, S>;

impl<I, S> Table<I, S> {
    /// Returns a table of these elements; the first belongs to id 0.
    #[inline]
    pub const fn of(elements: S) -> Self {
        Self { elements, ids: PhantomData }
    }
}

impl<I, T, S: Deref<Target = [T]>> Table<I, S> {
    /// Returns the elements, in the order of their ids.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.elements
    }

    /// Returns the elements, in the order of their ids.
    #[inline]
    pub fn iter<'t>(&'t self) -> impl ExactSizeIterator<Item = &'t T>
    where
        T: 't,
    {
        self.elements.iter()
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the same table for reading.
    #[inline]
    pub fn shared(&self) -> Table<I, &[T]> {
        Table::of(&self.elements)
    }
}

impl<I, T, S: DerefMut<Target = [T]>> Table<I, S> {
    /// Returns the elements, in the order of their ids.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.elements
    }

    /// Returns the elements, in the order of their ids.
    #[inline]
    pub fn iter_mut<'t>(&'t mut self) -> impl ExactSizeIterator<Item = &'t mut T>
    where
        T: 't,
    {
        self.elements.iter_mut()
    }
}

impl<I: Id, T, S: Deref<Target = [T]>> Index<I> for Table<I, S> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: I) -> &T {
        self.elements.at(id)
    }
}

impl<I: Id, T, S: DerefMut<Target = [T]>> IndexMut<I> for Table<I, S> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: I) -> &mut T {
        self.elements.at_mut(id)
    }
}

/// Access to elements of a slice that must exist; a missing one is a bug, and stops.
pub trait At<T> {
    /// Returns the element at an index.
    fn at(&self, place: impl Id) -> &T;
    /// Returns the element at an index, to be written.
    fn at_mut(&mut self, place: impl Id) -> &mut T;
    /// Returns the index of the first element that is the wanted one.
    fn place_of(&self, is_wanted: impl FnMut(&T) -> bool) -> usize;
    /// Returns the elements in a range of indices.
    fn stretch(&self, places: impl SliceIndex<[T], Output = [T]>) -> &[T];
    /// Returns the elements in a range of indices, to be written.
    fn stretch_mut(&mut self, places: impl SliceIndex<[T], Output = [T]>) -> &mut [T];
    /// Splits the slice before an index, which may be its length.
    fn cut(&self, place: usize) -> (&[T], &[T]);
    /// Splits the slice before an index, which may be its length; both to be written.
    fn cut_mut(&mut self, place: usize) -> (&mut [T], &mut [T]);
    /// Returns the elements at two different indices, to be written.
    fn both_mut(&mut self, places: [impl Id; 2]) -> [&mut T; 2];
}

/// A list with room for all that is ever put on it; an element too many is a bug, and stops.
pub trait Add<T> {
    /// Puts an element at the end.
    fn add(&mut self, element: T);
}

impl<T, const N: usize> Add<T> for heapless::Vec<T, N> {
    #[inline]
    #[track_caller]
    fn add(&mut self, element: T) {
        if self.push(element).is_err() {
            stop("a list is full");
        }
    }
}

/// The message of the bug that a table has fewer elements.
const SHORT: &str = "a table is shorter than what is looked up in it";

#[expect(clippy::indexing_slicing, reason = "a place that is not there is a bug")]
impl<T> At<T> for [T] {
    #[inline]
    #[track_caller]
    fn at(&self, place: impl Id) -> &T {
        &self[place.index()]
    }

    #[inline]
    #[track_caller]
    fn at_mut(&mut self, place: impl Id) -> &mut T {
        &mut self[place.index()]
    }

    #[inline]
    #[track_caller]
    fn place_of(&self, is_wanted: impl FnMut(&T) -> bool) -> usize {
        match self.iter().position(is_wanted) {
            Some(place) => place,
            None => stop("a table lacks what is looked for in it"),
        }
    }

    #[inline]
    #[track_caller]
    fn stretch(&self, places: impl SliceIndex<[T], Output = [T]>) -> &[T] {
        match self.get(places) {
            Some(elements) => elements,
            None => stop(SHORT),
        }
    }

    #[inline]
    #[track_caller]
    fn stretch_mut(&mut self, places: impl SliceIndex<[T], Output = [T]>) -> &mut [T] {
        match self.get_mut(places) {
            Some(elements) => elements,
            None => stop(SHORT),
        }
    }

    #[inline]
    #[track_caller]
    fn cut(&self, place: usize) -> (&[T], &[T]) {
        match self.split_at_checked(place) {
            Some(both) => both,
            None => stop(SHORT),
        }
    }

    #[inline]
    #[track_caller]
    fn cut_mut(&mut self, place: usize) -> (&mut [T], &mut [T]) {
        match self.split_at_mut_checked(place) {
            Some(both) => both,
            None => stop(SHORT),
        }
    }

    #[inline]
    #[track_caller]
    fn both_mut(&mut self, places: [impl Id; 2]) -> [&mut T; 2] {
        match self.get_disjoint_mut(places.map(Id::index)) {
            Ok(both) => both,
            Err(_) => stop("two places of a table are one, or one is not in it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_finds_its_element() {
        let mut elements = [5, 6, 7];
        let mut table = PerWorker::of(&mut elements[..]);
        table[WorkerId(1)] += 10;
        assert_eq!(table[WorkerId(1)], 16);
        assert_eq!(table.shared()[WorkerId(2)], 7);
        assert_eq!(table.as_slice().stretch(..2), [5, 16]);
        table.as_mut_slice().stretch_mut(1..).fill(0);
        assert_eq!(elements, [5, 0, 0]);
    }

    #[test]
    fn a_table_is_cut_in_two() {
        let mut elements = [1, 2, 3];
        assert_eq!(elements.cut(1), (&[1][..], &[2, 3][..]));
        let [last, first] = elements.both_mut([2_u32, 0]);
        core::mem::swap(last, first);
        assert_eq!(elements.cut_mut(3).0, [3, 2, 1]);
    }

    #[test]
    #[should_panic(expected = "two places of a table are one")]
    fn one_element_is_not_two() {
        [1, 2].both_mut([1_u32, 1]);
    }

    #[test]
    #[should_panic(expected = "a list is full")]
    fn a_full_list_stops() {
        let mut list = heapless::Vec::<u32, 1>::new();
        list.add(1);
        list.add(2);
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn an_unknown_id_stops() {
        let _ = PerPart::of(&[1, 2][..])[SubdomainId(2)];
    }

    #[test]
    #[should_panic(expected = "a table lacks")]
    fn an_element_that_is_not_there_stops() {
        [1, 2].place_of(|&element| element == 3);
    }

    #[test]
    #[should_panic(expected = "a table is shorter")]
    fn a_stretch_beyond_the_end_stops() {
        [1, 2].stretch(1..3);
    }
}
