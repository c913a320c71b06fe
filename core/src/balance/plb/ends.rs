//! The most and the least updated subdomains, without sorting all.

use core::cmp::Reverse;

use heapless::Vec;

use crate::base::id::SubdomainId;
use crate::base::table::{Add, At};
use crate::run::MAX_PAIRS;

/// Returns the count of a subdomain.
pub(in crate::balance) fn count_of(counts: &[u64], subdomain: SubdomainId) -> u64 {
    *counts.at(subdomain)
}

/// A count with the number of the subdomain or worker that has it, to break ties.
///
/// Greater means earlier in the papers' list: more updates first, then the lower id (rule 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    pub count: u64,
    pub id: Reverse<u32>,
}

impl Ranked {
    pub const fn subdomain(self) -> SubdomainId {
        SubdomainId(self.id.0)
    }
}

/// The two ends of the list sorted by count, descending (Algorithm 1, line 1).
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// `doms[0], doms[1], …`
    pub top: Vec<Ranked, MAX_PAIRS>,
    /// `doms[-1], doms[-2], …`
    pub bottom: Vec<Ranked, MAX_PAIRS>,
}

impl Ends {
    /// Selects the `pairs` most updated and the `pairs` least updated of (id, count), and fewer
    /// where the two would overlap.
    pub fn select(all: impl Iterator<Item = (u32, u64)>, pairs: usize) -> Self {
        let pairs = pairs.min(MAX_PAIRS);
        let mut ends = Self::default();
        let mut length = 0;
        // The counts that an element must reach to matter: most do not, and cost two comparisons.
        let (mut top_least, mut bottom_most) = (0, u64::MAX);
        for (id, count) in all {
            length += 1;
            let element = Ranked { count, id: Reverse(id) };
            if count >= top_least {
                insert(&mut ends.top, element, pairs, |new, old| new > old);
                top_least = worst(&ends.top, pairs).unwrap_or(0);
            }
            if count <= bottom_most {
                insert(&mut ends.bottom, element, pairs, |new, old| new < old);
                bottom_most = worst(&ends.bottom, pairs).unwrap_or(u64::MAX);
            }
        }
        ends.top.truncate(length / 2);
        ends.bottom.truncate(length / 2);
        ends
    }

    /// Returns `(doms[i], doms[-1 - i])` for each `i`.
    pub fn pairs(&self) -> impl Iterator<Item = (Ranked, Ranked)> + '_ {
        self.top.iter().copied().zip(self.bottom.iter().copied())
    }
}

/// Returns the count of the last of `pairs` kept, or none while there is room.
fn worst(kept: &[Ranked], pairs: usize) -> Option<u64> {
    if kept.len() < pairs { None } else { kept.last().map(|last| last.count) }
}

/// Inserts an element into a sorted list of at most `pairs`, whose last one is dropped where it is
/// full.
fn insert(
    kept: &mut Vec<Ranked, MAX_PAIRS>,
    new: Ranked,
    pairs: usize,
    before: impl Fn(&Ranked, &Ranked) -> bool,
) {
    if kept.len() >= pairs {
        if !kept.last().is_some_and(|last| before(&new, last)) {
            return;
        }
        kept.pop();
    }
    kept.add(new);
    // One pass of insertion sort, from the end.
    let mut slots = kept.iter_mut().rev();
    if let Some(mut place) = slots.next() {
        for previous in slots {
            if !before(place, previous) {
                break;
            }
            core::mem::swap(place, previous);
            place = previous;
        }
    }
}
