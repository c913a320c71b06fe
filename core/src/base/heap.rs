//! A heap of numbers, each with the key that it is ordered by.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec};
use core::ops::DerefMut;

use crate::base::table::At;

/// Memory for one number in a heap.
///
/// Lower keys come first; at equal keys, the lower number. Both are in one integer, the key in the
/// upper bits, so that comparing takes no branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry(u128);

impl Entry {
    /// An unused entry.
    pub const EMPTY: Self = Self(u128::MAX);

    /// Returns the entry of a number with its key.
    pub(crate) const fn new(key: u64, number: u32) -> Self {
        Self((key as u128) << 64 | number as u128)
    }

    /// Returns the key and the number.
    #[expect(clippy::cast_possible_truncation, reason = "each half fits its type")]
    pub(crate) const fn parts(self) -> (u64, u32) {
        // The halves that `new` has put together.
        let [key, number] = [self.0 >> 64, self.0 & u32::MAX as u128];
        (key as u64, number as u32)
    }
}

/// Children of each node; four entries share a cache line.
const BRANCHES: usize = 4;

/// Entries that a heap's memory needs beyond one for each number, so that children can be aligned
/// to cache lines.
pub const SPARE: usize = BRANCHES - 1;

/// Returns the lower of two entries, with its index.
#[inline]
fn earlier(one: (Entry, usize), other: (Entry, usize)) -> (Entry, usize) {
    if other.0 < one.0 { other } else { one }
}

/// A heap with four branches. What is popped is mostly pushed again with another key, so the top is
/// kept free after a pop, for the next push.
#[derive(Debug)]
pub(crate) struct Heap<M> {
    entries: M,
    state: HeapState,
}

/// State of a heap besides its memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeapState {
    /// Number of unused entries before the first one.
    skipped: usize,
    /// Number of entries in use, a free top included.
    len: usize,
    /// Whether the top was popped and not filled yet.
    has_free_top: bool,
}

/// A heap on lent memory.
pub(crate) type LentHeap<'m> = Heap<&'m mut [Entry]>;

impl<'m> LentHeap<'m> {
    /// Returns an empty heap on memory for as many numbers as may be in it at a time, plus
    /// [`SPARE`].
    pub fn new(entries: &'m mut [Entry]) -> Self {
        // The first child, at place 1, and with it every fourth begins a cache line. Only speed
        // depends on where the memory is.
        let place = entries.as_ptr().addr() / size_of::<Entry>() + 1;
        let skipped = place.wrapping_neg() % BRANCHES;
        Self::resume(entries, HeapState { skipped, len: 0, has_free_top: false })
    }

    /// Returns the heap that was left in this state, on memory of the same length and content.
    pub fn resume(entries: &'m mut [Entry], state: HeapState) -> Self {
        let places = entries.len().saturating_sub(SPARE);
        let rest = entries.get_mut(state.skipped..).unwrap_or_default();
        Self { entries: rest.get_mut(..places).unwrap_or_default(), state }
    }
}

#[cfg(feature = "alloc")]
impl Heap<Box<[Entry]>> {
    /// Returns an empty heap with memory of its own for this number of entries.
    pub fn owned(places: usize) -> Self {
        let entries = vec![Entry::EMPTY; places].into_boxed_slice();
        Self { entries, state: HeapState { skipped: 0, len: 0, has_free_top: false } }
    }
}

impl<M: DerefMut<Target = [Entry]>> Heap<M> {
    /// Returns the state to keep while the memory is not lent.
    pub const fn state(&self) -> HeapState {
        self.state
    }

    /// Adds a number with its key. The memory must have room.
    #[inline]
    pub fn push(&mut self, key: u64, number: u32) {
        let new = Entry::new(key, number);
        if self.state.has_free_top {
            self.state.has_free_top = false;
            self.sink(new);
            return;
        }
        self.state.len += 1;
        self.rise(self.state.len - 1, new);
    }

    /// Removes the first entry, and returns its key and number; none where the heap is empty.
    #[inline]
    pub fn pop(&mut self) -> Option<(u64, u32)> {
        let first = self.first()?;
        self.state.has_free_top = true;
        Some(first)
    }

    /// Returns the key and number of the first entry, which stays; none where the heap is empty.
    #[inline]
    pub fn first(&mut self) -> Option<(u64, u32)> {
        self.fill_top();
        self.filled().first().map(|first| first.parts())
    }

