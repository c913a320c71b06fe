//! Gossip with full knowledge: every processor remembers all that it hears of. This is the setting
//! of the slides, for comparison; the memory grows with the square of the processors.

use heapless::Vec;

use super::tables::{Rounds, Told};
use crate::balance::grapevine::config::FANOUT_MAX;
use crate::balance::grapevine::moment::Stage;
use crate::balance::grapevine::parallel::copy;
use crate::base::bug::stop;
use crate::base::id::ProcessorId;
use crate::base::rng::Rng;
use crate::base::table::{Add, At};

/// Rows of bits, one for each processor: the names that it knows to be underloaded.
#[derive(Debug)]
pub struct FullKnowledge<'a> {
    /// The rows.
    pub known: &'a mut [u64],
    /// The rows of the next round; as long as the current ones.
    pub next: &'a mut [u64],
    /// Length of a row: [`words`] of the processors.
    pub words: usize,
}

/// Returns the number of words of a row.
pub const fn words(processors: usize) -> usize {
    processors.div_ceil(64)
}

impl FullKnowledge<'_> {
    /// Returns the names that a processor knows, ascending.
    pub fn names(&self, processor: ProcessorId) -> impl Iterator<Item = u32> {
        let row = row(self.known, processor, self.words);
        (0..).zip(row).flat_map(|(place, &word)| ones(word).map(move |bit| place * 64 + bit))
    }

    /// Whether two processors know the same others: the same names, and neither knows itself.
    pub fn know_the_same(&self, pair: [ProcessorId; 2]) -> bool {
        let [one, other] = pair.map(|processor| row(self.known, processor, self.words));
        one == other && pair.iter().all(|&processor| !is_set(one, processor.0))
    }

    /// Makes all rounds, as [`Rounds::gossip`] does with tables.
    pub fn gossip(&mut self, rounds: &Rounds<'_>) -> Told {
        let words = self.words;
        self.known.fill(0);
        let mut starters = 0;
        for (processor, _) in numbered(rounds.underloaded).filter(|(_, under)| **under) {
            starters += 1;
            set(row_mut(self.known, processor, words), processor.0);
        }
        let mut told = Told::default();
        for round in 0..rounds.config.rounds {
            let (news, fewest) = self.round(rounds, round, words);
            told = told.and(news);
            if fewest == starters {
                // All knew everything: the rounds that are left cost as much and change nothing.
                let left = u64::from(rounds.config.rounds - round - 1);
                let (messages, entries) = (news.messages * left, news.entries * left);
                return told.and(Told { messages, entries });
            }
        }
        told
    }

    /// Makes one round: each processor that knows of underloaded ones sends its row of bits to
    /// random others. Returns the number of messages, and the least number of names that a
    /// processor knew before.
    fn round(&mut self, rounds: &Rounds<'_>, round: u32, words: usize) -> (Told, u32) {
        let (mut told, mut fewest) = (Told::default(), u32::MAX);
        copy(self.next, self.known);
        for (processor, _) in numbered(rounds.underloaded) {
            let known = row(self.known, processor, words);
            let ProcessorId(name) = processor;
            let sending = Sending::of(rounds, known, name);
            told = told.and(sending.told());
            fewest = fewest.min(sending.entries);
            let mut rng = rounds.moment.draws(Stage::Gossip(round), name);
            for &target in &sending.targets(rounds, known, name, &mut rng) {
                let next = row_mut(self.next, ProcessorId(target), words);
                next.iter_mut().zip(known).for_each(|(next, known)| *next |= known);
            }
        }
        core::mem::swap(&mut self.known, &mut self.next);
        (told, fewest)
    }
}

/// Numbers for a processor's messages in a round.
#[derive(Clone, Copy)]
struct Sending {
    /// Processors that it knows to be underloaded, and names in each message.
    entries: u32,
    /// Other processors that it does not know of: the ones to draw targets from.
    unknown: u32,
    /// Messages that it sends.
    fanout: u32,
}

impl Sending {
    /// Counts what the processor of this name knows by its row of bits, `known`. One that knows
    /// nobody sends nothing.
    fn of(rounds: &Rounds<'_>, known: &[u64], name: u32) -> Self {
        let entries = count(known);
        let own = u32::from(!is_set(known, name));
        debug_assert!(entries + own <= rounds.processors(), "more is known than there is");
        let unknown = rounds.processors().saturating_sub(entries + own);
        let fanout = if entries == 0 { 0 } else { rounds.config.fanout.min(unknown) };
        Self { entries, unknown, fanout }
    }

