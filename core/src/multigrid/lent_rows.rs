//! Rows of an array that threads work on together: each row is lent to one who writes it, or to all
//! who read it.

#![expect(unsafe_code, reason = "a module for it: rows of one array are lent to several threads")]

use core::cell::Cell;
use core::fmt;
use core::ops::{Deref, DerefMut, Range};
use core::slice;

use crate::base::sync::{AtomicU64, Ordering, UnsafeCell};

/// Rows of a word, each with four bits: 0 where nobody has it, the number of its readers, or
/// [`WRITTEN`].
const ROWS: usize = 16;
/// One reader in each of the 16 rows.
const READERS: u64 = 0x1111_1111_1111_1111;
/// The bits of a row that is written; one less is [`MOST_READERS`].
const WRITTEN: u64 = 0b1111;
/// Most readers of a row at once: whoever asks for a row that has as many gets none.
pub const MOST_READERS: usize = 14;

/// Who has which of 16 rows at this moment.
#[derive(Debug)]
pub struct RowStates {
    word: AtomicU64,
    /// Of no size; by them loom sees who may touch the rows when.
    touched: [UnsafeCell<()>; ROWS],
}

// SAFETY: there is nothing behind `touched` to be read or written.
unsafe impl Sync for RowStates {}

impl Default for RowStates {
    fn default() -> Self {
        Self { word: AtomicU64::new(0), touched: core::array::from_fn(|_| UnsafeCell::new(())) }
    }
}

impl RowStates {
    /// Returns the states that an array of so many rows needs.
    pub const fn number(rows: usize) -> usize {
        rows.div_ceil(ROWS)
    }

    /// Claims some rows of the word for one more reader, or for a writer; `bits` has all four bits
    /// of each. False, and nothing is claimed, where a writer has one of them, a row has the most
    /// readers, or a reader stops a writer.
    fn begin(&self, bits: u64, writes: bool) -> bool {
        let mut seen = self.word.load(Ordering::Relaxed);
        loop {
            let had = seen & bits;
            // Three upper bits that are set are those of a writer, or of the most readers.
            let is_full = (had >> 1) & (had >> 2) & (had >> 3) & READERS != 0;
            if is_full || writes && had != 0 {
                return false;
            }
            let new = if writes { seen | bits } else { seen.wrapping_add(bits & READERS) };
            match self.word.compare_exchange_weak(seen, new, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => seen = now,
            }
        }
        self.touch(bits, writes);
        true
    }

    /// Ends a claim that was begun with the same arguments: clears all bits of a writer's rows, or
    /// takes one from the number of readers of each.
    fn end(&self, bits: u64, writes: bool) {
        self.touch(bits, writes);
        if writes {
            self.word.fetch_and(!bits, Ordering::Release);
        } else {
            self.word.fetch_sub(bits & READERS, Ordering::Release);
        }
    }

    /// Tells the model checker loom that these rows are read or written now; does nothing else.
    #[inline]
    fn touch(&self, bits: u64, writes: bool) {
        if cfg!(loom) {
            for (row, touched) in self.touched.iter().enumerate() {
                match (bits >> (4 * row)) & WRITTEN != 0 {
                    true if writes => touched.with_mut(|_| ()),
                    true => touched.with(|_| ()),
                    false => {}
                }
            }
        }
    }
}

/// Rows that somebody has.
#[derive(Debug)]
struct Claim<'a> {
    states: &'a [RowStates],
    rows: Range<usize>,
    writes: bool,
}

impl<'a> Claim<'a> {
    /// Claims rows to be read or written, all or none; none where somebody else stops that.
    fn new(states: &'a [RowStates], rows: Range<usize>, writes: bool) -> Option<Self> {
        let (start, mut claimed) =
            (rows.start, Self { states, rows: rows.start..rows.start, writes });
        for (state, bits) in words(states, &(start..rows.end)) {
            if !state.begin(bits, writes) {
                // Dropped with what it has got so far.
                return None;
            }
            let end = (claimed.rows.end / ROWS + 1).saturating_mul(ROWS);
            claimed.rows.end = end.min(rows.end);
        }
        Some(claimed)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        for (state, bits) in words(self.states, &self.rows) {
            state.end(bits, self.writes);
        }
    }
}

