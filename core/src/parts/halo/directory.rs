//! Where a subdomain is: what ranks say of it in words, and how a reader follows these.
//!
//! The tag of a halo says whose edges lie in a slot, so that a reader knows what it has read. A
//! rank's directory has an entry for each subdomain, in one word: the paper's array of
//! displacements, with the messages that subdomains leave behind in the same place. A search goes
//! by one and the other to a subdomain that is no longer where it was. [`Bounds`] keep what a word
//! names to what exists.

use crate::base::id::{RankId, SlotId, SubdomainId};
use crate::run::{NodeBalance, NodeRule, RunConfig};

/// Upper bounds on the numbers that a word from another rank may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// Subdomains of the run.
    pub subdomains: u32,
    /// Ranks of the run.
    pub ranks: u32,
    /// Slots of each rank.
    pub slots: u32,
}

impl Bounds {
    /// Returns the bounds of a run. A rank has as many slots as it may have subdomains, plus some
    /// for those that several ranks send at the same time; a subdomain without a free slot is
    /// refused.
    pub fn of(config: &RunConfig) -> Self {
        let subdomains = u32::try_from(config.subdomains()).unwrap_or(u32::MAX);
        let workers = config.workers_per_node();
        let first = workers.saturating_mul(config.split);
        let nodes = config.nodes;
        let slots = match (nodes.balance, nodes.rule) {
            (NodeBalance::None | NodeBalance::Rows, _) => first,
            (NodeBalance::Dplb { .. }, NodeRule::Settled | NodeRule::Boundary) => {
                let most = workers.saturating_mul(config.plb.high);
                first.max(most).saturating_add(nodes.number.min(workers + 2)).min(subdomains)
            }
            (NodeBalance::Dplb { .. }, NodeRule::Published) | (NodeBalance::Chaos { .. }, _) => {
                subdomains
            }
        };
        Self { subdomains, ranks: nodes.number, slots }
    }

    /// Returns the id of a subdomain; none where it is out of bounds.
    pub(crate) fn subdomain(self, id: u32) -> Option<SubdomainId> {
        (id < self.subdomains).then_some(SubdomainId(id))
    }

    /// Returns the id of a rank; none where it is out of bounds.
    pub(crate) fn rank(self, id: u32) -> Option<RankId> {
        (id < self.ranks).then_some(RankId(id))
    }

    /// Returns the id of a slot; none where it is out of bounds.
    pub(crate) fn slot(self, id: u32) -> Option<SlotId> {
        (id < self.slots).then_some(SlotId(id))
    }
}

/// Packs two 32-bit halves into a word.
pub(crate) const fn word(high: u32, low: u32) -> u64 {
    (high as u64) << u32::BITS | low as u64
}

/// Returns the high and the low half of a word.
#[expect(clippy::cast_possible_truncation, reason = "each half fits its type")]
pub(crate) const fn halves(word: u64) -> (u32, u32) {
    ((word >> u32::BITS) as u32, word as u32)
}

/// The metadata of a halo: an id and the rank that owns it. (Its version is a word of its own.)
///
/// What keeps a reader from taking the edges of one subdomain for another's is an order. When a
/// subdomain leaves a slot, the writer puts its new owner into the halo tag before it writes other
/// edges; then it writes the new edges, their version, and the new halo tag. A reader looks at halo
/// tag and version, then at the edges, then again at halo tag and version: the first look shows
/// whose the edges were, the second that they still are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HaloTag {
    /// The subdomain whose edges they are.
    pub subdomain: SubdomainId,
    /// The rank that owns it: this one, or the one that it was given to.
    pub owner: RankId,
}

impl HaloTag {
    /// Returns the word of the tag; 0 stands for nobody, and for an id that no subdomain has.
    pub const fn encode(self) -> u64 {
        match self.subdomain.0.checked_add(1) {
            Some(id) => word(self.owner.0, id),
            None => 0,
        }
    }

