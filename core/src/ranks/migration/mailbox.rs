//! The two words between a sender and a receiver.
//!
//! Each has one writer: a receiver has a mailbox for every rank, a sender an answer from every
//! rank. A newer word replaces an older one, and `sequence` tells which is which.

use crate::base::id::SubdomainId;
use crate::parts::halo::{Bounds, halves, word};

/// An offer: a sender has packed a subdomain for the receiver of this word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offer {
    /// The sequence number of the sender's offer, to whomever; never 0.
    pub sequence: u32,
    /// The subdomain that is offered.
    pub subdomain: SubdomainId,
}

impl Offer {
    /// Returns the word; 0 is none, as is an offer without a sequence.
    pub const fn encode(self) -> u64 {
        if self.sequence == 0 { 0 } else { word(self.sequence, self.subdomain.0) }
    }

    /// Decodes a word; none where it is no offer, or of a subdomain that does not exist.
    pub fn decode(word: u64, bounds: Bounds) -> Option<Self> {
        let (sequence, id) = halves(word);
        let subdomain = bounds.subdomain(id)?;
        (sequence != 0).then_some(Self { sequence, subdomain })
    }
}

/// Answer of a receiver to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Answer {
    /// Sequence number of the offer.
    pub sequence: u32,
    /// Whether the subdomain is the receiver's now.
    pub accepted: bool,
}

const ACCEPTED: u32 = 1;
const REFUSED: u32 = 2;

impl Answer {
    /// Returns the word, which is never 0.
    pub const fn encode(self) -> u64 {
        word(self.sequence, if self.accepted { ACCEPTED } else { REFUSED })
    }

    /// Decodes a word; none where it is no answer.
    pub fn decode(word: u64) -> Option<Self> {
        let (sequence, kind) = halves(word);
        let accepted = match kind {
            ACCEPTED => true,
            REFUSED => false,
            _ => return None,
        };
        Some(Self { sequence, accepted })
    }
}

/// Returns the sequence number after this one; 0 is skipped on wrap-around.
pub(super) const fn next(sequence: u32) -> u32 {
    match sequence.checked_add(1) {
        Some(next) => next,
        None => 1,
    }
}

/// Whether `sequence` is ahead of `than` by less than half the range of sequence numbers.
pub(super) const fn is_newer(sequence: u32, than: u32) -> bool {
    let ahead = sequence.wrapping_sub(than);
    ahead != 0 && ahead < 1 << 31
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };

    #[test]
    fn words_read_back_within_bounds() {
        for sequence in [0, 1, 2, u32::MAX] {
            for id in 0..8 {
                let offer = Offer { sequence, subdomain: SubdomainId(id) };
                let expected = (sequence != 0 && id < BOUNDS.subdomains).then_some(offer);
                assert_eq!(Offer::decode(offer.encode(), BOUNDS), expected);
            }
            for accepted in [false, true] {
                let answer = Answer { sequence, accepted };
                assert_eq!(Answer::decode(answer.encode()), Some(answer));
            }
        }
        assert_eq!(Offer::decode(0, BOUNDS), None);
        for word in [0, 3, 1 << 32, u64::MAX] {
            assert_eq!(Answer::decode(word), None);
        }
    }

    #[test]
    fn sequences_go_round() {
        assert_eq!((next(0), next(7), next(u32::MAX)), (1, 8, 1));
        assert!(is_newer(1, 0) && is_newer(1, u32::MAX) && is_newer(next(u32::MAX), u32::MAX));
        assert!(!is_newer(0, 0) && !is_newer(4, 5) && !is_newer(u32::MAX, 1));
    }
}
