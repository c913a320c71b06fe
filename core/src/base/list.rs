//! Lists in lent memory.

use super::bug::OrBug;
use super::table::At;

/// A list in memory that is lent, long enough for all that is ever put on it.
#[derive(Debug)]
pub struct List<'m, T> {
    /// The elements, and then places that are empty.
    memory: &'m mut [Option<T>],
    len: usize,
}

impl<'m, T> List<'m, T> {
    /// Returns an empty list in this memory.
    pub fn new(memory: &'m mut [Option<T>]) -> Self {
        memory.fill_with(|| None);
        Self { memory, len: 0 }
    }

    /// Returns the number of elements.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no element.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the element at a place.
    #[inline]
    pub fn at(&self, place: usize) -> &T {
        there(self.memory.at(place).as_ref())
    }

    /// Returns the element at a place.
    #[inline]
    pub fn at_mut(&mut self, place: usize) -> &mut T {
        there(self.memory.at_mut(place).as_mut())
    }

    /// Returns all elements in their order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.memory.iter().map_while(Option::as_ref)
    }

    /// Returns all elements in their order.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.memory.iter_mut().map_while(Option::as_mut)
    }

    /// Puts an element at the end.
    #[inline]
    pub fn push(&mut self, element: T) {
        *self.memory.at_mut(self.len) = Some(element);
        self.len += 1;
    }

    /// Takes the last element away.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        self.memory.at_mut(self.len).take()
    }

    /// Takes all elements away.
    pub fn clear(&mut self) {
        self.retain(|_| false);
    }

    /// Keeps the elements for which `is_kept` returns true, in their order.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&T) -> bool) {
        let mut kept = 0;
        for place in 0..self.len {
            let element = self.memory.at_mut(place).take().filter(&mut is_kept);
            if element.is_some() {
                *self.memory.at_mut(kept) = element;
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Sorts the elements by a key, which must differ for any two of them.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.memory.stretch_mut(..self.len).sort_unstable_by_key(|place| place.as_ref().map(&key));
    }

    /// Returns the index of the element with the key `wanted` among the first `number` elements,
    /// which must be sorted by `key`.
    pub fn place_among<K: Ord>(
        &self,
        number: usize,
        wanted: &K,
        key: impl Fn(&T) -> K,
    ) -> Option<usize> {
        let elements = self.memory.stretch(..number);
        elements.binary_search_by(|place| place.as_ref().map(&key).as_ref().cmp(&Some(wanted))).ok()
    }
}

/// Returns an element of a list, which must be there.
#[inline]
#[track_caller]
fn there<E>(element: Option<E>) -> E {
    element.or_bug("a list is shorter than what is looked up in it")
}

#[cfg(test)]
mod tests {
    use super::List;

    #[test]
    fn a_list_keeps_its_order() {
        let mut memory = [None, None, None];
        let mut list = List::new(&mut memory);
        for element in [5, 3, 4] {
            list.push(element);
        }
        list.sort_by_key(|&element| element);
        assert!(
            list.iter().eq(&[3, 4, 5])
                && list.place_among(list.len(), &4, |&element| element) == Some(1)
        );
        list.retain(|&element| element != 4);
        assert!(
            list.iter().eq(&[3, 5])
                && list.place_among(list.len(), &4, |&element| element).is_none()
        );
        *list.at_mut(1) += 1;
        assert_eq!(
            (list.len(), *list.at(1), list.pop(), list.pop(), list.pop()),
            (2, 6, Some(6), Some(3), None)
        );
    }

    #[test]
    #[should_panic(expected = "a list is shorter")]
    fn what_is_not_on_it_stops() {
        let mut memory = [Some(1), None];
        let _ = List::new(&mut memory).at(0);
    }
}
