//! Rows of an array that threads work on together: each row is lent to one who writes it, or to all who read it.

#![expect(unsafe_code, reason = "a room for it: rows of one array are lent to several threads")]

use core::cell::Cell;
use core::fmt;
use core::ops::{Deref, DerefMut, Range};
use core::slice;

use super::sync::{AtomicU32, Ordering, UnsafeCell};

/// The word of a row that nobody has; that of one that is read is the number of its readers.
const FREE: u32 = 0;
/// The word of a row that is written.
const WRITTEN: u32 = u32::MAX;

/// Who has a row at this moment.
#[derive(Debug)]
pub struct RowState {
    word: AtomicU32,
    /// Of no size; by it loom sees who may touch the row when.
    touched: UnsafeCell<()>,
}

// SAFETY: there is nothing behind `touched` to be read or written.
unsafe impl Sync for RowState {}

impl Default for RowState {
    fn default() -> Self {
        Self { word: AtomicU32::new(FREE), touched: UnsafeCell::new(()) }
    }
}

impl RowState {
    fn begin_to_read(&self) -> bool {
        let mut seen = self.word.load(Ordering::Relaxed);
        // One more than the greatest number of readers would be a writer.
        while seen < WRITTEN - 1 {
            let more = seen + 1;
            match self.word.compare_exchange_weak(seen, more, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => {
                    self.touched.with(|_| ());
                    return true;
                }
                Err(now) => seen = now,
            }
        }
        false
    }

    fn end_to_read(&self) {
        self.touched.with(|_| ());
        self.word.fetch_sub(1, Ordering::Release);
    }

    fn begin_to_write(&self) -> bool {
        let word = &self.word;
        let is_free =
            word.compare_exchange(FREE, WRITTEN, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if is_free {
            self.touched.with_mut(|_| ());
        }
        is_free
    }

    fn end_to_write(&self) {
        self.touched.with_mut(|_| ());
        self.word.store(FREE, Ordering::Release);
    }
}

/// An array whose rows are lent.
///
/// Nobody waits: who asks for rows of which another has one, and either writes, gets none. So it is for those who know
/// by other means when rows are theirs, and makes sure that they are right.
pub struct LentRows<'m, T> {
    values: &'m [Cell<T>],
    stride: usize,
    states: &'m [RowState],
}

// SAFETY: a value is reached only through `RowsWritten`, of which there is at most one for its row and no `RowsRead`
// beside it, or through `RowsRead`, which gives shared references; what was written is seen by those who have the row
// later (release where a right ends, acquire where one begins). So sharing sends values from thread to thread
// (`T: Send`), and lets threads look at them together (`T: Sync`).
unsafe impl<T: Send + Sync> Sync for LentRows<'_, T> {}

// Derived, it would look at values that somebody writes.
impl<T> fmt::Debug for LentRows<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentRows").field("states", &self.states).finish_non_exhaustive()
    }
}

impl<'m, T> LentRows<'m, T> {
    /// Returns an array of rows of `stride` values, with a state for each row that is to be lent.
    pub fn new(values: &'m mut [T], stride: usize, states: &'m mut [RowState]) -> Self {
        Self { values: Cell::from_mut(values).as_slice_of_cells(), stride, states }
    }

    /// Lends rows to be read; none where one of them is written, or missing.
    pub fn read(&self, rows: Range<usize>) -> Option<RowsRead<'_, T>> {
        let (values, states) = self.of(rows)?;
        let free = states.iter().take_while(|state| state.begin_to_read()).count();
        // Dropped with what it has got so far.
        let lent = RowsRead { values, states: states.get(..free)? };
        (free == states.len()).then_some(lent)
    }

    /// Lends rows to be written; none where somebody has one of them, or where one is missing.
    pub fn write(&self, rows: Range<usize>) -> Option<RowsWritten<'_, T>> {
        let (values, states) = self.of(rows)?;
        let free = states.iter().take_while(|state| state.begin_to_write()).count();
        let lent = RowsWritten { values, states: states.get(..free)? };
        (free == states.len()).then_some(lent)
    }

    /// Lends all rows to be written.
    pub fn write_all(&self) -> Option<RowsWritten<'_, T>> {
        self.write(0..self.states.len())
    }

    fn of(&self, rows: Range<usize>) -> Option<(&[Cell<T>], &[RowState])> {
        let Range { start, end } = rows;
        let values = start.checked_mul(self.stride)?..end.checked_mul(self.stride)?;
        Some((self.values.get(values)?, self.states.get(start..end)?))
    }
}

/// Rows that are read; dropping it ends that.
pub struct RowsRead<'a, T> {
    values: &'a [Cell<T>],
    states: &'a [RowState],
}

impl<T> Deref for RowsRead<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: each of these rows counts this reader, so that nobody writes until this is dropped.
        unsafe { slice::from_raw_parts(self.values.as_ptr().cast(), self.values.len()) }
    }
}

impl<T: fmt::Debug> fmt::Debug for RowsRead<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> Drop for RowsRead<'_, T> {
    fn drop(&mut self) {
        self.states.iter().for_each(RowState::end_to_read);
    }
}

/// Rows that are written; dropping it ends that.
pub struct RowsWritten<'a, T> {
    values: &'a [Cell<T>],
    states: &'a [RowState],
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
        // SAFETY: nobody else has any of these rows until this is dropped, and this borrows it exclusively; the values
        // are in cells, so that they may be written through a shared reference to these.
        unsafe { slice::from_raw_parts_mut(values, self.values.len()) }
    }
}

impl<T: fmt::Debug> fmt::Debug for RowsWritten<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T> Drop for RowsWritten<'_, T> {
    fn drop(&mut self) {
        self.states.iter().for_each(RowState::end_to_write);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn a_row_has_one_writer_or_any_readers() {
        let mut values: std::vec::Vec<u32> = (0..8).collect();
        let mut states: std::vec::Vec<_> = (0..4).map(|_| RowState::default()).collect();
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
}
