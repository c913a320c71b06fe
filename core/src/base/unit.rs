//! Units: the numbers that parts publish and pack, which threads share word by word.

use super::sync::{AtomicU32, Ordering};

#[cfg(target_has_atomic = "64")]
use super::sync::AtomicU64;
#[cfg(not(target_has_atomic = "64"))]
use halved::AtomicU64;

/// The unit of what parts publish and pack: a number that threads share word by word.
pub trait Unit: Copy + Default + Send + Sync + sealed::Sealed + 'static {
    /// One shared unit.
    type Shared: Send + Sync + core::fmt::Debug;

    /// Returns a shared unit of value zero.
    fn shared_zero() -> Self::Shared;
    /// Reads, without any ordering.
    fn load(shared: &Self::Shared) -> Self;
    /// Writes, without any ordering.
    fn store(shared: &Self::Shared, value: Self);
    /// Returns all bits of a unit.
    fn bits(self) -> u64;
    /// Returns the unit that has these bits.
    fn of_bits(bits: u64) -> Self;
    /// Writes 32 bits that are no unit, without any ordering.
    fn store_half(shared: &Self::Shared, half: u32);
    /// Reads 32 bits that are no unit, without any ordering.
    fn load_half(shared: &Self::Shared) -> u32;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! unit {
    ($unit:ty, $word:ty, $shared:ty, $to_bits:expr, $of_bits:expr) => {
        impl sealed::Sealed for $unit {}

        impl Unit for $unit {
            type Shared = $shared;

            fn shared_zero() -> Self::Shared {
                <$shared>::new(0)
            }

            #[inline(always)]
            fn load(shared: &Self::Shared) -> Self {
                $of_bits(shared.load(Ordering::Relaxed))
            }

            #[inline(always)]
            fn store(shared: &Self::Shared, value: Self) {
                shared.store($to_bits(value), Ordering::Relaxed);
            }

            #[inline(always)]
            fn bits(self) -> u64 {
                $to_bits(self).into()
            }

            #[inline(always)]
            #[allow(clippy::cast_possible_truncation, reason = "there are no more bits")]
            #[allow(clippy::unnecessary_cast, reason = "some units have 64 bits")]
            fn of_bits(bits: u64) -> Self {
                $of_bits(bits as $word)
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
unit!(f32, u32, AtomicU32, f32::to_bits, f32::from_bits);
unit!(f64, u64, AtomicU64, f64::to_bits, f64::from_bits);
unit!(u32, u32, AtomicU32, u32::from, u32::from);
unit!(u64, u64, AtomicU64, u64::from, u64::from);

/// Words of 64 bits for processors without such: a reader that meets a torn one is disturbed, and
/// sees that from the version. As all units, they are without any ordering.
#[cfg(not(target_has_atomic = "64"))]
mod halved {
    use crate::base::sync::{AtomicU32, Ordering};

    /// A word in two halves.
    #[derive(Debug)]
    pub struct AtomicU64([AtomicU32; 2]);

    impl AtomicU64 {
        pub const fn new(word: u32) -> Self {
            Self([AtomicU32::new(word), AtomicU32::new(0)])
        }

        pub fn load(&self, _: Ordering) -> u64 {
            let [low, high] = self.0.each_ref().map(|half| u64::from(half.load(Ordering::Relaxed)));
            high << u32::BITS | low
        }

        #[expect(clippy::cast_possible_truncation, reason = "each half fits")]
        pub fn store(&self, word: u64, _: Ordering) {
            let [low, high] = &self.0;
            low.store(word as u32, Ordering::Relaxed);
            high.store((word >> u32::BITS) as u32, Ordering::Relaxed);
        }
    }
}
