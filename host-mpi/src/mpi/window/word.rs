//! The words that windows are made of.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use mpi::ffi;

/// A word that ranks share.
///
/// # Safety
/// It lies in memory as MPI's `datatype` does, has interior mutability, and is valid with any bits.
pub unsafe trait Word: Debug + Send + Sync + 'static {
    /// Type of a value that is not shared.
    type Plain: Copy;

    /// Returns the word with all bits zero.
    fn zero() -> Self;
    /// Returns the word's value, without any ordering.
    fn plain(&self) -> Self::Plain;
    /// Returns MPI's type for the word.
    #[doc(hidden)]
    fn datatype() -> ffi::MPI_Datatype;
}

macro_rules! word {
    ($word:ty, $plain:ty, $datatype:ident) => {
        // SAFETY: an atomic has the size and the bits of its plain type, which MPI has a name for,
        // and windows are aligned for the atomic.
        unsafe impl Word for $word {
            type Plain = $plain;

            fn zero() -> Self {
                Self::new(0)
            }

            fn plain(&self) -> $plain {
                self.load(Ordering::Relaxed)
            }

            #[inline]
            fn datatype() -> ffi::MPI_Datatype {
                // SAFETY: a constant of the bindings.
                unsafe { ffi::$datatype }
            }
        }
    };
}
word!(AtomicU64, u64, RSMPI_UINT64_T);
word!(AtomicU32, u32, RSMPI_UINT32_T);
