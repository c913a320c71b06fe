//! Numbers that all workers of a node see.

use core::cell::Cell;

/// A number that all workers of a node see: atomic where they are threads, and plain where one thread
/// drives all of them.
pub trait SharedNumber: From<u64> {
    /// What was last stored, and with it all that was written before.
    fn load(&self) -> u64;

    /// Sets it, for all who load it later.
    fn store(&self, value: u64);

    /// Sets it where it is higher.
    fn lower(&self, value: u64);
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
}

#[cfg(target_has_atomic = "64")]
mod atomic {
    use super::SharedNumber;
    use crate::shared::{AtomicU64, Ordering};

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
    }
}
