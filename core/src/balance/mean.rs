//! Mean update counts that can be compared exactly.

use serde::Serialize;

use crate::base::id::WorkerId;
use crate::base::table::At;
use crate::parts::ownership::Ownership;

/// A mean update count as a fraction, so that comparing needs no division.
///
/// A node also publishes its progress so (Zarins & Weiland 2020, section 3.2): sums saturate,
/// whatever another node says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Hash)]
pub struct Mean {
    /// Sum of the counts.
    pub updates: u64,
    /// Number of counts.
    pub subdomains: u64,
}

impl Mean {
    /// Returns the mean over all subdomains of some workers.
    pub fn of(workers: &[WorkerId], counts: &[u64], ownership: &Ownership<'_>) -> Self {
        let ids = workers.iter().flat_map(|&worker| ownership.of(worker));
        ids.fold(Self::default(), |sum, id| sum.and(*counts.at(id)))
    }

    /// Returns the mean with one more count.
    pub const fn and(self, count: u64) -> Self {
        let subdomains = self.subdomains.saturating_add(1);
        Self { updates: self.updates.saturating_add(count), subdomains }
    }

    /// Whether this is less than another.
    pub fn is_below(self, other: Self) -> bool {
        self.times(other.subdomains) < other.times(self.subdomains)
    }

    /// Whether this is less than another by more than `threshold`.
    pub fn is_below_by(self, threshold: u64, other: Self) -> bool {
        let pairs = u128::from(self.subdomains) * u128::from(other.subdomains);
        let apart = other.times(self.subdomains).checked_sub(self.times(other.subdomains));
        apart.is_some_and(|apart| apart > pairs.saturating_mul(u128::from(threshold)))
    }

    /// Returns the lowest and the highest of named means, of equal ones the first; a mean without
    /// subdomains has no progress and takes no part.
    pub fn extremes<T: Copy>(named: impl Iterator<Item = (T, Self)>) -> Option<[(T, Self); 2]> {
        let mut extremes: Option<[(T, Self); 2]> = None;
        for (name, mean) in named.filter(|(_, mean)| mean.subdomains > 0) {
            let [lowest, highest] = extremes.get_or_insert([(name, mean); 2]);
            if mean.is_below(lowest.1) {
                *lowest = (name, mean);
            }
            if highest.1.is_below(mean) {
                *highest = (name, mean);
            }
        }
        extremes
    }

    fn times(self, factor: u64) -> u128 {
        u128::from(self.updates) * u128::from(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_others_say_can_be_compared() {
        let most = Mean { updates: u64::MAX, subdomains: u64::MAX };
        assert_eq!(most.and(7), most);
        assert!(!most.is_below(most) && Mean::default().and(0).is_below_by(0, most));
    }
}