    /// Gives the entry of `number` with this key another key; searches all entries for it.
    pub fn change(&mut self, key: u64, number: u32, new_key: u64) {
        self.fill_top();
        let old = Entry::new(key, number);
        let at = self.filled().place_of(|&entry| entry == old);
        // First to the top, then like one that is taken and added again.
        let first = Entry::new(0, 0);
        self.rise(at, first);
        self.state.has_free_top = true;
        self.push(new_key, number);
    }

    /// Returns the entries in use.
    #[inline]
    fn filled(&self) -> &[Entry] {
        self.entries.stretch(..self.state.len)
    }

    /// Fills a free top with the last entry, which sinks to its place.
    #[inline]
    fn fill_top(&mut self) {
        if !self.state.has_free_top {
            return;
        }
        self.state.has_free_top = false;
        self.state.len -= 1;
        if self.state.len > 0 {
            self.sink(*self.entries.at(self.state.len));
        }
    }

    /// Moves parents that are later than `new` down along the way up from index `at`, and puts
    /// `new` there.
    #[inline]
    fn rise(&mut self, mut at: usize, new: Entry) {
        while at > 0 {
            let above = (at - 1) / BRANCHES;
            let other = *self.entries.at(above);
            if new >= other {
                break;
            }
            self.set(at, other);
            at = above;
        }
        self.set(at, new);
    }

    /// Moves children that are earlier than `new` up along the way down from the top, and puts
    /// `new` there.
    #[inline]
    fn sink(&mut self, new: Entry) {
        let mut at = 0;
        while let Some((other, below)) = self.earliest_child(at) {
            if other >= new {
                break;
            }
            self.set(at, other);
            at = below;
        }
        self.set(at, new);
    }

    /// Returns the earliest child of the entry at an index, with its own index; none without
    /// children.
    #[inline]
    fn earliest_child(&self, at: usize) -> Option<(Entry, usize)> {
        let first = at * BRANCHES + 1;
        let children = self.filled().get(first..)?;
        if let Some(&[a, b, c, d]) = children.first_chunk::<BRANCHES>() {
            let left = earlier((a, first), (b, first + 1));
            return Some(earlier(left, earlier((c, first + 2), (d, first + 3))));
        }
        children.iter().copied().zip(first..).min()
    }

    /// Writes an entry at an index.
    #[inline]
    fn set(&mut self, at: usize, entry: Entry) {
        *self.entries.at_mut(at) = entry;
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn numbers_come_in_order_of_key_then_number() {
        const NEVER: u64 = u64::MAX;
        let mut memory = [Entry::EMPTY; 64 + SPARE];
        let mut heap = LentHeap::new(&mut memory);
        let mut rng = Rng::new(3, 0);
        let mut inside = [(NEVER, 0); 64];
        for number in 0..64 {
            let key = u64::from(rng.below(10));
            heap.push(key, number);
            inside[number as usize] = (key, number);
        }
        // Miri is some hundred times slower.
        for step in 0..if cfg!(miri) { 50 } else { 2_000 } {
            let first = *inside.iter().min().unwrap();
            assert_eq!(heap.pop(), Some(first));
            let key = first.0 + u64::from(rng.below(5));
            // Sometimes the next one is taken before the first is added again.
            inside[first.1 as usize].0 = NEVER;
            if step % 3 == 0 {
                let second = *inside.iter().min().unwrap();
                assert_eq!(heap.pop(), Some(second));
                heap.push(second.0, second.1);
            }
            heap.push(key, first.1);
            inside[first.1 as usize].0 = key;
        }
        for _ in 0..64 {
            assert!(heap.pop().is_some());
        }
        assert_eq!(heap.pop(), None);
        assert_eq!(heap.pop(), None);
    }

    #[test]
    fn without_memory_nothing_is_in_it() {
        for places in 0..=SPARE {
            let mut memory = [Entry::EMPTY; SPARE];
            let mut heap = LentHeap::new(&mut memory[..places]);
            assert_eq!(heap.pop(), None);
        }
    }

    #[test]
    #[should_panic(expected = "index out of bounds")]
    fn what_has_no_place_stops() {
        let mut memory = [Entry::EMPTY; 2 + SPARE];
        let mut heap = LentHeap::new(&mut memory);
        (0..3).for_each(|number| heap.push(5, number));
    }
}
