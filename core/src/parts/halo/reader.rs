//! The reader of a neighbour's edge on another rank: it asks for the head of the slot where the
//! neighbour is known to be, then for the edge, or, where the neighbour has left, for directories
//! until it is found.
//!
//! A reader gets words and says which it needs next; whoever drives it fetches them, at once or
//! some time later, in any order of the words within one request.

use core::ops::RangeInclusive;

use super::{Bounds, DirectoryEntry, HaloTag, Location, Met, Search, SearchStep};
use crate::base::id::{RankId, SubdomainId};
use crate::run::schedule::Wanted;

/// Words that a reader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// The version and the halo tag in a slot.
    Head(Location),
    /// The neighbour's edge in a slot, with its label, where one of this version lies.
    Edge(Location, u64),
    /// The entry of a rank's directory about the neighbour.
    Entry(RankId),
}

/// Outcome of words that a reader had asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heard {
    /// These words are needed next.
    Needs(Request),
    /// The neighbour is there, in memory that workers read on their own.
    InMemory(Location),
    /// The neighbour was found here after this number of forwards; the reader asks there next.
    Found(Location, u32),
    /// There is nothing to do now: the edge is not there yet, or it is the one that is here, or
    /// words have not all come through.
    Nothing,
}

/// Circumstances of a reader that it does not keep itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// Limits on the numbers in words.
    pub bounds: Bounds,
    /// The version that is read.
    pub wanted: Wanted,
    /// Whether the slot where the neighbour is known to be is in memory that workers read.
    pub is_in_memory: bool,
}

/// Words that have been asked for and have not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Asked {
    Nothing,
    Head,
    /// An edge of a version from the first to the last.
    Edge(u64, u64),
    Search(Search),
}

/// One neighbour of a subdomain, which is on another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reader {
    neighbour: SubdomainId,
    known: Location,
    asked: Asked,
    /// The version of the edge that is here.
    fetched: Option<u64>,
    /// The version that the last head told.
    told: u64,
    /// The newest version that is known to be out.
    shown: u64,
    /// Number of looks that are to come to an end before the halo counts as fresh: a look that was
    /// begun before does not count.
    owed: u32,
}

impl Reader {
    /// Returns a reader of a neighbour that is known to be, or to have been, at a place.
    pub const fn new(neighbour: SubdomainId, known: Location) -> Self {
        Self { neighbour, known, asked: Asked::Nothing, fetched: None, told: 0, shown: 0, owed: 1 }
    }

    /// Returns the neighbour that is read.
    pub const fn neighbour(&self) -> SubdomainId {
        self.neighbour
    }

    /// Returns the place where the neighbour was last known to be.
    pub const fn known(&self) -> Location {
        self.known
    }

    /// Returns the version that was fetched last.
    pub const fn fetched(&self) -> Option<u64> {
        self.fetched
    }

    /// Whether this version is known to be out. An edge may be read before its head says so, and
    /// whoever looks from elsewhere then finds an older one: a subdomain leaves only when what it
    /// has read is out.
    ///
    /// The version and the tag of a head may be of two moments, and of two tenants of the slot. So
    /// a head counts for no more than the edge that is here, whose checksum says whose it is.
    pub const fn has_shown(&self, version: u64) -> bool {
        version <= self.shown
    }

    /// Whether no look is owed.
    pub const fn is_fresh(&self) -> bool {
        self.owed == 0
    }

    /// Requires one fresh fetch: one that begins after this call.
    pub const fn renew(&mut self) {
        self.owed = if matches!(self.asked, Asked::Nothing) { 1 } else { 2 };
    }

    /// Requires one fresh fetch as [`Reader::renew`] does, also of an edge that is here already:
    /// before the first sweep the edge may have been fetched before it was there.
    pub const fn renew_whole(&mut self) {
        self.renew();
        self.fetched = None;
    }

    /// Returns the number of forwards that the search under way has followed.
    pub const fn forwards(&self) -> u32 {
        match self.asked {
            Asked::Search(search) => search.hops(),
            Asked::Nothing | Asked::Head | Asked::Edge(..) => 0,
        }
    }

    /// Begins a look; none while one is under way.
    pub fn begin(&mut self) -> Option<Request> {
        if self.asked != Asked::Nothing {
            return None;
        }
        self.asked = Asked::Head;
        Some(Request::Head(self.known))
    }

