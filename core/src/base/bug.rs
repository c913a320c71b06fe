//! Bugs of this crate and of its drivers, heard where they would be passed over.
//!
//! A release build has no panic, so whatever could fail has a fallback. Where that is taken only if
//! an invariant of this crate is broken, or a driver lends other memory than a function's
//! documentation asks for, builds with debug assertions stop there: tests, fuzzing and models are
//! such builds. In all others these functions do nothing.

/// Values that are present, or steps that have succeeded, unless there is a bug.
pub trait OrBug {
    /// Returns the value unchanged; stops where it is missing or failed, with `bug` as the
    /// description of what is broken.
    fn or_bug(self, bug: &str) -> Self;
}

impl<T> OrBug for Option<T> {
    #[inline(always)]
    #[track_caller]
    fn or_bug(self, bug: &str) -> Self {
        debug_assert!(self.is_some(), "{bug}");
        self
    }
}

impl<T, E> OrBug for Result<T, E> {
    #[inline(always)]
    #[track_caller]
    fn or_bug(self, bug: &str) -> Self {
        debug_assert!(self.is_ok(), "{bug}");
        self
    }
}

/// Whether something was done.
impl OrBug for bool {
    #[inline(always)]
    #[track_caller]
    fn or_bug(self, bug: &str) -> Self {
        debug_assert!(self, "{bug}");
        self
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::OrBug;

    #[test]
    #[should_panic(expected = "a list has no end")]
    fn what_is_not_there_is_heard() {
        None::<u32>.or_bug("a list has no end");
    }

    #[test]
    #[should_panic(expected = "a heap is too small")]
    fn what_was_not_done_is_heard() {
        false.or_bug("a heap is too small");
    }

    #[test]
    fn what_is_there_stays() {
        assert_eq!(Some(1).or_bug("nothing is there"), Some(1));
        assert_eq!(Ok::<_, ()>(2).or_bug("it failed"), Ok(2));
    }
}
