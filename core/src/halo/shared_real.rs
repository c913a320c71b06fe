//! Cells that several threads may read and write.

use crate::real::Real;
use crate::shared::sync::{AtomicF32, AtomicF64, Ordering};

/// A cell type that can be shared word by word.
pub trait SharedReal: Real {
    /// One shared cell.
    type Shared: Send + Sync;

    /// Returns a shared cell of value zero.
    fn shared_zero() -> Self::Shared;
    /// Reads, without any ordering.
    fn load(shared: &Self::Shared) -> Self;
    /// Writes, without any ordering.
    fn store(shared: &Self::Shared, value: Self);
    /// Returns all bits of a cell.
    fn bits(self) -> u64;
    /// Writes 32 bits that are no cell, without any ordering.
    fn store_half(shared: &Self::Shared, half: u32);
    /// Reads 32 bits that are no cell, without any ordering.
    fn load_half(shared: &Self::Shared) -> u32;
}

macro_rules! shared_real {
    ($real:ty, $shared:ty) => {
        impl SharedReal for $real {
            type Shared = $shared;

            fn shared_zero() -> Self::Shared {
                <$shared>::new(0)
            }

            #[inline(always)]
            fn load(shared: &Self::Shared) -> Self {
                <$real>::from_bits(shared.load(Ordering::Relaxed))
            }

            #[inline(always)]
            fn store(shared: &Self::Shared, value: Self) {
                shared.store(value.to_bits(), Ordering::Relaxed);
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                self.to_bits().into()
            }

            #[inline]
            fn store_half(shared: &Self::Shared, half: u32) {
                shared.store(half.into(), Ordering::Relaxed);
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "there are no more bits")]
            fn load_half(shared: &Self::Shared) -> u32 {
                shared.load(Ordering::Relaxed) as u32
            }
        }
    };
}
shared_real!(f32, AtomicF32);
shared_real!(f64, AtomicF64);
