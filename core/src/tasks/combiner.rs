//! A turn to do work that many ask for and one at a time may do: whoever asks first does it, for
//! all who ask meanwhile too.

use crate::base::sync::{AtomicU32, Ordering};

/// Number of things that are asked for and not done.
///
/// Whoever puts something into a queue calls [`Combiner::ask`] afterwards, and has the turn if
/// nobody had it. Whoever has it takes as much out of the queue as it is told is there, and says so
/// by [`Combiner::done`], until nothing is left. So nothing stays in the queue, and nobody waits
/// for a lock.
#[derive(Debug)]
pub struct Combiner(AtomicU32);

impl Combiner {
    /// Returns a combiner of which nothing is asked.
    #[expect(clippy::new_without_default, reason = "loom's atomics are not made in constants")]
    pub fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Asks for one thing to be done: true if it is the caller's turn, with that one thing to do.
    #[must_use]
    pub fn ask(&self) -> bool {
        self.0.fetch_add(1, Ordering::AcqRel) == 0
    }

    /// Reports, for whoever has the turn, that so many things are done. Returns the number of
    /// things to do now; where that is zero, the turn is over.
    #[must_use]
    pub fn done(&self, number: u32) -> u32 {
        // Acquire: what was put into the queue is seen. Release: whoever has the next turn sees
        // what was done in this one.
        self.0.fetch_sub(number, Ordering::AcqRel).wrapping_sub(number)
    }
}
