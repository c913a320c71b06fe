//! Update counters: spread, staleness, iteration rate.

use crate::base::time::Duration;

/// The update counts of all subdomains, in four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The lowest count.
    pub least: u64,
    /// The highest count.
    pub most: u64,
    /// All updates.
    pub updates: u64,
    /// Subdomains counted.
    pub subdomains: u64,
}

impl Progress {
    /// Sums up a snapshot of update counts; all zero for none.
    pub fn of(counts: impl Iterator<Item = u64>) -> Self {
        let start = Self { least: u64::MAX, most: 0, updates: 0, subdomains: 0 };
        let sum = counts.fold(start, |sum, count| Self {
            least: sum.least.min(count),
            most: sum.most.max(count),
            updates: sum.updates.saturating_add(count),
            subdomains: sum.subdomains + 1,
        });
        Self { least: sum.least.min(sum.most), ..sum }
    }

    /// Returns the progress of `subdomains` subdomains that are all at the update count `count`.
    pub const fn level(count: u64, subdomains: u64) -> Self {
        let updates = count.saturating_mul(subdomains);
        Self { least: count, most: count, updates, subdomains }
    }

    /// Combines the progress of two parts of a run; one without subdomains is ignored.
    pub fn and(self, other: Self) -> Self {
        match (self.subdomains, other.subdomains) {
            (0, _) => other,
            (_, 0) => self,
            _ => Self {
                least: self.least.min(other.least),
                most: self.most.max(other.most),
                updates: self.updates.saturating_add(other.updates),
                subdomains: self.subdomains.saturating_add(other.subdomains),
            },
        }
    }

    /// Returns the highest minus the lowest count (section 3.1).
    pub const fn spread(&self) -> u64 {
        self.most.saturating_sub(self.least)
    }

    /// Returns the mean count, which is the mean number of iterations; 0 where there is nothing.
    pub fn mean(&self) -> f64 {
        if self.subdomains == 0 { 0.0 } else { self.updates as f64 / self.subdomains as f64 }
    }

    /// Returns the iterations per second, the mean count over the time (rule 11); 0 for no time.
    pub fn iteration_rate(&self, elapsed: Duration) -> f64 {
        if elapsed == Duration::ZERO { 0.0 } else { self.mean() / elapsed.seconds() }
    }
}

/// Staleness of the halos that a reader has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Staleness {
    /// Number of halos read.
    pub halos: u64,
    /// Sum of the versions by which they were behind.
    pub sum: u64,
    /// The largest number of versions that one was behind.
    pub max: u64,
}

impl Staleness {
    /// Counts a halo of version `halo` that was read by a subdomain at version `own`; a halo that
    /// is ahead is not stale.
    #[inline]
    pub fn meet(&mut self, own: u64, halo: u64) {
        let gap = own.saturating_sub(halo);
        self.halos += 1;
        self.sum = self.sum.saturating_add(gap);
        self.max = self.max.max(gap);
    }

    /// Combines two tallies.
    pub fn and(self, other: Self) -> Self {
        Self {
            halos: self.halos + other.halos,
            sum: self.sum.saturating_add(other.sum),
            max: self.max.max(other.max),
        }
    }

    /// Returns the mean gap; 0 where no halo was read.
    pub fn mean(&self) -> f64 {
        if self.halos == 0 { 0.0 } else { self.sum as f64 / self.halos as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_without_subdomains_have_no_least_count() {
        let nothing = Progress::of(core::iter::empty());
        let some = Progress::of([3, 9].into_iter());
        assert_eq!(nothing.and(some), some);
        assert_eq!(some.and(nothing), some);
        let all = some.and(Progress::of([1].into_iter()));
        assert_eq!(all, Progress::of([3, 9, 1].into_iter()));
    }

    #[test]
    fn whatever_others_say_adds_up() {
        let most = Progress { least: 1, most: 2, updates: u64::MAX, subdomains: u64::MAX };
        assert_eq!(most.and(Progress::level(1, 3)), most);
    }
}
