//! The tag of a halo: whose edges lie in a slot, so that a reader knows what it has read.

use super::{Bounds, halves, word};
use crate::id::{RankId, SubdomainId};

/// The metadata of a halo: an id and the rank that owns it. (Its version is a word of its own.)
///
/// What keeps a reader from taking the edges of one subdomain for another's is an order. When a
/// subdomain leaves a slot, the writer puts its new owner into the halo tag before it writes other
/// edges; then it writes the new edges, their version, and the new halo tag. A reader looks at halo
/// tag and version, then at the edges, then again at halo tag and version: the first look shows whose
/// the edges were, the second that they still are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HaloTag {
    /// The subdomain whose edges they are.
    pub subdomain: SubdomainId,
    /// The rank that owns it: this one, or the one that it was given to.
    pub owner: RankId,
}

impl HaloTag {
    /// Returns the word; 0 is nobody, as is an id that no subdomain has.
    pub const fn encode(self) -> u64 {
        match self.subdomain.0.checked_add(1) {
            Some(id) => word(self.owner.0, id),
            None => 0,
        }
    }

    /// Whether a word is the halo tag of one of this subdomain's slots, old or new.
    #[inline]
    pub const fn is_of(word: u64, subdomain: SubdomainId) -> bool {
        let (_, id) = halves(word);
        match id.checked_sub(1) {
            Some(id) => id == subdomain.0,
            None => false,
        }
    }

    /// Reads a word; none where it is nobody, or names something that does not exist.
    pub fn decode(word: u64, bounds: Bounds) -> Option<Self> {
        let (owner, id) = halves(word);
        Some(Self { subdomain: bounds.subdomain(id.checked_sub(1)?)?, owner: bounds.rank(owner)? })
    }
}

/// Finding of a reader where it expected a subdomain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Met {
    /// The subdomain.
    Here,
    /// The edges that the subdomain has left behind: it has moved to this rank.
    Moved(RankId),
    /// Another subdomain, or none: only the rank's directory knows more.
    Stranger,
}

impl Met {
    /// Checks the halo tag of a slot on rank `at`.
    pub fn of(tag: Option<HaloTag>, expected: SubdomainId, at: RankId) -> Self {
        match tag {
            Some(HaloTag { subdomain, owner }) if subdomain == expected && owner == at => {
                Self::Here
            }
            Some(HaloTag { subdomain, owner }) if subdomain == expected => Self::Moved(owner),
            _ => Self::Stranger,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };

    #[test]
    fn words_read_back_within_bounds() {
        for (id, owner) in (0..8).flat_map(|id| (0..6).map(move |owner| (id, owner))) {
            let tag = HaloTag { subdomain: SubdomainId(id), owner: RankId(owner) };
            let exists = id < BOUNDS.subdomains && owner < BOUNDS.ranks;
            assert_eq!(HaloTag::decode(tag.encode(), BOUNDS), exists.then_some(tag));
        }
        assert_eq!(HaloTag { subdomain: SubdomainId(2), owner: RankId(1) }.encode(), (1 << 32) + 3);
        assert_eq!(HaloTag { subdomain: SubdomainId(u32::MAX), owner: RankId(1) }.encode(), 0);
        for word in [0, 1 << 32, u64::MAX] {
            assert_eq!(HaloTag::decode(word, BOUNDS), None);
        }
    }

    #[test]
    fn a_reader_notices_who_is_there() {
        let tag = |id, owner| Some(HaloTag { subdomain: SubdomainId(id), owner: RankId(owner) });
        let met = |tag| Met::of(tag, SubdomainId(2), RankId(1));
        assert_eq!(met(tag(2, 1)), Met::Here);
        assert_eq!(met(tag(2, 0)), Met::Moved(RankId(0)));
        assert_eq!(met(tag(1, 1)), Met::Stranger);
        assert_eq!(met(tag(1, 2)), Met::Stranger);
        assert_eq!(met(None), Met::Stranger);
    }
}
