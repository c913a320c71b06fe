//! Which places in a rank's memory are free.

use crate::id::Berth;

/// The berths of one rank, on memory of one element a berth, lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Berths<M> {
    taken: M,
}

impl<M: AsMut<[bool]>> Berths<M> {
    /// The first so many taken, all others free.
    pub fn new(mut taken: M, first: usize) -> Self {
        (0..).zip(taken.as_mut()).for_each(|(place, taken)| *taken = place < first);
        Self { taken }
    }

    /// As they are in memory that was lent before.
    pub const fn again(taken: M) -> Self {
        Self { taken }
    }

    /// Takes the lowest free berth, where there is one.
    pub fn take(&mut self) -> Option<Berth> {
        let (id, taken) = (0..).zip(self.taken.as_mut()).find(|(_, taken)| !**taken)?;
        *taken = true;
        Some(Berth(id))
    }

    /// Gives a berth back; false where it was not taken.
    pub fn give_back(&mut self, berth: Berth) -> bool {
        self.taken.as_mut().get_mut(berth.index()).is_some_and(core::mem::take)
    }
}

impl<M: AsRef<[bool]>> Berths<M> {
    /// How many are free.
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
        let mut berths = Berths::new(&mut memory[..], 0);
        for id in 0..3 {
            assert_eq!(berths.take(), Some(Berth(id)));
        }
        assert_eq!((berths.take(), berths.free()), (None, 0));
        assert!(berths.give_back(Berth(2)) && berths.give_back(Berth(1)));
        assert_eq!(berths.free(), 2);
        assert_eq!(berths.take(), Some(Berth(1)));
    }

    #[test]
    fn what_is_not_taken_cannot_be_given_back() {
        let mut memory = [false; 2];
        let mut berths = Berths::new(&mut memory[..], 0);
        assert_eq!(berths.take(), Some(Berth(0)));
        assert!(!berths.give_back(Berth(1)) && !berths.give_back(Berth(2)));
        assert!(berths.give_back(Berth(0)) && !berths.give_back(Berth(0)));
        assert_eq!(Berths::new([], 0).take(), None);
    }
}
