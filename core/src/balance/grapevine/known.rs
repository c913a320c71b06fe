//! What a processor remembers of the others: a table of bounded size.

use heapless::Vec;

use crate::rng::mix;

/// The most that a table holds.
pub const KNOWN_MAX: usize = 64;

/// The names of some underloaded processors, each with a hash that is this table's own.
///
/// Of all that it hears of, a table keeps those with the lowest hashes: a sample in which each has
/// the same chance, whatever the order in which it heard of them, and how often.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Hash in the upper half, name in the lower one, ascending.
    entries: Vec<u64, KNOWN_MAX>,
}

/// What makes the hashes of one table differ from those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Salt(u64);

impl Salt {
    /// The salt of a processor's table in one iteration.
    pub fn new(seed: u64, iteration: u64, name: u32) -> Self {
        Self(mix(mix(seed ^ iteration) ^ u64::from(name)))
    }

    #[inline]
    fn entry(self, name: u32) -> u64 {
        let hash = mix(self.0 ^ u64::from(name));
        (hash & !u64::from(u32::MAX)) | u64::from(name)
    }
}

impl Known {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// How many it holds.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The names, in the order of their hashes.
    #[inline]
    pub fn names(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().map(|&entry| name_of(entry))
    }

    /// Whether a name is in it.
    #[inline]
    pub fn contains(&self, salt: Salt, name: u32) -> bool {
        self.entries.binary_search(&salt.entry(name)).is_ok()
    }

    /// Hears of one; keeps at most `bound`.
    #[inline]
    pub fn hear(&mut self, salt: Salt, bound: usize, name: u32) {
        let entry = salt.entry(name);
        let full = self.entries.len() >= bound;
        if full && self.entries.last().is_some_and(|&last| entry >= last) {
            return;
        }
        let Err(place) = self.entries.binary_search(&entry) else { return };
        if full {
            self.entries.pop();
        }
        // There is room: the table is never fuller than its bound.
        self.entries.insert(place, entry).ok();
    }
}

#[inline]
fn name_of(entry: u64) -> u32 {
    u32::try_from(entry & u64::from(u32::MAX)).unwrap_or(u32::MAX)
}