/// Returns the words that hold the states of some rows, and in each the mask of these rows, four
/// bits a row.
fn words<'a>(
    states: &'a [RowStates],
    rows: &Range<usize>,
) -> impl Iterator<Item = (&'a RowStates, u64)> + use<'a> {
    let Range { start, end } = *rows;
    let first = start / ROWS;
    let states = states.get(first..RowStates::number(end).max(first)).unwrap_or_default();
    states.iter().zip(first..).map(move |(state, word)| {
        let [from, to] = [start, end].map(|row| row.saturating_sub(word * ROWS).min(ROWS));
        // Of so many rows from the first on.
        let bits = |rows: usize| if rows < ROWS { (1_u64 << (4 * rows)) - 1 } else { u64::MAX };
        (state, bits(to) & !bits(from))
    })
}

/// An array whose rows are lent.
///
/// Nobody waits: who asks for rows of which another has one, and either writes, gets none. So it is
/// for those who know by other means when rows are theirs, and makes sure that they are right.
pub struct LentRows<'m, T> {
    values: &'m [Cell<T>],
    stride: usize,
    states: &'m [RowStates],
}

// SAFETY: a value is reached only through `RowsWritten`, of which there is at most one for its row
// and no `RowsRead` beside it, or through `RowsRead`, which gives shared references; what was
// written is seen by those who have the row later (release where a right ends, acquire where one
// begins). So sharing sends values from thread to thread (`T: Send`), and lets threads look at them
// together (`T: Sync`).
unsafe impl<T: Send + Sync> Sync for LentRows<'_, T> {}

// Derived, it would look at values that somebody writes.
impl<T> fmt::Debug for LentRows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentRows").field("states", &self.states).finish_non_exhaustive()
    }
}

impl<'m, T> LentRows<'m, T> {
    /// Returns an array of rows of `stride` values, of which those are lent that there are states
    /// of ([`RowStates::number`]).
    pub fn new(values: &'m mut [T], stride: usize, states: &'m mut [RowStates]) -> Self {
        Self { values: Cell::from_mut(values).as_slice_of_cells(), stride, states }
    }

    /// Lends rows to be read; none where one of them is written, or missing.
    pub fn read(&self, rows: Range<usize>) -> Option<RowsRead<'_, T>> {
        let values = self.values(&rows)?;
        Some(RowsRead { values, claim: Claim::new(self.states, rows, false)? })
    }

    /// Lends rows to be written; none where somebody has one of them, or where one is missing.
    pub fn write(&self, rows: Range<usize>) -> Option<RowsWritten<'_, T>> {
        let values = self.values(&rows)?;
        Some(RowsWritten { values, _claim: Claim::new(self.states, rows, true)? })
    }

    /// Lends all rows to be written.
    pub fn write_all(&self) -> Option<RowsWritten<'_, T>> {
        self.write(0..self.values.len().checked_div(self.stride).unwrap_or(0))
    }

    /// Returns the cells of some rows; none where the array, or the states, have fewer rows.
    fn values(&self, rows: &Range<usize>) -> Option<&[Cell<T>]> {
        let Range { start, end } = *rows;
        let values = start.checked_mul(self.stride)?..end.checked_mul(self.stride)?;
        self.values.get(values).filter(|_| RowStates::number(end) <= self.states.len())
    }
}

/// Rows that are read; dropping it ends that.
pub struct RowsRead<'a, T> {
    values: &'a [Cell<T>],
    claim: Claim<'a>,
}

impl<T> RowsRead<'_, T> {
    /// Returns the number of the first row.
    pub const fn first(&self) -> usize {
        self.claim.rows.start
    }
}

impl<T> Deref for RowsRead<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: each of these rows counts this reader, so that nobody writes until this is
        // dropped.
        unsafe { slice::from_raw_parts(self.values.as_ptr().cast(), self.values.len()) }
    }
}

