//! The free slots of a rank.

use crate::base::bug::OrBug;
use crate::base::id::SlotId;
use crate::base::table::At;

/// The free slots of one rank, on memory of one element a slot, lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FreeSlots<M> {
    taken: M,
}

impl<M: AsMut<[bool]>> FreeSlots<M> {
    /// Returns slots of which the first `first` are taken and all others free.
    pub fn new(mut taken: M, first: usize) -> Self {
        (0..).zip(taken.as_mut()).for_each(|(place, taken)| *taken = place < first);
        Self { taken }
    }

    /// Returns the slots that are recorded in memory which was lent before.
    pub const fn again(taken: M) -> Self {
        Self { taken }
    }

    /// Takes the lowest free slot; none where all are taken.
    pub fn take(&mut self) -> Option<SlotId> {
        let (id, taken) = (0..).zip(self.taken.as_mut()).find(|(_, taken)| !**taken)?;
        *taken = true;
        Some(SlotId(id))
    }

    /// Gives back a slot that was taken.
    pub fn give_back(&mut self, slot: SlotId) {
        let was_taken = core::mem::take(self.taken.as_mut().at_mut(slot));
        was_taken.or_bug("a slot is given back that was not taken");
    }
}

impl<M: AsRef<[bool]>> FreeSlots<M> {
    /// Returns the number of free slots.
    pub fn free(&self) -> usize {
        self.taken.as_ref().iter().filter(|&&taken| !taken).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_one_is_taken() {
        let mut memory = [true; 3];
        let mut slots = FreeSlots::new(&mut memory[..], 0);
        for id in 0..3 {
            assert_eq!(slots.take(), Some(SlotId(id)));
        }
        assert_eq!((slots.take(), slots.free()), (None, 0));
        slots.give_back(SlotId(2));
        slots.give_back(SlotId(1));
        assert_eq!(slots.free(), 2);
        assert_eq!(slots.take(), Some(SlotId(1)));
    }

    #[test]
    #[should_panic(expected = "was not taken")]
    fn what_is_not_taken_cannot_be_given_back() {
        let mut memory = [false; 2];
        let mut slots = FreeSlots::new(&mut memory[..], 0);
        assert_eq!(slots.take(), Some(SlotId(0)));
        assert_eq!(FreeSlots::new([], 0).take(), None);
        slots.give_back(SlotId(0));
        slots.give_back(SlotId(0));
    }
}
