//! How a rank is getting on, in words that each tell one thing, so that they can be read by others
//! while they are written (Zarins & Weiland 2020, section 3.2: the small data structure that every
//! node publishes).

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::balance::Mean;
use tresse_core::progress::Progress;

/// Words of a record.
pub const WORDS: usize = 16;

/// Bits for the number of subdomains beside the sum of their updates: the two make one mean, and so
/// must be of one moment.
const SUBDOMAINS: u32 = 20;

/// One rank's own word on how it gets on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record {
    /// The mean count of its subdomains, those on their way to it included.
    pub mean: Mean,
    /// The published residuals' sum of squares.
    pub residual: f64,
    /// Counts of what it has.
    pub progress: Progress,
    /// Moves between its workers so far.
    pub moves: u64,
    /// Their balancing rounds.
    pub rounds: u64,
    /// Subdomains that it has sent away.
    pub sent: u64,
    /// Whether it wants all to halt.
    pub wishes: bool,
    /// Whether it was written since the run was halted last.
    pub is_current: bool,
}

impl Record {
    /// Writes it where others see it.
    pub fn publish(&self, words: &[AtomicU64]) {
        for (word, value) in words.iter().zip(self.encode()) {
            word.store(value, Ordering::Release);
        }
    }

    /// Reads it.
    pub fn read(words: &[AtomicU64]) -> Self {
        let mut values = [0; 11];
        for (value, word) in values.iter_mut().zip(words) {
            *value = word.load(Ordering::Acquire);
        }
        Self::decode(values)
    }

    fn encode(&self) -> [u64; 11] {
        let Self { mean, residual, progress, moves, rounds, sent, wishes, is_current } = *self;
        [
            pack(mean),
            residual.to_bits(),
            progress.least,
            progress.most,
            progress.updates,
            progress.subdomains,
            moves,
            rounds,
            sent,
            u64::from(wishes),
            u64::from(is_current),
        ]
    }

    fn decode(values: [u64; 11]) -> Self {
        let [mean, residual, least, most, updates, subdomains, rest @ ..] = values;
        let [moves, rounds, sent, wishes, is_current] = rest;
        Self {
            mean: unpack(mean),
            residual: f64::from_bits(residual),
            progress: Progress { least, most, updates, subdomains },
            moves,
            rounds,
            sent,
            wishes: wishes != 0,
            is_current: is_current != 0,
        }
    }
}

/// Updates beyond 2⁴⁴ and subdomains beyond 2²⁰ of one rank count as so many.
fn pack(mean: Mean) -> u64 {
    let subdomains = mean.subdomains.min((1 << SUBDOMAINS) - 1);
    let updates = mean.updates.min((1 << (u64::BITS - SUBDOMAINS)) - 1);
    updates << SUBDOMAINS | subdomains
}

fn unpack(word: u64) -> Mean {
    Mean { updates: word >> SUBDOMAINS, subdomains: word & ((1 << SUBDOMAINS) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let words: [AtomicU64; WORDS] = std::array::from_fn(|_| AtomicU64::new(7));
        let record = Record {
            mean: Mean { updates: (1 << 44) - 1, subdomains: 5 },
            residual: -0.0,
            progress: Progress { least: 1, most: u64::MAX, updates: 3, subdomains: 4 },
            moves: 5,
            rounds: 6,
            sent: 7,
            wishes: true,
            is_current: true,
        };
        record.publish(&words);
        assert_eq!(Record::read(&words), record);
        assert_eq!(Record::read(&[]), Record::default());
    }

    #[test]
    fn what_cannot_be_counted_is_as_much_as_can() {
        let much = Mean { updates: u64::MAX, subdomains: u64::MAX };
        let most = Mean { updates: (1 << 44) - 1, subdomains: (1 << 20) - 1 };
        assert_eq!(unpack(pack(much)), most);
    }
}