    /// Takes the words of a head, or a directory entry in the first of them, that have come.
    pub fn hear(&mut self, words: [u64; 2], around: &Around) -> Heard {
        match core::mem::replace(&mut self.asked, Asked::Nothing) {
            Asked::Head => self.judge(words, around),
            Asked::Search(search) => self.follow(search, words, around),
            asked @ (Asked::Nothing | Asked::Edge(..)) => {
                self.asked = asked;
                Heard::Nothing
            }
        }
    }

    /// Records that an edge has come, and returns the versions of which it is accepted
    /// ([`accept`](crate::parts::halo::accept)). None where no edge was asked for.
    pub fn edge(&mut self) -> Option<RangeInclusive<u64>> {
        let Asked::Edge(first, last) = self.asked else { return None };
        self.asked = Asked::Nothing;
        Some(first..=last)
    }

    /// Records that an edge of this version has come, and is here now.
    pub const fn accepted(&mut self, version: u64) {
        self.fetched = Some(version);
        self.show();
        self.pay();
    }

    /// Raises the newest version known to be out to the one that the last head told, but not above
    /// the edge that is here.
    const fn show(&mut self) {
        if let Some(fetched) = self.fetched {
            let out = if self.told < fetched { self.told } else { fetched };
            self.shown = if self.shown < out { out } else { self.shown };
        }
    }

    const fn pay(&mut self) {
        self.owed = self.owed.saturating_sub(1);
    }

    /// Judges a head that has come: goes on to the edge, or to the search where the neighbour has
    /// left.
    fn judge(&mut self, [version, tag]: [u64; 2], around: &Around) -> Heard {
        let Around { bounds, wanted, is_in_memory } = *around;
        let met = Met::of(HaloTag::decode(tag, bounds), self.neighbour, self.known.rank);
        if let Some(search) = Search::new(self.known, met, bounds) {
            self.asked = Asked::Search(search);
            return Heard::Needs(Request::Entry(search.rank()));
        }
        self.told = version;
        if is_in_memory {
            self.show();
            self.pay();
            return Heard::InMemory(self.known);
        }
        let (version, last) = match wanted {
            // Later versions in the slot are welcome.
            Wanted::Newest => (version, u64::MAX),
            // The neighbour may be one ahead.
            Wanted::Exactly(wanted) if wanted <= version => (wanted, wanted),
            Wanted::Exactly(_) => return Heard::Nothing,
        };
        // The edge that is here may be newer than the head: edges are written before it.
        if self.fetched.is_some_and(|fetched| (version..=last).contains(&fetched)) {
            self.show();
            self.pay();
            return Heard::Nothing;
        }
        self.asked = Asked::Edge(version, last);
        Heard::Needs(Request::Edge(self.known, version))
    }

