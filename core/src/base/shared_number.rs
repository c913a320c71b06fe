//! Numbers that all workers of a node see.

use core::cell::Cell;

/// A number that all workers of a node share: an atomic where they are threads, and a plain cell
/// where one thread drives all of them.
pub trait SharedNumber: From<u64> {
    /// Returns the present number. What was written before it was stored is visible then (acquire).
    fn load(&self) -> u64;

    /// Sets the number, for all who load it later (release).
    fn store(&self, value: u64);

    /// Lowers the number to `value` where it is higher.
    fn lower(&self, value: u64);

    /// Subtracts `value` and returns the result. What others wrote before they subtracted is
    /// visible then.
    fn subtract(&self, value: u64) -> u64;
}

impl SharedNumber for Cell<u64> {
    #[inline]
    fn load(&self) -> u64 {
        self.get()
    }

    #[inline]
    fn store(&self, value: u64) {
        self.set(value);
    }

    #[inline]
    fn lower(&self, value: u64) {
        self.set(self.get().min(value));
    }

    #[inline]
    fn subtract(&self, value: u64) -> u64 {
        self.set(self.get().wrapping_sub(value));
        self.get()
    }
}

#[cfg(target_has_atomic = "64")]
mod atomic {
    use super::SharedNumber;
    use crate::base::sync::{AtomicU64, Ordering};

    impl SharedNumber for AtomicU64 {
        #[inline]
        fn load(&self) -> u64 {
            self.load(Ordering::Acquire)
        }

        #[inline]
        fn store(&self, value: u64) {
            self.store(value, Ordering::Release);
        }

        #[inline]
        fn lower(&self, value: u64) {
            self.fetch_min(value, Ordering::AcqRel);
        }

        #[inline]
        fn subtract(&self, value: u64) -> u64 {
            self.fetch_sub(value, Ordering::AcqRel).wrapping_sub(value)
        }
    }
}
