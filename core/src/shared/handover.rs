//! A thing that one worker at a time may hold: the hand-over of a subdomain.

#![expect(unsafe_code, reason = "the one room for it: the hand-over lends out what it guards")]

use super::sync::{AtomicU32, Ordering, UnsafeCell};
use crate::id::WorkerId;

/// Number in place of the holder's where nobody holds the thing.
const FREE: u32 = u32::MAX;

/// Something that is held by one worker or by nobody.
///
/// A worker takes it, keeps it for as many sweeps as it likes at no cost, and lets it go; between
/// two holders nobody has it, and never two.
#[derive(Debug)]
pub struct Handover<T> {
    holder: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is reached only through a `Held`, of which there is at most one at a time (see
// `take`), and what one holder wrote is seen by the next (release on drop, acquire on take). So
// sharing a `Handover` does no more than send the value from thread to thread.
unsafe impl<T: Send> Sync for Handover<T> {}

impl<T> Handover<T> {
    /// Returns a thing that nobody holds yet.
    pub fn new(value: T) -> Self {
        Self { holder: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
    }

    /// Takes the thing, if nobody holds it. (No worker has the number `u32::MAX`.)
    pub fn take(&self, worker: WorkerId) -> Option<Held<'_, T>> {
        if worker.0 == FREE {
            return None;
        }
        self.holder
            .compare_exchange(FREE, worker.0, Ordering::Acquire, Ordering::Relaxed)
            .ok()
            .map(|_| Held { of: self })
    }

    /// Returns the worker that holds the thing at this moment.
    pub fn holder(&self) -> Option<WorkerId> {
        Some(self.holder.load(Ordering::Relaxed)).filter(|&holder| holder != FREE).map(WorkerId)
    }
}

/// The right to use what a [`Handover`] guards; dropping it lets the next worker take it.
#[derive(Debug)]
pub struct Held<'a, T> {
    of: &'a Handover<T>,
}

impl<T> Held<'_, T> {
    /// Uses what is held.
    #[inline]
    pub fn with<R>(&mut self, f: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: there is one `Held` (the exchange in `take` succeeds only while there is none,
        // and `holder` becomes free only in `drop`), and this borrows it exclusively, so nobody
        // else reaches the value until `f` returns.
        self.of.value.with_mut(|value| f(unsafe { &mut *value }))
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.of.holder.store(FREE, Ordering::Release);
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
        held.with(|value| *value += 1);
        drop(held);
        assert_eq!(shared.holder(), None);
        assert_eq!(shared.take(WorkerId(1)).unwrap().with(|value| *value), 2);
        assert!(shared.take(WorkerId(FREE)).is_none());
    }
}
