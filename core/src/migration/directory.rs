//! What a rank says of one subdomain, in one word: the paper's array of displacements, with the
//! messages that subdomains leave behind in the same place.

use super::search::Location;
use super::{Bounds, halves, word};
use crate::id::{Berth, NodeId};

/// One word of a rank's directory. Its `epoch` is how often the subdomain had moved when it came, or
/// after it had left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Entry {
    /// It has not been here.
    #[default]
    Unknown,
    /// It lies here.
    Here {
        /// Where.
        berth: Berth,
        /// Moves up to here.
        epoch: u32,
    },
    /// It was here: the forward.
    Left {
        /// The rank that it was given to, or a later one.
        to: NodeId,
        /// Moves up to there.
        epoch: u32,
    },
}

/// Bits of a word for a berth or a rank, below two for which of them it is, below the epoch.
const PLACE: u32 = u32::BITS - 2;
const HERE: u32 = 1;
const LEFT: u32 = 2;

impl Entry {
    /// The word; 0 is [`Entry::Unknown`], as is a berth or a rank of 2³⁰ or more.
    pub const fn encode(self) -> u64 {
        match self {
            Self::Unknown => 0,
            Self::Here { berth, epoch } => encode(HERE, berth.0, epoch),
            Self::Left { to, epoch } => encode(LEFT, to.0, epoch),
        }
    }

    /// Reads a word; [`Entry::Unknown`] where it names what there is not.
    pub fn decode(word: u64, bounds: Bounds) -> Self {
        let (epoch, low) = halves(word);
        let (kind, place) = (low >> PLACE, low & ((1 << PLACE) - 1));
        let entry = match kind {
            HERE => bounds.berth(place).map(|berth| Self::Here { berth, epoch }),
            LEFT => bounds.rank(place).map(|to| Self::Left { to, epoch }),
            _ => None,
        };
        entry.unwrap_or_default()
    }
}

const fn encode(kind: u32, place: u32, epoch: u32) -> u64 {
    if place >> PLACE == 0 { word(epoch, kind << PLACE | place) } else { 0 }
}

/// What a rank may say of a subdomain instead, once it has found it: where it is now, so that whoever
/// asks next needs one forward only. None where that is nothing new.
///
/// `entry` is what rank `own` says. Where several threads write a rank's directory, the word may be
/// replaced only if it is still this one.
pub fn shortened(own: NodeId, entry: Entry, found: Location) -> Option<Entry> {
    let Entry::Left { epoch, .. } = entry else { return None };
    (epoch < found.epoch && found.node != own)
        .then_some(Entry::Left { to: found.node, epoch: found.epoch })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, berths: 2 };

    #[test]
    fn words_read_back_within_bounds() {
        for place in [0, 1, 2, 3, 1 << 29, (1 << 30) - 1, 1 << 30, u32::MAX] {
            for epoch in [0, 1, 77, u32::MAX] {
                let here = Entry::Here { berth: Berth(place), epoch };
                let left = Entry::Left { to: NodeId(place), epoch };
                let expected = |entry, exists| if exists { entry } else { Entry::Unknown };
                let read = |entry: Entry| Entry::decode(entry.encode(), BOUNDS);
                assert_eq!(read(here), expected(here, place < BOUNDS.berths));
                assert_eq!(read(left), expected(left, place < BOUNDS.ranks));
                let all = Bounds { subdomains: 0, ranks: u32::MAX, berths: u32::MAX };
                let fits = place < 1 << 30;
                assert_eq!(Entry::decode(here.encode(), all), expected(here, fits));
                assert_eq!(Entry::decode(left.encode(), all), expected(left, fits));
            }
        }
        assert_eq!(Entry::decode(0, BOUNDS), Entry::Unknown);
        assert_eq!(Entry::decode(3 << 30, BOUNDS), Entry::Unknown);
        assert_eq!(Entry::Unknown.encode(), 0);
    }

    #[test]
    fn a_forward_is_shortened_by_what_is_newer_and_elsewhere() {
        let own = NodeId(0);
        let left = Entry::Left { to: NodeId(1), epoch: 3 };
        let found = |node, epoch| Location { node: NodeId(node), berth: Berth(0), epoch };
        let shorter = Entry::Left { to: NodeId(2), epoch: 4 };
        assert_eq!(shortened(own, left, found(2, 4)), Some(shorter));
        assert_eq!(shortened(own, left, found(1, 3)), None);
        assert_eq!(shortened(own, left, found(2, 2)), None);
        assert_eq!(shortened(own, left, found(0, 9)), None);
        assert_eq!(shortened(own, Entry::Unknown, found(2, 4)), None);
        assert_eq!(shortened(own, Entry::Here { berth: Berth(0), epoch: 1 }, found(2, 4)), None);
    }
}
