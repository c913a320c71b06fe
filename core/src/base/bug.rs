//! Bugs of this crate and of its drivers, which stop every build.
//!
//! What only a mistake of this crate can cause, or of a driver that lends other memory than a
//! function's documentation asks for, is no error that somebody could answer: to go on would give a
//! wrong field that looks right. So a broken invariant panics, always. Where the invariant is that
//! a table has an element, [the table](super::table) stops by itself.

use core::convert::Infallible;

/// Values that are present, or steps that have succeeded, unless there is a bug.
pub trait OrBug {
    /// What there is without a bug.
    type Value;

    /// Returns the value; stops where it is missing or failed, with `bug` as the description of
    /// what is broken.
    fn or_bug(self, bug: &str) -> Self::Value;
}

impl<T> OrBug for Option<T> {
    type Value = T;

    #[inline(always)]
    #[track_caller]
    fn or_bug(self, bug: &str) -> T {
        match self {
            Some(value) => value,
            None => stop(bug),
        }
    }
}

impl<T, E> OrBug for Result<T, E> {
    type Value = T;

    #[inline(always)]
    #[track_caller]
    fn or_bug(self, bug: &str) -> T {
        match self {
            Ok(value) => value,
            Err(_) => stop(bug),
        }
    }
}

/// Whether something holds, or was done.
impl OrBug for bool {
    type Value = ();

    #[inline(always)]
    #[track_caller]
    fn or_bug(self, bug: &str) {
        if !self {
            stop(bug);
        }
    }
}

/// Amounts from which no more is taken away than there is; more is a bug, and stops.
pub trait Minus {
    /// Returns what is left.
    fn minus(self, taken: Self) -> Self;
}

macro_rules! minus {
    ($($number:ty)*) => {$(
        impl Minus for $number {
            #[inline]
            #[track_caller]
            fn minus(self, taken: Self) -> Self {
                self.checked_sub(taken).or_bug("more is taken away than there is")
            }
        }
    )*};
}

minus!(u32 u64 usize);

/// Stops because something is broken: the only panic of this crate besides an index that is out of
/// bounds.
///
/// # Panics
///
/// Always.
#[cold]
#[inline(never)]
#[track_caller]
#[expect(
    clippy::expect_used,
    clippy::unnecessary_literal_unwrap,
    reason = "unlike `panic`, it takes no formatting here"
)]
pub fn stop(bug: &str) -> ! {
    match None::<Infallible>.expect(bug) {}
}

#[cfg(test)]
mod tests {
    use super::{Minus, OrBug};

    #[test]
    #[should_panic(expected = "a list has no end")]
    fn what_is_not_there_stops() {
        None::<u32>.or_bug("a list has no end");
    }

    #[test]
    #[should_panic(expected = "a heap is too small")]
    fn what_was_not_done_stops() {
        false.or_bug("a heap is too small");
    }

    #[test]
    #[should_panic(expected = "more is taken away than there is")]
    fn what_is_not_there_is_not_taken_away() {
        1_u32.minus(2);
    }

    #[test]
    fn what_is_there_is_returned() {
        assert_eq!(Some(1).or_bug("nothing is there"), 1);
        assert_eq!(2_u64.minus(2), 0);
        assert_eq!(Ok::<_, ()>(2).or_bug("it failed"), 2);
    }
}
