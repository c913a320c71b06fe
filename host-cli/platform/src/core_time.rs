//! The time that threads have had of their cores, and that others had meanwhile.

use std::fs;
use std::ops::{Add, Sub};

/// Time of a thread, in nanoseconds, as Linux's scheduler counts it
/// (`/proc/thread-self/schedstat`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreTime {
    /// Time on a core.
    ran: u64,
    /// Time for which it was ready to run, and something else was on its core.
    delayed: u64,
}

impl CoreTime {
    /// Returns the time of the calling thread so far; none where the system does not count it.
    pub fn of_this_thread() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/thread-self/schedstat").ok()?)
    }

    /// Parses a line of Linux's `schedstat`: the nanoseconds that the thread ran, and those that it
    /// waited for its core.
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace().map(str::parse);
        let (ran, delayed) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Self { ran, delayed })
    }

    /// Returns the share of the time in which it was ready to run that it was on a core; none where
    /// it never was.
    pub fn share(self) -> Option<f64> {
        let ready = self.ran + self.delayed;
        (ready > 0).then(|| self.ran as f64 / ready as f64)
    }
}

impl Add for CoreTime {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { ran: self.ran + other.ran, delayed: self.delayed + other.delayed }
    }
}

impl Sub for CoreTime {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            ran: self.ran.saturating_sub(before.ran),
            delayed: self.delayed.saturating_sub(before.delayed),
        }
    }
}

/// Returns the share of their cores' time that several threads have had; none where it is not known
/// of each.
pub fn share(threads: impl IntoIterator<Item = Option<CoreTime>>) -> Option<f64> {
    threads.into_iter().try_fold(CoreTime::default(), |sum, time| Some(sum + time?))?.share()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_of_the_time_in_which_threads_were_ready() {
        let of = |text| CoreTime::parse(text);
        assert_eq!(of("300 100 7").unwrap().share(), Some(0.75));
        assert_eq!(share([of("300 100 7\n"), of("0 200 1")]), Some(0.5));
        assert_eq!(share([of("0 0 0")]), None);
        assert_eq!(share([of("5 0 1"), of("none")]), None);
        let later = of("500 100 9").unwrap() - of("300 100 7").unwrap();
        assert_eq!(later.share(), Some(1.0));
    }

    #[test]
    fn a_thread_that_works_has_had_time() {
        let Some(before) = CoreTime::of_this_thread() else { return };
        let mut number = 1_u64;
        while (CoreTime::of_this_thread().unwrap() - before).ran == 0 {
            number = std::hint::black_box(number.wrapping_mul(3));
        }
        assert!((CoreTime::of_this_thread().unwrap() - before).share() > Some(0.0));
    }
}
