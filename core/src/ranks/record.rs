//! The record of a rank's progress: words that each tell one thing, so that others can read them
//! while they are written (Zarins & Weiland 2020, section 3.2: the small data structure that every
//! node publishes).

use crate::balance::Mean;
use crate::base::id::RankId;
use crate::base::sync::{AtomicU64, Ordering};
use crate::node::worker::Contribution;
use crate::parts::halo::Checksum;
use crate::run::progress::Progress;

/// Words of a record that are in use.
pub type RecordWords = [u64; RankRecord::USED];

/// Number of low bits that hold a small number, of subdomains or of a rank, in a word with updates
/// above. Both must be of one moment, and so share a word.
const NUMBER: u32 = 20;

/// The progress that a rank publishes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankRecord {
    /// Mean count of the rank's subdomains, without the one that it is sending.
    pub mean: Mean,
    /// Receiver and update count of the subdomain that the rank is sending, until it has the
    /// answer; for a moment the receiver may count the subdomain as well.
    pub in_flight: Option<(RankId, u64)>,
    /// Sum of squares of the published residuals.
    pub residual: f64,
    /// Counts of the rank's subdomains.
    pub progress: Progress,
    /// Moves between the rank's workers so far.
    pub moves: u64,
    /// Balancing rounds of the rank's workers.
    pub rounds: u64,
    /// Number of subdomains that the rank has sent away.
    pub sent: u64,
    /// Number of the halt that the rank requests; 0 where it requests none.
    pub requested_halt: u64,
    /// Number of the rank's next halt; 0 in a record that was never written.
    pub next_halt: u64,
    /// The rank's contribution to the residual of a version; none where the record is a torn read.
    pub contribution: Option<Contribution>,
}

impl RankRecord {
    /// Number of words that a record has room in.
    pub const WORDS: usize = 16;
    /// Number of words in use.
    pub const USED: usize = 16;

    /// Loads the words of a record that another thread or rank may be writing; missing words are 0.
    pub fn read(words: &[AtomicU64]) -> RecordWords {
        let mut values = [0; Self::USED];
        for (value, word) in values.iter_mut().zip(words) {
            *value = word.load(Ordering::Acquire);
        }
        values
    }

    /// Returns the words of the record, the last of which is a checksum.
    pub fn encode(&self) -> RecordWords {
        let Self { mean, in_flight, residual, progress, .. } = *self;
        let Self { moves, rounds, sent, requested_halt, next_halt, .. } = *self;
        let Contribution { asked, parts, squares } = self.contribution.unwrap_or_default();
        let to = |(to, count): (RankId, u64)| pack(count, u64::from(to.0) + 1);
        sealed([
            pack(mean.updates, mean.subdomains),
            in_flight.map_or(0, to),
            residual.to_bits(),
            progress.least,
            progress.most,
            progress.updates,
            progress.subdomains,
            moves,
            rounds,
            sent,
            requested_halt,
            next_halt,
            asked,
            parts,
            squares.to_bits(),
            0,
        ])
    }

    /// Returns the record in these words. Every combination of words is a record.
    pub fn decode(values: RecordWords) -> Self {
        let [mean, in_flight, residual, least, most, updates, subdomains, rest @ ..] = values;
        let [moves, rounds, sent, requested_halt, next_halt, asked, parts, squares, _] = rest;
        let contribution = Contribution { asked, parts, squares: f64::from_bits(squares) };
        let (count, to) = unpack(in_flight);
        let to = u32::try_from(to).ok().and_then(|to| to.checked_sub(1));
        let (sum, number) = unpack(mean);
        Self {
            mean: Mean { updates: sum, subdomains: number },
            in_flight: to.map(|to| (RankId(to), count)),
            residual: f64::from_bits(residual),
            progress: Progress { least, most, updates, subdomains },
            moves,
            rounds,
            sent,
            requested_halt,
            next_halt,
            contribution: (sealed(values) == values).then_some(contribution),
        }
    }
}

/// Returns the words with the last one replaced by a checksum of all others.
fn sealed(words: RecordWords) -> RecordWords {
    let [others @ .., _] = words;
    let mut checksum = Checksum::new(0, 0);
    for word in others {
        checksum.add(word);
    }
    let mut sealed = words;
    let [.., last] = &mut sealed;
    *last = checksum.sum();
    sealed
}

/// Packs both numbers into a word; updates saturate at 2⁴⁴ − 1, the number at 2²⁰ − 1.
fn pack(updates: u64, number: u64) -> u64 {
    let number = number.min((1 << NUMBER) - 1);
    let updates = updates.min((1 << (u64::BITS - NUMBER)) - 1);
    updates << NUMBER | number
}

/// Returns the updates and the number in a word, as [`pack`] has put them there.
fn unpack(word: u64) -> (u64, u64) {
    (word >> NUMBER, word & ((1 << NUMBER) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = RankRecord {
            mean: Mean { updates: (1 << 44) - 1, subdomains: 5 },
            in_flight: Some((RankId(0), 0)),
            residual: -0.0,
            progress: Progress { least: 1, most: u64::MAX, updates: 3, subdomains: 4 },
            moves: 5,
            rounds: 6,
            sent: 7,
            requested_halt: 8,
            next_halt: u64::MAX,
            contribution: Some(Contribution { asked: 9, parts: 10, squares: -0.5 }),
        };
        let words = record.encode().map(AtomicU64::new);
        assert_eq!(RankRecord::decode(RankRecord::read(&words)), record);
        assert_eq!(RankRecord::decode(RankRecord::read(&[])), RankRecord::default());
    }

    /// Of all moments at which a reader may be between two words.
    #[test]
    fn what_is_told_counts_only_in_a_record_of_one_moment() {
        let contribution =
            |asked, parts| Some(Contribution { asked, parts, squares: parts as f64 });
        let record = |least, contribution| {
            let progress = Progress { least, ..Progress::level(9, 4) };
            RankRecord { progress, contribution, ..RankRecord::default() }.encode()
        };
        let before = record(7, contribution(12, 3));
        for after in [
            record(8, contribution(12, 3)),
            record(7, contribution(12, 4)),
            record(7, contribution(14, 3)),
        ] {
            for place in 0..=RankRecord::USED {
                let mut words = after.into_iter().enumerate().zip(before);
                let torn = core::array::from_fn(|_| {
                    let ((at, after), before) = words.next().unwrap();
                    if at < place { before } else { after }
                });
                let is_whole = torn == before || torn == after;
                assert_eq!(RankRecord::decode(torn).contribution.is_some(), is_whole, "{place}");
            }
        }
    }

    #[test]
    fn what_cannot_be_counted_is_as_much_as_can() {
        assert_eq!(unpack(pack(u64::MAX, u64::MAX)), ((1 << 44) - 1, (1 << 20) - 1));
    }
}
