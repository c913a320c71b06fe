//! What a worker sweeps in an iteration that levels its subdomains.

use crate::base::id::SubdomainId;

/// Sentinel for no subdomain.
const NONE: u32 = u32::MAX;

/// The subdomains that a worker sweeps in an iteration, where it levels them
/// ([`Balance::levels`](crate::run::Balance::levels)): its least updated ones, and where that is
/// only one, the least updated of the others beside it.
///
/// Swept alone, a subdomain settles to halos that stand still, and its further sweeps are for
/// nothing, in exactly those subdomains that have fallen behind most. So of four subdomains, the
/// one that is behind is swept three times as often as each of the others until it is level with
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leveling {
    /// Subdomains up to this count are swept.
    least: u64,
    /// The number of one more subdomain that is swept, or [`NONE`].
    beside: u32,
}

impl Leveling {
    /// All subdomains are swept.
    pub const ALL: Self = Self { least: u64::MAX, beside: NONE };

    /// Returns which of these subdomains, with their counts, an iteration that begins now sweeps.
    /// Where only one is at the lowest count, the next one is swept beside it; ties go to the
    /// lowest number.
    #[inline]
    pub fn of(subdomains: impl Iterator<Item = (u64, SubdomainId)>) -> Self {
        let mut first = (u64::MAX, NONE);
        let mut second = first;
        for (count, SubdomainId(id)) in subdomains {
            let seen = (count, id);
            second = second.min(seen.max(first));
            first = first.min(seen);
        }
        let is_alone = second.0 > first.0;
        Self { least: first.0, beside: if is_alone { second.1 } else { NONE } }
    }

    /// Whether the iteration sweeps a subdomain that had this count when it began.
    #[inline]
    pub const fn admits(self, count: u64, SubdomainId(id): SubdomainId) -> bool {
        count <= self.least || id == self.beside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the counts after so many iterations.
    fn after<const N: usize>(iterations: u32, mut counts: [u64; N]) -> [u64; N] {
        for _ in 0..iterations {
            let ids = (0..).map(SubdomainId);
            let leveling = Leveling::of(counts.iter().copied().zip(ids.clone()));
            for (count, id) in counts.iter_mut().zip(ids) {
                *count += u64::from(leveling.admits(*count, id));
            }
        }
        counts
    }

    #[test]
    fn what_is_behind_is_swept_in_every_iteration_beside_one_other() {
        assert_eq!(after(1, [9, 9, 3, 9]), [10, 9, 4, 9]);
        assert_eq!(after(6, [9, 9, 0, 9]), [11, 11, 6, 11]);
        assert_eq!(after(14, [9, 9, 0, 9]), [14, 14, 14, 14]);
        assert_eq!(after(1, [3, 3, 9]), [4, 4, 9], "two are behind");
        assert_eq!(after(1, [0, 5]), [1, 6], "of two, both are swept");
    }

    #[test]
    fn what_is_level_is_swept_as_a_whole() {
        assert_eq!(after(5, [7; 4]), [12; 4]);
        assert_eq!(after(5, [7]), [12]);
        assert_eq!(after(1, []), []);
        assert!(Leveling::ALL.admits(u64::MAX, SubdomainId(3)));
    }
}
