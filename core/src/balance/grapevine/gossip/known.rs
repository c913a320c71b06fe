//! A processor's memory of the others: a table of bounded size.

use core::hint::black_box;

use crate::balance::grapevine::config::KNOWN_MAX;
use crate::base::rng::mix;
use crate::base::table::At;

/// Bins in a cache line.
const LINE: usize = 8;

/// Value of an empty bin.
const EMPTY: u64 = u64::MAX;

/// The names of some processors, which are their numbers, each in a bin that its hash chooses.
///
/// Of those that share a bin, the one with the lowest hash stays: a sample in which each has the
/// same chance, whatever the order in which the table heard of them, and how often (one permutation
/// hashing: Li, Owen & Zhang 2012). The hashes are the table's own, so that each has another
/// sample.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    /// Hash in the upper half, name in the lower one.
    bins: [u64; KNOWN_MAX],
    /// A bit for each bin that is not empty: most are in the first rounds, and not looked at.
    filled: u64,
}

/// Rule that gives a name its bin in a table, and its worth there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    salt: u64,
    bins: u32,
    /// Whether every processor has a bin of its own.
    complete: bool,
}

impl Sampling {
    /// Returns the rule for a table of at most `bound` of all `processors`; each `salt` makes
    /// another sample.
    pub fn new(salt: u64, bound: u32, processors: u32) -> Self {
        let most = u32::try_from(KNOWN_MAX).unwrap_or(u32::MAX);
        let bins = bound.min(most);
        Self { salt, bins, complete: processors <= bins }
    }

    /// Returns the bin of a name, and its entry there: a hash in the upper half and the name in the
    /// lower one. The lowest entry wins the bin.
    #[inline]
    fn bin_and_entry(self, name: u32) -> (usize, u64) {
        let hash = mix(self.salt ^ u64::from(name));
        let (high, low) = (hash >> 32, hash << 32);
        // The bin is chosen by other bits than the winner in it.
        let bin = if self.complete { u64::from(name) } else { (high * u64::from(self.bins)) >> 32 };
        (usize::try_from(bin).unwrap_or(usize::MAX), low | u64::from(name))
    }
}

impl Default for Known {
    fn default() -> Self {
        Self { bins: [EMPTY; KNOWN_MAX], filled: 0 }
    }
}

impl Known {
    /// Forgets all names.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the number of names.
    #[inline]
    pub const fn len(&self) -> usize {
        self.filled.count_ones() as usize
    }

    /// Whether the table has no names.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Returns the names in the order of their bins, whatever the order in which they came.
    #[inline]
    pub fn names(&self) -> impl Iterator<Item = u32> {
        let next = |left: u64| (left > 0).then_some(left);
        let bits = core::iter::successors(next(self.filled), move |left| next(left & (left - 1)));
        bits.filter_map(|left| self.bins.get(left.trailing_zeros() as usize).copied().map(name_of))
    }

    /// Brings all of the table into the cache at once.
    #[inline]
    pub fn prefetch(&self) {
        black_box(self.bins.iter().step_by(LINE).fold(self.filled, |read, bin| read ^ bin));
    }

    /// Whether a name is in the table.
    #[inline]
    pub fn contains(&self, sampling: Sampling, name: u32) -> bool {
        let (bin, entry) = sampling.bin_and_entry(name);
        *self.bins.at(bin) == entry
    }

    /// Adds the name of a processor, unless a name that wins over it is in the same bin.
    #[inline]
    pub fn insert(&mut self, sampling: Sampling, name: u32) {
        let (bin, entry) = sampling.bin_and_entry(name);
        self.filled |= 1 << bin;
        let known = self.bins.at_mut(bin);
        *known = entry.min(*known);
    }
}

/// Returns the name in an entry: its lower half.
#[inline]
fn name_of(entry: u64) -> u32 {
    u32::try_from(entry & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_does_not_depend_on_the_order() {
        let sampling = Sampling::new(7, 16, 1000);
        let (mut up, mut down) = (Known::default(), Known::default());
        (0..300).for_each(|name| up.insert(sampling, name));
        (0..300).rev().chain(0..300).for_each(|name| down.insert(sampling, name));
        assert!(up.names().eq(down.names()));
        assert_eq!(up.len(), 16);
        assert!(up.names().all(|name| up.contains(sampling, name)));
        assert_eq!((0..300).filter(|&name| up.contains(sampling, name)).count(), 16);
    }

    #[test]
    fn few_processors_are_all_remembered() {
        let sampling = Sampling::new(7, 64, 64);
        let mut known = Known::default();
        (0..64).for_each(|name| known.insert(sampling, name));
        assert!(known.names().eq(0..64));
    }

    #[test]
    fn each_has_the_same_chance() {
        let mut hits = 0;
        for salt in 0..2000 {
            let sampling = Sampling::new(mix(salt), 8, 1000);
            let mut known = Known::default();
            (0..80).for_each(|name| known.insert(sampling, name));
            hits += u32::from(known.contains(sampling, 79));
        }
        // A tenth, with a standard deviation of 13.
        assert!(hits.abs_diff(200) < 60, "{hits}");
    }
}