    /// Draws the processors that the processor `own` sends to, from those that it does not know to
    /// be underloaded.
    fn targets(
        self,
        rounds: &Rounds<'_>,
        known: &[u64],
        own: u32,
        rng: &mut Rng,
    ) -> Vec<u32, { FANOUT_MAX as usize }> {
        let processors = rounds.processors();
        if self.unknown <= processors / 8 || self.unknown <= 2 * self.fanout {
            let mut targets = distinct(self.fanout, self.unknown, rng);
            targets.iter_mut().for_each(|place| *place = nth_unknown(known, own, *place));
            return targets;
        }
        // Most draws find one, which is faster than counting them.
        let mut targets = Vec::new();
        while targets.len() < self.fanout as usize {
            let name = rng.below(processors);
            if name != own && !is_set(known, name) && !targets.contains(&name) {
                targets.add(name);
            }
        }
        targets
    }

    fn told(self) -> Told {
        let messages = u64::from(self.fanout);
        Told { messages, entries: messages * u64::from(self.entries) }
    }
}

fn numbered<T>(items: &[T]) -> impl Iterator<Item = (ProcessorId, &T)> {
    (0..).map(ProcessorId).zip(items)
}

/// Draws `wanted` different numbers below `bound`, which is not less than that, in any order.
fn distinct(wanted: u32, bound: u32, rng: &mut Rng) -> Vec<u32, { FANOUT_MAX as usize }> {
    debug_assert!(wanted <= bound, "more numbers are wanted than there are");
    let mut numbers = Vec::new();
    // Floyd's sampling without replacement: one draw for each.
    for top in bound.saturating_sub(wanted)..bound {
        let number = rng.below(top + 1);
        let number = if numbers.contains(&number) { top } else { number };
        numbers.add(number);
    }
    numbers
}

fn row(rows: &[u64], processor: ProcessorId, words: usize) -> &[u64] {
    let begin = processor.index() * words;
    rows.stretch(begin..begin + words)
}

fn row_mut(rows: &mut [u64], processor: ProcessorId, words: usize) -> &mut [u64] {
    let begin = processor.index() * words;
    rows.stretch_mut(begin..begin + words)
}

fn count(row: &[u64]) -> u32 {
    row.iter().map(|word| word.count_ones()).sum()
}

fn set(row: &mut [u64], name: u32) {
    *row.at_mut(name / 64) |= 1 << (name % 64);
}

fn is_set(row: &[u64], name: u32) -> bool {
    row.at(name / 64) >> (name % 64) & 1 == 1
}

/// Returns the places of a word's ones, ascending.
fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        bit
    })
}

/// Returns the place of the `nth` zero bit of a row, without that of `own`. The row has so many.
fn nth_unknown(row: &[u64], own: u32, nth: u32) -> u32 {
    let mut left = nth;
    for (place, &word) in (0..).zip(row) {
        let own = if own / 64 == place { 1 << (own % 64) } else { 0 };
        let zeros = !(word | own);
        if zeros.count_ones() > left {
            let bit = ones(zeros).nth(left as usize).unwrap_or(0);
            return place * 64 + bit;
        }
        left -= zeros.count_ones();
    }
    stop("fewer are unknown than were counted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_past_ones_and_oneself() {
        let row = [!0b1010, !1];
        assert_eq!([0, 1, 2].map(|nth| nth_unknown(&row, 9, nth)), [1, 3, 64]);
        assert_eq!([0, 1].map(|nth| nth_unknown(&row, 3, nth)), [1, 64]);
        assert_eq!(ones(0b1011).collect::<Vec<u32, 4>>(), [0, 1, 3]);
    }

    #[test]
    fn who_knows_itself_knows_other_others() {
        // All of them know the names 0 and 65, but for the last, which knows one more.
        let mut known = [[1, 2], [1, 2], [1, 2], [1, 3]].concat();
        let mut next = known.clone();
        let full = FullKnowledge { known: &mut known, next: &mut next, words: 2 };
        let same = |one, other| full.know_the_same([one, other].map(ProcessorId));
        assert!(same(1, 2) && same(2, 2));
        assert!(!same(0, 1) && !same(1, 0) && !same(0, 0));
        assert!(!same(2, 3));
    }

    #[test]
    fn distinct_numbers_are_distinct() {
        let mut rng = Rng::new(1, 0);
        for bound in 0..20 {
            let mut numbers = distinct(bound.min(7), bound, &mut rng);
            assert_eq!(numbers.len(), bound.min(7) as usize);
            assert!(numbers.iter().all(|&number| number < bound));
            numbers.sort_unstable();
            assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        }
    }
}
