//! The number of sweeps for which a part is claimed, by how long a worker's sweeps take.

use crate::base::time::Duration;
use crate::run::Mode;

/// A claim lasts at least this long where sweeps are shorter, so that its overhead is small.
const CLAIM: Duration = Duration::from_micros(2);
/// Maximum number of sweeps in a claim. Later ones see neighbours that have hardly gone on, and the
/// part may get ahead by as many updates.
const MOST: u64 = 4;
/// Number of iterations that are timed.
const TIMED: u32 = 16;
/// The time of a sweep before any was timed.
const UNKNOWN: Duration = Duration(u64::MAX);

/// How long a worker's sweeps take, by the quickest of its first iterations: noise only makes them
/// longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pace {
    /// Number of iterations still to be timed.
    left: u32,
    /// Time of the quickest sweep so far.
    sweep: Duration,
    /// Maximum number of sweeps in a claim.
    most: u64,
}

impl Pace {
    /// Returns the pace of a worker that has not swept yet; in the exact mode a part cannot go on
    /// without its neighbours, so that each claim has one sweep.
    pub fn new(mode: Mode) -> Self {
        let most = if mode == Mode::Exact { 1 } else { MOST };
        Self { left: TIMED, sweep: UNKNOWN, most }
    }

    /// Returns the pace of a worker whose sweeps are known to take this long.
    pub const fn of(sweep: Duration) -> Self {
        Self { left: 0, sweep, most: MOST }
    }

    /// Whether the next iteration is timed.
    #[inline]
    pub(super) const fn is_timed(&self) -> bool {
        self.left > 0
    }

    /// Returns the time of the quickest sweep; `u64::MAX` nanoseconds until it is known.
    #[inline]
    pub(super) const fn sweep(&self) -> Duration {
        if self.is_timed() { UNKNOWN } else { self.sweep }
    }

    /// Adds the time of an iteration with this number of sweeps.
    pub(super) fn add(&mut self, time: Duration, sweeps: u64) {
        if let Some(sweep) = time.0.checked_div(sweeps) {
            self.left = self.left.saturating_sub(1);
            self.sweep = self.sweep.min(Duration(sweep));
        }
    }

    /// Returns the number of sweeps per claim: more than one only where sweeps are known to be
    /// short.
    #[inline]
    pub fn sweeps(&self) -> u32 {
        if self.is_timed() || self.sweep.0 >= CLAIM.0 {
            return 1;
        }
        let sweeps = CLAIM.0.checked_div(self.sweep.0).unwrap_or(MOST).min(self.most).max(1);
        u32::try_from(sweeps).unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_sweeps_are_made_in_a_row() {
        let of = |sweep| Pace::of(Duration(sweep)).sweeps();
        assert_eq!([0, 110, 500, 700, 1_100, 2_000, 7_000].map(of), [4, 4, 4, 2, 1, 1, 1]);
    }

    #[test]
    fn the_quickest_of_the_first_iterations_tells() {
        let mut pace = Pace::new(Mode::Async);
        for _ in 0..TIMED - 1 {
            pace.add(Duration(40_000), 4);
            pace.add(Duration(40_000), 0);
        }
        assert!(pace.is_timed() && pace.sweeps() == 1);
        pace.add(Duration(2_000), 4);
        assert!(!pace.is_timed());
        assert_eq!(pace.sweeps(), 4);
        assert_eq!(Pace::new(Mode::Exact).sweeps(), 1);
    }
}
