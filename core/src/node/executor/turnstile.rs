//! What one worker at a time does for all.

#![expect(unsafe_code, reason = "a room for it: one at a time reaches what is behind a turnstile")]

use crate::base::sync::{AtomicBool, Ordering, UnsafeCell};

/// A lock that nobody waits for: one thread at a time works with the value, and others go on
/// without it.
#[derive(Debug)]
pub(super) struct Turnstile<T> {
    is_taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is reached only by whoever has set `is_taken`, one at a time; what that one wrote
// is seen by the next (release where it leaves, acquire where the next one enters). So sharing a
// `Turnstile` sends the value from thread to thread.
unsafe impl<T: Send> Sync for Turnstile<T> {}

/// Opens a turnstile again, even where what was done behind it panics.
struct Leave<'t>(&'t AtomicBool);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl<T> Turnstile<T> {
    /// Returns an open turnstile around a value.
    pub(super) fn new(value: T) -> Self {
        Self { is_taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Calls `f` with the value; none where another thread works with it at this moment.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        let taken =
            self.is_taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
        taken.ok()?;
        let _leave = Leave(&self.is_taken);
        // SAFETY: `is_taken` was not set, and now it is: nobody else is here until `_leave` is
        // dropped.
        Some(self.value.with_mut(|value| f(unsafe { &mut *value })))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Turnstile;

    #[test]
    fn one_at_a_time() {
        let turnstile = Turnstile::new(1);
        assert_eq!(turnstile.with(|value| (turnstile.with(|_| ()), *value)), Some((None, 1)));
        assert_eq!(turnstile.with(|value| *value += 1), Some(()));
        assert_eq!(turnstile.with(|value| *value), Some(2));
    }
}
