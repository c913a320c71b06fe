//! Bugs of this crate and of its drivers, heard where they would be passed over.
//!
//! A release build has no panic, so whatever could fail has a fallback. Where that is taken only if
//! an invariant of this crate is broken, or a driver lends other memory than a function's
//! documentation asks for, builds with debug assertions stop there: tests, fuzzing and models are
//! such builds. In all others these functions do nothing.

/// Values that are present, or steps that have succeeded, unless there is a bug.
pub trait OrGoOn {
    /// Returns the value unchanged; stops where it is missing or failed, with `bug` as the
    /// description of what is broken.
    fn or_go_on(self, bug: &str) -> Self;
}

impl<T> OrGoOn for Option<T> {
    #[inline(always)]
    #[track_caller]
    fn or_go_on(self, bug: &str) -> Self {
        debug_assert!(self.is_some(), "{bug}");
        self
    }
}

impl<T, E> OrGoOn for Result<T, E> {
    #[inline(always)]
    #[track_caller]
    fn or_go_on(self, bug: &str) -> Self {
        debug_assert!(self.is_ok(), "{bug}");
        self
    }
}

/// Whether something was done.
impl OrGoOn for bool {
    #[inline(always)]
    #[track_caller]
    fn or_go_on(self, bug: &str) -> Self {
        debug_assert!(self, "{bug}");
        self
    }
}
