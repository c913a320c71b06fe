//! The types that a cell can have.

use core::fmt::{Debug, Display};
use core::ops::{Add, AddAssign, Div, Mul, Sub};

use super::unit::Unit;

/// A cell's type: `f32` or `f64`.
pub trait Real:
    Unit
    + PartialOrd
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
{
    /// 0.
    const ZERO: Self;
    /// 1/4, the weight of each neighbour.
    const QUARTER: Self;
    /// 4, the weight of the centre in the residual.
    const FOUR: Self;

    /// Returns the same number in double precision.
    fn to_f64(self) -> f64;

    /// Returns the nearest number to `value`; infinite where that is too large for this type.
    fn from_f64(value: f64) -> Self;
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const QUARTER: Self = 0.25;
    const FOUR: Self = 4.0;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }

    #[inline(always)]
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const QUARTER: Self = 0.25;
    const FOUR: Self = 4.0;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "rounding to single is the purpose")]
    fn from_f64(value: f64) -> Self {
        value as Self
    }
}
