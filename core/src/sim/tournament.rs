//! The lowest of many numbers of which one at a time changes: a tournament, in which the matches of
//! that one are played again as far up as their outcome changes.

use core::cell::Cell;

use crate::base::table::At;

/// Numbers and the winners of their matches: the lower number, and of equal ones that of the lower
/// place. Match `m` is between those of `2m` and `2m + 1`, where what is beyond the matches is a
/// number itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tournament<'a> {
    numbers: &'a [Cell<u64>],
    winners: &'a [Cell<u32>],
}

impl<'a> Tournament<'a> {
    /// Returns the tournament of `numbers`, with as many `winners`, as it was left.
    pub fn resume(numbers: &'a mut [u64], winners: &'a mut [u32]) -> Self {
        Self {
            numbers: Cell::from_mut(numbers).as_slice_of_cells(),
            winners: Cell::from_mut(winners).as_slice_of_cells(),
        }
    }

    /// Plays all matches, from the first ones to the final.
    pub fn begin(&self) {
        for number in (1..self.numbers.len()).rev() {
            self.play(number);
        }
    }

    /// Returns the number at a place.
    #[inline]
    pub fn number(&self, place: u32) -> u64 {
        self.numbers.at(place).get()
    }

    /// Sets the number at a place, and plays its matches again as far up as a winner changes.
    pub fn set(&self, place: u32, number: u64) {
        self.numbers.at(place).set(number);
        let mut number = (self.numbers.len() + place as usize) >> 1;
        while number > 0 {
            let (before, after) = self.play(number);
            if before == after && after != place {
                return;
            }
            number /= 2;
        }
    }

    /// Returns the lowest of all numbers but that of `place`, and where it is; none where there is
    /// no other.
    #[inline]
    pub fn lowest_beside(&self, place: u32) -> Option<(u64, u32)> {
        // Mostly the lowest of all is somebody else, and no match is looked at but the final.
        let first = if self.numbers.len() > 1 { self.winner(1) } else { place };
        if first != place {
            return Some((self.number(first), first));
        }
        let mut lowest = None;
        let mut number = self.numbers.len() + place as usize;
        while number > 1 {
            let other = self.winner(number ^ 1);
            let other = (self.number(other), other);
            if lowest.is_none_or(|lowest| other < lowest) {
                lowest = Some(other);
            }
            number /= 2;
        }
        lowest
    }

    /// Plays a match; returns its winner before and after, as places.
    fn play(&self, number: usize) -> (u32, u32) {
        let [one, other] = [2 * number, 2 * number + 1].map(|below| self.winner(below));
        let winner = (self.number(one), one).min((self.number(other), other)).1;
        (self.winners.at(number).replace(winner), winner)
    }

    /// Returns the place of the winner of a match, or the place itself where the number is beyond
    /// the matches.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a winner is a place, in 32 bits")]
    fn winner(&self, number: usize) -> u32 {
        match number.checked_sub(self.numbers.len()) {
            Some(place) => place as u32,
            None => self.winners.at(number).get(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test may panic")]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn the_lowest_is_that_of_a_look_at_all() {
        let mut rng = Rng::new(5, 0);
        for len in 1..40_u32 {
            let (mut numbers, mut winners) = ([0; 40], [0; 40]);
            let tournament =
                Tournament::resume(&mut numbers[..len as usize], &mut winners[..len as usize]);
            tournament.begin();
            let mut naive = [0; 40];
            for _ in 0..200 {
                let (place, number) = (rng.below(len), u64::from(rng.below(6)));
                naive[place as usize] = number;
                tournament.set(place, number);
                let me = rng.below(len);
                let others = (0..len).filter(|&other| other != me);
                let lowest = others.map(|other| (naive[other as usize], other)).min();
                assert_eq!(tournament.lowest_beside(me), lowest, "{len}");
            }
        }
    }
}
