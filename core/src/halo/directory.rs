//! An entry of a rank's directory about one subdomain, in one word: the paper's array of
//! displacements, with the messages that subdomains leave behind in the same place.

use super::search::Location;
use super::{Bounds, halves, word};
use crate::id::{RankId, SlotId};

/// An entry of a rank's directory, in one word. Its `epoch` is the number of moves of the subdomain
/// when it came, or after it had left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DirectoryEntry {
    /// The subdomain has not been on this rank.
    #[default]
    Unknown,
    /// The subdomain is on this rank.
    Here {
        /// Slot in which it lies.
        slot: SlotId,
        /// Number of its moves up to this rank.
        epoch: u32,
    },
    /// The forward: the subdomain was on this rank, and has left.
    Left {
        /// The rank that it was given to, or a later one.
        to: RankId,
        /// Number of its moves up to there.
        epoch: u32,
    },
}

/// Bits of a word for a slot or a rank, below two for which of them it is, below the epoch.
const PLACE: u32 = u32::BITS - 2;
const HERE: u32 = 1;
const LEFT: u32 = 2;

impl DirectoryEntry {
    /// Returns the word; 0 is [`DirectoryEntry::Unknown`], as is a slot or a rank of 2³⁰ or more.
    pub const fn encode(self) -> u64 {
        match self {
            Self::Unknown => 0,
            Self::Here { slot, epoch } => encode(HERE, slot.0, epoch),
            Self::Left { to, epoch } => encode(LEFT, to.0, epoch),
        }
    }

    /// Reads a word; [`DirectoryEntry::Unknown`] where it names something that does not exist.
    pub fn decode(word: u64, bounds: Bounds) -> Self {
        let (epoch, low) = halves(word);
        let (kind, place) = (low >> PLACE, low & ((1 << PLACE) - 1));
        let entry = match kind {
            HERE => bounds.slot(place).map(|slot| Self::Here { slot, epoch }),
            LEFT => bounds.rank(place).map(|to| Self::Left { to, epoch }),
            _ => None,
        };
        entry.unwrap_or_default()
    }
}

const fn encode(kind: u32, place: u32, epoch: u32) -> u64 {
    if place >> PLACE == 0 { word(epoch, kind << PLACE | place) } else { 0 }
}

/// Returns the forward that a rank may put in the place of `entry` once it has found the subdomain:
/// the subdomain's rank now, so that whoever asks next needs one forward only. None where that is
/// nothing new.
///
/// `entry` is the present word of rank `own`. Where several threads write a rank's directory, the
/// word may be replaced only if it is still this one.
pub fn shortened(own: RankId, entry: DirectoryEntry, found: Location) -> Option<DirectoryEntry> {
    let DirectoryEntry::Left { epoch, .. } = entry else { return None };
    (epoch < found.epoch && found.rank != own)
        .then_some(DirectoryEntry::Left { to: found.rank, epoch: found.epoch })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };

    #[test]
    fn words_read_back_within_bounds() {
        for place in [0, 1, 2, 3, 1 << 29, (1 << 30) - 1, 1 << 30, u32::MAX] {
            for epoch in [0, 1, 77, u32::MAX] {
                let here = DirectoryEntry::Here { slot: SlotId(place), epoch };
                let left = DirectoryEntry::Left { to: RankId(place), epoch };
                let expected = |entry, exists| if exists { entry } else { DirectoryEntry::Unknown };
                let read = |entry: DirectoryEntry| DirectoryEntry::decode(entry.encode(), BOUNDS);
                assert_eq!(read(here), expected(here, place < BOUNDS.slots));
                assert_eq!(read(left), expected(left, place < BOUNDS.ranks));
                let all = Bounds { subdomains: 0, ranks: u32::MAX, slots: u32::MAX };
                let fits = place < 1 << 30;
                assert_eq!(DirectoryEntry::decode(here.encode(), all), expected(here, fits));
                assert_eq!(DirectoryEntry::decode(left.encode(), all), expected(left, fits));
            }
        }
        assert_eq!(DirectoryEntry::decode(0, BOUNDS), DirectoryEntry::Unknown);
        assert_eq!(DirectoryEntry::decode(3 << 30, BOUNDS), DirectoryEntry::Unknown);
        assert_eq!(DirectoryEntry::Unknown.encode(), 0);
    }

    #[test]
    fn a_forward_is_shortened_by_what_is_newer_and_elsewhere() {
        let own = RankId(0);
        let left = DirectoryEntry::Left { to: RankId(1), epoch: 3 };
        let found = |rank, epoch| Location { rank: RankId(rank), slot: SlotId(0), epoch };
        let shorter = DirectoryEntry::Left { to: RankId(2), epoch: 4 };
        assert_eq!(shortened(own, left, found(2, 4)), Some(shorter));
        assert_eq!(shortened(own, left, found(1, 3)), None);
        assert_eq!(shortened(own, left, found(2, 2)), None);
        assert_eq!(shortened(own, left, found(0, 9)), None);
        assert_eq!(shortened(own, DirectoryEntry::Unknown, found(2, 4)), None);
        assert_eq!(
            shortened(own, DirectoryEntry::Here { slot: SlotId(0), epoch: 1 }, found(2, 4)),
            None
        );
    }
}
