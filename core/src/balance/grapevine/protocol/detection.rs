//! Whether all that was sent in a step has arrived: the four-counter method (F. Mattern,
//! *Algorithms for distributed termination detection*, Distributed Computing 2, 1987, section 4) on
//! a tree.
//!
//! The messages that were sent and received are counted, everywhere one after the other. Where two
//! counts in a row agree, and as many are received as are sent, then nothing was on its way when
//! the first ended. The tree is that of a binary heap over the names: the counts go up, and so does
//! what the root has to know of the loads.

use super::message::Counts;

/// Messages of a step that one processor sent and received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Traffic {
    /// Messages sent.
    pub sent: u64,
    /// Messages received.
    pub received: u64,
}

/// Returns the processors right below one in the tree.
pub fn children(name: u32, processors: u32) -> impl Iterator<Item = u32> {
    let first = name.saturating_mul(2).saturating_add(1);
    (first..processors).take(2)
}

/// Returns the processor right above one; none for the root.
pub const fn parent(name: u32) -> Option<u32> {
    match name.checked_sub(1) {
        Some(before) => Some(before / 2),
        None => None,
    }
}

impl Counts {
    /// Returns the counts of two parts of the tree together: sums, and the larger of the highest
    /// loads.
    pub fn and(self, other: Self) -> Self {
        Self {
            sent: self.sent.saturating_add(other.sent),
            received: self.received.saturating_add(other.received),
            total: self.total.saturating_add(other.total),
            max: self.max.max(other.max),
            transfers: self.transfers.saturating_add(other.transfers),
        }
    }

    /// Whether nothing is on its way, by this count and the one before it.
    pub fn is_quiet(&self, before: Option<Traffic>) -> bool {
        self.sent == self.received && before == Some(self.traffic())
    }

    /// Returns the messages sent and received.
    pub const fn traffic(&self) -> Traffic {
        Traffic { sent: self.sent, received: self.received }
    }
}

/// A count, at one processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Count {
    /// The number of processors below in the tree that have not reported their counts.
    waiting: u32,
    /// Counts of the processors below that have reported.
    below: Counts,
    /// Whether the count is passed on.
    passed: bool,
}

impl Count {
    /// No count is under way.
    pub const NONE: Self = Self {
        waiting: 0,
        below: Counts { sent: 0, received: 0, total: 0, max: 0, transfers: 0 },
        passed: true,
    };

    /// Returns a count that begins.
    pub fn new(name: u32, processors: u32) -> Self {
        let waiting = children(name, processors).map(|_| 1).sum();
        Self { waiting, ..Self::default() }
    }

    /// Adds the counts of the subtree below one of the children.
    pub fn add(&mut self, counts: Counts) {
        debug_assert!(self.waiting > 0, "more have counted than are below");
        self.waiting = self.waiting.saturating_sub(1);
        self.below = self.below.and(counts);
    }

    /// Whether all below have counted, and the count is not passed on.
    pub const fn is_complete(&self) -> bool {
        !self.passed && self.waiting == 0
    }

    /// Marks the count as passed on, and returns it together with this processor's part.
    pub fn pass(&mut self, own: Counts) -> Counts {
        self.passed = true;
        self.below.and(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_below_its_parent() {
        for processors in 1..40 {
            let mut seen = 1;
            for name in 0..processors {
                for child in children(name, processors) {
                    assert_eq!(parent(child), Some(name));
                    seen += 1;
                }
            }
            assert_eq!((seen, parent(0)), (processors, None));
        }
    }

    #[test]
    fn one_count_that_agrees_is_not_enough() {
        let counts = |sent, received| Counts { sent, received, ..Counts::default() };
        assert!(!counts(0, 0).is_quiet(None));
        assert!(!counts(3, 3).is_quiet(Some(Traffic { sent: 2, received: 2 })));
        assert!(!counts(3, 2).is_quiet(Some(Traffic { sent: 3, received: 2 })));
        assert!(counts(3, 3).is_quiet(Some(Traffic { sent: 3, received: 3 })));
    }
}
