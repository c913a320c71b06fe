//! A thing that one worker at a time may hold, or some may read: the hand-over of a subdomain.

#![expect(unsafe_code, reason = "a room for it: the hand-over lends out what it guards")]

use super::sync::{AtomicU32, Ordering, UnsafeCell};
use crate::id::WorkerId;

/// The word of a thing that nobody has.
const FREE: u32 = u32::MAX;
/// The word of a thing that is read is this and the number of its readers; below it is the number of the worker
/// that holds the thing.
const READ: u32 = 1 << 31;

/// Something that is held by one worker, read by some, or free.
///
/// A worker takes it, keeps it for as many sweeps as it likes at no cost, and lets it go; between
/// two holders nobody has it, and never two. A holder may turn to reading it, and lets others read it as well
/// by that; nobody writes until the last reader has let it go.
#[derive(Debug)]
pub struct Handover<T> {
    word: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is written only through a `Held`, of which there is at most one at a time and no `Read` beside it
// (see `take` and `read`), and what one holder wrote is seen by the next, and by readers (release where a
// right ends or is turned into the other, acquire where one begins). So sharing a `Handover` sends the value from
// thread to thread; that threads look at it together needs `T: Sync`, which both ways to a `Read` ask for.
unsafe impl<T: Send> Sync for Handover<T> {}

impl<T> Handover<T> {
    /// Returns a thing that nobody holds yet.
    pub fn new(value: T) -> Self {
        Self { word: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Takes the thing, if nobody has it. (No worker has a number from 2³¹ on.)
    pub fn take(&self, worker: WorkerId) -> Option<Held<'_, T>> {
        if worker.0 >= READ {
            return None;
        }
        self.word
            .compare_exchange(FREE, worker.0, Ordering::Acquire, Ordering::Relaxed)
            .ok()
            .map(|_| Held { of: self })
    }

    /// Whether nobody has the thing at this moment.
    pub fn is_free(&self) -> bool {
        self.word.load(Ordering::Relaxed) == FREE
    }

    /// Returns the worker that holds the thing at this moment.
    pub fn holder(&self) -> Option<WorkerId> {
        Some(self.word.load(Ordering::Relaxed)).filter(|&word| word < READ).map(WorkerId)
    }

    /// Whether somebody reads the thing at this moment, so that others may as well.
    pub fn is_read(&self) -> bool {
        readers(self.word.load(Ordering::Relaxed)).is_some()
    }
}

impl<T: Sync> Handover<T> {
    /// Reads the thing beside one who reads it; none where nobody does, or another has come before. So there are
    /// never more than two.
    pub fn read_beside(&self) -> Option<Read<'_, T>> {
        let both =
            self.word.compare_exchange(READ + 1, READ + 2, Ordering::Acquire, Ordering::Relaxed);
        both.ok().map(|_| Read { of: self })
    }
}

/// Returns the number of readers that a word tells, of one at least.
fn readers(word: u32) -> Option<u32> {
    (word != FREE).then(|| word.checked_sub(READ)).flatten()
}

/// The right to use what a [`Handover`] guards; dropping it lets the next worker take it.
#[derive(Debug)]
pub struct Held<'a, T> {
    of: &'a Handover<T>,
}

impl<'a, T> Held<'a, T> {
    /// Uses what is held.
    #[inline]
    pub fn with<R>(&mut self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: there is one `Held` and no `Read` (the exchange in `take` succeeds only while there is neither,
        // and the word becomes another only where this ends), and this borrows it exclusively, so nobody
        // else reaches the value until `f` returns.
        self.of.value.with_mut(|value| f(unsafe { &mut *value }))
    }

    /// Turns to reading, so that others may read as well.
    pub fn read(self) -> Read<'a, T>
    where
        T: Sync,
    {
        let of = self.of;
        // The thing is not to become free.
        core::mem::forget(self);
        of.word.store(READ + 1, Ordering::Release);
        Read { of }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.of.word.store(FREE, Ordering::Release);
    }
}

/// The right to read what a [`Handover`] guards; once the last is dropped, the next worker may take it.
#[derive(Debug)]
pub struct Read<'a, T> {
    of: &'a Handover<T>,
}

impl<T> Read<'_, T> {
    /// Reads.
    #[inline]
    pub fn with<R>(&self, f: impl FnOnce(&T) -> R) -> R {
        // SAFETY: the word counts this reader, so that `take` fails as long as it is there: nobody writes.
        self.of.value.with(|value| f(unsafe { &*value }))
    }
}

impl<T> Drop for Read<'_, T> {
    fn drop(&mut self) {
        let word = &self.of.word;
        let mut seen = word.load(Ordering::Relaxed);
        loop {
            let left = if seen == READ + 1 { FREE } else { seen.saturating_sub(1) };
            match word.compare_exchange_weak(seen, left, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let shared = Handover::new(1);
        let mut held = shared.take(WorkerId(0)).unwrap();
        assert!(shared.take(WorkerId(1)).is_none());
        assert_eq!(shared.holder(), Some(WorkerId(0)));
        assert!(!shared.is_free() && !shared.is_read() && shared.read_beside().is_none());
        held.with(|value| *value += 1);
        drop(held);
        assert!(shared.is_free() && shared.read_beside().is_none());
        assert_eq!(shared.take(WorkerId(1)).unwrap().with(|value| *value), 2);
        assert!(shared.take(WorkerId(FREE)).is_none());
    }
    #[test]
    fn a_holder_that_reads_lets_one_more_read() {
        let shared = Handover::new(7);
        let first = shared.take(WorkerId(0)).unwrap().read();
        assert!(shared.is_read() && !shared.is_free());
        let second = shared.read_beside().unwrap();
        assert!(shared.read_beside().is_none(), "there are two");
        assert_eq!((first.with(|value| *value), second.with(|value| *value)), (7, 7));
        drop(first);
        assert!(shared.take(WorkerId(1)).is_none(), "one still reads");
        drop(second);
        assert!(shared.is_free() && shared.take(WorkerId(1)).is_some());
    }
}
