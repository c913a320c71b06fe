//! The way of a worker through the parts that it keeps.

use crate::base::id::SubdomainId;
use crate::run::Mode;
use crate::run::schedule::Leveling;

/// The parts that a worker holds. A place is an index among them, in the ascending order of their
/// numbers.
pub trait Hands {
    /// Returns the place after `place`, or the first place where that is none; none after the last.
    fn after(&self, place: Option<u32>) -> Option<u32>;

    /// Returns the update count and the number of the part at a place. Only asked where parts are
    /// levelled.
    fn count(&self, place: u32) -> (u64, SubdomainId);

    /// Whether the neighbours of the part at a place are as far as the mode asks for
    /// ([`Mode::admits`](crate::run::Mode::admits)); only asked where it binds neighbours.
    fn is_ready(&self, place: u32) -> bool;
}

/// The next thing that a worker does with the parts that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Read the edges of the neighbours of the part at this place, unless all were read before the
    /// iteration, update it and publish it; where an edge is not to be had, pass it over and tell
    /// [`Keeper::handle_missed`].
    Sweep(u32),
    /// The iteration is over, after this number of sweeps: tell
    /// [`Worker::handle_swept`](crate::node::worker::Worker::handle_swept).
    Done(u64),
}

/// A worker that keeps its parts, and in an iteration sweeps each of them once: where it levels
/// them, those that are behind; and where the mode binds neighbours, those whose neighbours are far
/// enough.
///
/// What is in its hands changes only between two iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Keeper {
    /// The place to look at next, or a sentinel: [`START`] or [`END`].
    next: u32,
    /// Number of sweeps in this iteration so far.
    swept: u32,
}

/// In place of a place: the iteration has not begun.
const START: u32 = u32::MAX;
/// In place of a place: no part is left.
const END: u32 = u32::MAX - 1;

impl Keeper {
    /// A worker before its first iteration.
    pub const START: Self = Self { next: START, swept: 0 };

    /// Returns the place that this iteration looks at next; none before it begins and after the
    /// last.
    pub const fn upcoming(&self) -> Option<u32> {
        if self.next < END { Some(self.next) } else { None }
    }

    /// Records that the part that was to be swept was passed over, as a halo was missing.
    #[inline]
    pub const fn handle_missed(&mut self) {
        self.swept = self.swept.saturating_sub(1);
    }

    /// Returns the next action, once the last one is done. `leveling` is state for one iteration,
    /// lent where the balancer [`levels`](crate::run::Balance::levels) parts.
    #[inline]
    pub fn next(
        &mut self,
        mode: Mode,
        hands: &impl Hands,
        leveling: Option<&mut Leveling>,
    ) -> Keep {
        let begins = self.next == START;
        let leveling = leveling.map(|leveling| {
            if begins {
                *leveling = leveling_of(hands);
            }
            *leveling
        });
        // Asynchronously nobody waits, and synchronously everybody has waited at the barrier.
        let is_bound = matches!(mode, Mode::SemiSync(_));
        let mut looked = if begins { hands.after(None) } else { self.upcoming() };
        while let Some(place) = looked {
            looked = hands.after(Some(place));
            let is_in_turn = leveling.is_none_or(|leveling| {
                let (count, part) = hands.count(place);
                leveling.admits(count, part)
            });
            if is_in_turn && (!is_bound || hands.is_ready(place)) {
                self.next = looked.unwrap_or(END);
                self.swept += 1;
                return Keep::Sweep(place);
            }
        }
        self.next = START;
        Keep::Done(core::mem::take(&mut self.swept).into())
    }
}

/// Returns which of these parts the iteration that begins sweeps.
fn leveling_of(hands: &impl Hands) -> Leveling {
    let places = core::iter::successors(hands.after(None), |&place| hands.after(Some(place)));
    Leveling::of(places.map(|place| hands.count(place)))
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;

    /// Counts of parts with even numbers, each a neighbour of the one before and of the one after.
    struct Row<'a>(&'a [u64], u32);

    impl Hands for Row<'_> {
        fn after(&self, place: Option<u32>) -> Option<u32> {
            let next = place.map_or(0, |place| place + 1);
            ((next as usize) < self.0.len()).then_some(next)
        }

        fn count(&self, place: u32) -> (u64, SubdomainId) {
            (self.0[place as usize], SubdomainId(2 * place))
        }

        fn is_ready(&self, place: u32) -> bool {
            let place = place as usize;
            let around = &self.0[place.saturating_sub(1)..self.0.len().min(place + 2)];
            around.iter().all(|&count| Mode::SemiSync(self.1).admits(self.0[place], count))
        }
    }

    /// Lets a worker make an iteration; returns the places that it sweeps, of which it misses one.
    fn iterate(
        keeper: &mut Keeper,
        counts: &mut [u64],
        mode: Mode,
        mut leveling: Option<&mut Leveling>,
        missed: Option<u32>,
    ) -> (heapless::Vec<u32, 8>, u64) {
        let bound = if let Mode::SemiSync(bound) = mode { bound } else { 0 };
        let mut swept = heapless::Vec::new();
        loop {
            match keeper.next(mode, &Row(counts, bound), leveling.as_deref_mut()) {
                Keep::Sweep(place) if Some(place) == missed => keeper.handle_missed(),
                Keep::Sweep(place) => {
                    counts[place as usize] += 1;
                    swept.push(place).unwrap();
                }
                Keep::Done(number) => return (swept, number),
            }
        }
    }

    #[test]
    fn every_part_is_swept_once_an_iteration() {
        let (mut keeper, mut counts) = (Keeper::START, [4, 0, 9]);
        for mode in [Mode::Async, Mode::Sync] {
            let (swept, number) = iterate(&mut keeper, &mut counts, mode, None, None);
            assert_eq!((swept.as_slice(), number), ([0, 1, 2].as_slice(), 3));
            assert_eq!(keeper, Keeper::START);
        }
        let (swept, number) = iterate(&mut keeper, &mut counts, Mode::Async, None, Some(1));
        assert_eq!((swept.as_slice(), number), ([0, 2].as_slice(), 2), "one is missed");
        assert_eq!(iterate(&mut keeper, &mut [], Mode::Async, None, None).1, 0);
    }

    #[test]
    fn what_is_ahead_waits_and_is_not_waited_for() {
        let (mut keeper, mut counts) = (Keeper::START, [4, 3, 4, 5]);
        let mut swept = || iterate(&mut keeper, &mut counts, Mode::SemiSync(1), None, None).0;
        assert_eq!(swept(), [0, 1, 2, 3], "the first two let the others go on");
        let mut counts = [6, 3, 4, 5];
        let mut swept = || iterate(&mut keeper, &mut counts, Mode::SemiSync(1), None, None).0;
        assert_eq!(swept(), [1, 2, 3]);
        assert_eq!(swept(), [1, 2, 3]);
        assert_eq!(swept(), [0, 1, 2, 3]);
    }

    /// What is swept is decided by the counts as the iteration begins.
    #[test]
    fn what_is_behind_is_swept_beside_one_other() {
        let (mut keeper, mut counts, mut leveling) = (Keeper::START, [9, 9, 7, 9], Leveling::ALL);
        let mut swept = || {
            let leveling = Some(&mut leveling);
            iterate(&mut keeper, &mut counts, Mode::Async, leveling, None).0
        };
        assert_eq!(swept(), [0, 2]);
        assert_eq!(swept(), [1, 2]);
        assert_eq!(swept(), [2, 3], "two are behind together");
    }
}