impl<T: fmt::Debug> fmt::Debug for RowsRead<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Rows that are written; dropping it ends that.
pub struct RowsWritten<'a, T> {
    values: &'a [Cell<T>],
    _claim: Claim<'a>,
}

impl<T> Deref for RowsWritten<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: as below; this borrows the right to write, so that nobody writes by it.
        unsafe { slice::from_raw_parts(self.values.as_ptr().cast(), self.values.len()) }
    }
}

impl<T> DerefMut for RowsWritten<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        let values = self.values.as_ptr().cast::<T>().cast_mut();
        // SAFETY: nobody else has any of these rows until this is dropped, and this borrows it
        // exclusively; the values are in cells, so that they may be written through a shared
        // reference to these.
        unsafe { slice::from_raw_parts_mut(values, self.values.len()) }
    }
}

impl<T: fmt::Debug> fmt::Debug for RowsWritten<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn a_row_has_one_writer_or_any_readers() {
        let mut values: std::vec::Vec<u32> = (0..8).collect();
        let mut states: std::vec::Vec<_> = (0..1).map(|_| RowStates::default()).collect();
        let rows = LentRows::new(&mut values, 2, &mut states);
        let (one, other) = (rows.read(0..2).unwrap(), rows.read(1..3).unwrap());
        assert_eq!((&*one, &*other), (&[0, 1, 2, 3][..], &[2, 3, 4, 5][..]));
        assert!(rows.write(1..2).is_none() && rows.write(2..4).is_none());
        drop(other);
        let mut written = rows.write(2..4).unwrap();
        written.copy_from_slice(&[9; 4]);
        assert!(rows.read(1..3).is_none() && rows.write(3..4).is_none());
        // What was asked for in vain is free for others.
        drop(one);
        assert!(rows.write(0..2).is_some());
        drop(written);
        assert_eq!(&*rows.read(1..4).unwrap(), &[2, 3, 9, 9, 9, 9]);
        assert!(rows.read(3..5).is_none() && rows.write(usize::MAX - 1..usize::MAX).is_none());
        assert!(rows.read(2..2).unwrap().is_empty() && rows.write(2..2).unwrap().is_empty());
    }

    /// Whatever two have, rows are lent to both only where none is in both, or where both read.
    #[test]
    fn rows_of_any_words_are_lent() {
        const COUNT: usize = 40;
        let mut values = [0_u8; COUNT];
        let mut states: [RowStates; RowStates::number(COUNT)] = Default::default();
        let rows = LentRows::new(&mut values, 1, &mut states);
        // At, before and behind the ends of words.
        let ends = [0, 1, 15, 17, 32, 33, COUNT];
        let ranges = || {
            let of = move |start| ends.into_iter().map(move |end| start..end);
            ends.into_iter().flat_map(of).filter(|range| range.start < range.end)
        };
        for range in ranges() {
            let reader = rows.read(range.clone()).unwrap();
            assert_eq!(reader.len(), range.len());
            let meets =
                |other: &Range<usize>| range.start.max(other.start) < range.end.min(other.end);
            for other in ranges() {
                assert!(rows.read(other.clone()).is_some());
                assert_eq!(
                    rows.write(other.clone()).is_none(),
                    meets(&other),
                    "{range:?} {other:?}"
                );
            }
            drop(reader);
            let writer = rows.write(range.clone()).unwrap();
            for other in ranges() {
                assert_eq!(
                    rows.read(other.clone()).is_none(),
                    meets(&other),
                    "{range:?} {other:?}"
                );
            }
            drop(writer);
            assert!(rows.write_all().is_some());
        }
    }

    #[test]
    fn fourteen_read_at_most() {
        let mut values = [0_u8; 2];
        let mut states = [RowStates::default()];
        let rows = LentRows::new(&mut values, 1, &mut states);
        let readers: std::vec::Vec<_> =
            (0..MOST_READERS).map(|_| rows.read(0..2).unwrap()).collect();
        assert!(rows.read(1..2).is_none() && rows.write(0..1).is_none());
        drop(readers);
        assert!(rows.write(0..2).is_some());
    }
}