    /// Goes on with a search by another rank's directory entry, which has come.
    fn follow(&mut self, mut search: Search, [word, _]: [u64; 2], around: &Around) -> Heard {
        match search.read(DirectoryEntry::decode(word, around.bounds)) {
            SearchStep::Next(rank) => {
                self.asked = Asked::Search(search);
                Heard::Needs(Request::Entry(rank))
            }
            SearchStep::Found(found) => {
                self.known = found;
                Heard::Found(found, search.hops())
            }
            SearchStep::Retry => Heard::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::id::SlotId;

    const BOUNDS: Bounds = Bounds { subdomains: 5, ranks: 3, slots: 2 };
    const ID: SubdomainId = SubdomainId(4);
    const KNOWN: Location = Location { rank: RankId(1), slot: SlotId(0), epoch: 2 };

    fn around(wanted: Wanted) -> Around {
        Around { bounds: BOUNDS, wanted, is_in_memory: false }
    }

    fn tag(owner: u32) -> u64 {
        HaloTag { subdomain: ID, owner: RankId(owner) }.encode()
    }

    #[test]
    fn the_edge_of_the_heads_version_is_fetched_once() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        assert_eq!(reader.begin(), Some(Request::Head(KNOWN)));
        assert_eq!(reader.begin(), None, "one look at a time");
        assert_eq!(reader.edge(), None, "the head has not come");
        let edge = Heard::Needs(Request::Edge(KNOWN, 7));
        assert_eq!(reader.hear([7, tag(1)], &newest), edge);
        assert_eq!(reader.hear([8, tag(1)], &newest), Heard::Nothing, "nobody has asked");
        assert_eq!(reader.edge(), Some(7..=u64::MAX));
        assert!(!reader.is_fresh(), "it may have been torn");
        assert_eq!(reader.begin(), Some(Request::Head(KNOWN)));
        assert_eq!(reader.hear([8, tag(1)], &newest), Heard::Needs(Request::Edge(KNOWN, 8)));
        reader.edge();
        reader.accepted(9);
        assert!(reader.is_fresh() && reader.fetched() == Some(9));
        assert!(reader.has_shown(8) && !reader.has_shown(9), "its head has not come");
        reader.renew();
        reader.begin();
        assert_eq!(reader.hear([8, tag(1)], &newest), Heard::Nothing, "what is here is newer");
        reader.begin();
        assert_eq!(reader.hear([9, tag(1)], &newest), Heard::Nothing, "it is here");
        assert!(reader.is_fresh() && reader.has_shown(9));
    }

    /// The version of the slot's tenant before, or after, beside the neighbour's tag.
    #[test]
    fn a_head_of_two_tenants_shows_nothing() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        reader.hear([90, tag(1)], &newest);
        assert_eq!(reader.edge(), Some(90..=u64::MAX), "of which nothing is accepted");
        assert!(!reader.has_shown(1));
        reader.begin();
        reader.hear([7, tag(1)], &newest);
        reader.edge();
        reader.accepted(7);
        assert!(reader.has_shown(7) && !reader.has_shown(8));
        let memory = Around { is_in_memory: true, ..newest };
        reader.begin();
        reader.hear([90, tag(1)], &memory);
        assert!(reader.has_shown(7) && !reader.has_shown(8));
    }

    #[test]
    fn a_look_that_was_begun_before_does_not_count() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        reader.renew();
        reader.hear([3, tag(1)], &newest);
        reader.edge();
        reader.accepted(3);
        assert!(!reader.is_fresh());
        reader.begin();
        reader.hear([3, tag(1)], &newest);
        assert!(reader.is_fresh());
        reader.renew_whole();
        reader.begin();
        let edge = Heard::Needs(Request::Edge(KNOWN, 3));
        assert_eq!(reader.hear([3, tag(1)], &newest), edge, "once more");
    }

    #[test]
    fn barriers_ask_for_one_version() {
        let (mut reader, exactly) = (Reader::new(ID, KNOWN), around(Wanted::Exactly(6)));
        reader.begin();
        assert_eq!(reader.hear([5, tag(1)], &exactly), Heard::Nothing, "not there yet");
        reader.begin();
        let edge = Heard::Needs(Request::Edge(KNOWN, 6));
        assert_eq!(reader.hear([7, tag(1)], &exactly), edge);
        assert_eq!(reader.edge(), Some(6..=6));
        reader.accepted(6);
        reader.begin();
        let next = around(Wanted::Exactly(7));
        let edge = Heard::Needs(Request::Edge(KNOWN, 7));
        assert_eq!(reader.hear([7, tag(1)], &next), edge, "the edge that is here is an older one");
    }

    #[test]
    fn a_neighbour_that_has_left_is_searched() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        let heard = reader.hear([7, tag(2)], &newest);
        assert_eq!(heard, Heard::Needs(Request::Entry(RankId(2))));
        let left = DirectoryEntry::Left { to: RankId(0), epoch: 4 }.encode();
        assert_eq!(reader.hear([left, 0], &newest), Heard::Needs(Request::Entry(RankId(0))));
        let here = DirectoryEntry::Here { slot: SlotId(1), epoch: 4 }.encode();
        let found = Location { rank: RankId(0), slot: SlotId(1), epoch: 4 };
        assert_eq!(reader.hear([here, 0], &newest), Heard::Found(found, 2));
        assert_eq!(reader.begin(), Some(Request::Head(found)));
        let memory = Around { is_in_memory: true, ..newest };
        assert_eq!(reader.hear([7, tag(0)], &memory), Heard::InMemory(found));
        assert!(reader.is_fresh());
    }

    #[test]
    fn words_that_have_not_come_through_are_asked_for_again() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        reader.hear([7, tag(2)], &newest);
        assert_eq!(reader.hear([0, 0], &newest), Heard::Nothing);
        assert_eq!(reader.begin(), Some(Request::Head(KNOWN)));
    }
}