    /// Whether a word is a halo tag of this subdomain, whoever owns it.
    #[inline]
    pub const fn is_of(word: u64, subdomain: SubdomainId) -> bool {
        let (_, id) = halves(word);
        match id.checked_sub(1) {
            Some(id) => id == subdomain.0,
            None => false,
        }
    }

    /// Decodes a word; none where it names nobody, or something that does not exist.
    pub fn decode(word: u64, bounds: Bounds) -> Option<Self> {
        let (owner, id) = halves(word);
        Some(Self { subdomain: bounds.subdomain(id.checked_sub(1)?)?, owner: bounds.rank(owner)? })
    }
}

/// What a reader finds in the slot where it expects a subdomain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Met {
    /// The expected subdomain.
    Here,
    /// The last edges of the expected subdomain, which has moved to this rank.
    Moved(RankId),
    /// Another subdomain, or none: only the rank's directory knows more.
    Stranger,
}

impl Met {
    /// Compares the halo tag of a slot on rank `at` with the `expected` subdomain.
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

/// The location of a subdomain, as a reader knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The rank that has it.
    pub rank: RankId,
    /// The slot in that rank's memory.
    pub slot: SlotId,
    /// Number of its moves up to its arrival there.
    pub epoch: u32,
}

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

/// Number of low bits for a slot or a rank. Above them are two bits for which of these it is, and
/// then the epoch.
const PLACE: u32 = u32::BITS - 2;
const HERE: u32 = 1;
const LEFT: u32 = 2;

impl DirectoryEntry {
    /// Returns the word of the entry. 0 is [`DirectoryEntry::Unknown`], and stands for a slot or
    /// rank of 2³⁰ or more.
    pub const fn encode(self) -> u64 {
        match self {
            Self::Unknown => 0,
            Self::Here { slot, epoch } => encode(HERE, slot.0, epoch),
            Self::Left { to, epoch } => encode(LEFT, to.0, epoch),
        }
    }

    /// Decodes a word; [`DirectoryEntry::Unknown`] where it names something that does not exist.
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

/// Packs a directory entry into a word: epoch, kind, and slot or rank; 0 where `place` does not
/// fit.
const fn encode(kind: u32, place: u32, epoch: u32) -> u64 {
    if place >> PLACE == 0 { word(epoch, kind << PLACE | place) } else { 0 }
}

/// Returns the forward that replaces `entry` once the subdomain is found: straight to its present
/// rank. None where `entry` is no forward, or nothing newer is found, or the subdomain is on this
/// rank.
///
/// `entry` is the present word of rank `own`. Where several threads write a rank's directory, the
/// word may be replaced only if it is still this one.
pub fn shortened(own: RankId, entry: DirectoryEntry, found: Location) -> Option<DirectoryEntry> {
    let DirectoryEntry::Left { epoch, .. } = entry else { return None };
    (epoch < found.epoch && found.rank != own)
        .then_some(DirectoryEntry::Left { to: found.rank, epoch: found.epoch })
}

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchStep {
    /// Read this rank's directory.
    Next(RankId),
    /// The subdomain is here.
    Found(Location),
    /// Not all words have arrived yet, and the search is over. The reader returns to the known
    /// location, reads the halo tag there again, and searches anew if need be.
    Retry,
}

/// One search: forwards, from one rank's directory to the next.
///
/// A subdomain's epoch rises with every forward, so an entry that is older than the way to it is
/// one that has not come through yet, and no chain closes. Whatever it is told, a search ends after
/// as many forwards as there are ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    rank: RankId,
    /// Least epoch that is believed.
    epoch: u32,
    hops: u32,
    ranks: u32,
}

impl Search {
    /// Begins a search for a subdomain that was at `known`, after what was `met` there: at the rank
    /// that the halo tag names, or else with the directory of the known rank. None where the
    /// subdomain is there.
    pub fn new(known: Location, met: Met, bounds: Bounds) -> Option<Self> {
        let Location { rank, epoch, .. } = known;
        let ranks = bounds.ranks;
        match met {
            Met::Here => None,
            Met::Stranger => Some(Self { rank, epoch, hops: 0, ranks }),
            Met::Moved(to) => {
                Some(Self { rank: to, epoch: epoch.saturating_add(1), hops: 1, ranks })
            }
        }
    }

    /// Returns the rank whose directory is to be read next.
    pub const fn rank(&self) -> RankId {
        self.rank
    }

    /// Returns the number of hops so far; following the halo tag is one.
    pub const fn hops(&self) -> u32 {
        self.hops
    }

    /// Continues the search with the directory entry of the rank that was to be read, and returns
    /// the next step.
    pub fn read(&mut self, entry: DirectoryEntry) -> SearchStep {
        match entry {
            DirectoryEntry::Here { slot, epoch } if epoch >= self.epoch => {
                SearchStep::Found(Location { rank: self.rank, slot, epoch })
            }
            // It moved on after it had come here.
            DirectoryEntry::Left { to, epoch }
                if epoch > self.epoch && to != self.rank && self.hops < self.ranks =>
            {
                self.rank = to;
                self.epoch = epoch;
                self.hops += 1;
                SearchStep::Next(to)
            }
            _ => SearchStep::Retry,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };

    #[test]
    fn tags_read_back_within_bounds() {
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

    #[test]
    fn entries_read_back_within_bounds() {
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

    fn here(slot: u32, epoch: u32) -> DirectoryEntry {
        DirectoryEntry::Here { slot: SlotId(slot), epoch }
    }

    fn left(to: u32, epoch: u32) -> DirectoryEntry {
        DirectoryEntry::Left { to: RankId(to), epoch }
    }

    fn known(epoch: u32) -> Location {
        Location { rank: RankId(0), slot: SlotId(1), epoch }
    }

    #[test]
    fn forwards_are_followed_to_the_end() {
        let mut search = Search::new(known(2), Met::Stranger, BOUNDS).unwrap();
        assert_eq!(search.rank(), RankId(0));
        assert_eq!(search.read(left(1, 3)), SearchStep::Next(RankId(1)));
        assert_eq!(search.rank(), RankId(1));
        assert_eq!(search.read(left(2, 5)), SearchStep::Next(RankId(2)));
        let location = Location { rank: RankId(2), slot: SlotId(0), epoch: 6 };
        assert_eq!(search.read(here(0, 6)), SearchStep::Found(location));
        assert_eq!(search.hops(), 2);
        assert_eq!(Search::new(known(2), Met::Here, BOUNDS), None);
    }

    #[test]
    fn the_halo_tag_is_the_first_forward() {
        let mut search = Search::new(known(2), Met::Moved(RankId(2)), BOUNDS).unwrap();
        assert_eq!((search.rank(), search.hops()), (RankId(2), 1));
        // It was there before, too: that is not where it is now.
        assert_eq!(search.clone().read(here(0, 2)), SearchStep::Retry);
        assert!(matches!(search.read(here(0, 3)), SearchStep::Found(_)));
    }

    #[test]
    fn what_is_not_newer_is_not_believed() {
        let search = Search::new(known(4), Met::Stranger, BOUNDS).unwrap();
        for entry in [DirectoryEntry::Unknown, here(0, 3), left(1, 4), left(1, 3), left(0, 9)] {
            assert_eq!(search.clone().read(entry), SearchStep::Retry, "{entry:?}");
        }
        // It is in another slot, or the slot has only just become its own.
        assert!(matches!(search.clone().read(here(1, 4)), SearchStep::Found(_)));
        assert!(matches!(search.clone().read(left(1, 5)), SearchStep::Next(_)));
    }

    #[test]
    fn no_chain_is_longer_than_there_are_ranks() {
        let mut search = Search::new(known(0), Met::Stranger, BOUNDS).unwrap();
        for epoch in 1..=3 {
            assert!(matches!(search.read(left(epoch % 2, epoch)), SearchStep::Next(_)));
        }
        assert_eq!(search.read(left(0, 4)), SearchStep::Retry);
        assert_eq!(search.hops(), 3);
    }
}
