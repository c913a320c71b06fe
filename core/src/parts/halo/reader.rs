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

/// The next action of whoever drives a reader, after requested words have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReaderAction {
    /// These words are needed next.
    Needs(Request),
    /// The neighbour is there, in memory that workers read on their own.
    InMemory(Location),
    /// The neighbour was found here after this number of hops; the next fetch goes here.
    Found(Location, u32),
    /// There is nothing to do now: the edge is not there yet, or it is the one that is here, or
    /// words have not all come through.
    Nothing,
}

/// What a reader needs to know of its surroundings to judge words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadContext {
    /// Limits on the numbers in words.
    pub bounds: Bounds,
    /// The version that is read.
    pub wanted: Wanted,
    /// Whether the slot where the neighbour is known to be is in memory that workers read.
    pub is_in_memory: bool,
}

/// The reader's outstanding request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Outstanding {
    Nothing,
    Head,
    /// An edge of a version in this range, both ends included.
    Edge(u64, u64),
    Search(Search),
}

/// One neighbour of a subdomain, which is on another rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reader {
    neighbour: SubdomainId,
    known: Location,
    /// The request whose words have not come yet.
    outstanding: Outstanding,
    /// The version of the edge that was fetched last.
    fetched: Option<u64>,
    /// The version in the head that was read last.
    head_version: u64,
    /// The newest version that the neighbour is known to have published.
    shown: u64,
    /// Fetches that must complete before the halo counts as fresh. One that began before
    /// [`Reader::renew`] does not count.
    owed: u32,
}

impl Reader {
    /// Returns a reader of a neighbour that is, or was, at the location `known`.
    pub const fn new(neighbour: SubdomainId, known: Location) -> Self {
        Self {
            neighbour,
            known,
            outstanding: Outstanding::Nothing,
            fetched: None,
            head_version: 0,
            shown: 0,
            owed: 1,
        }
    }

    /// Returns the neighbour that is read.
    pub const fn neighbour(&self) -> SubdomainId {
        self.neighbour
    }

    /// Returns the location where the neighbour was last known to be.
    pub const fn known(&self) -> Location {
        self.known
    }

    /// Returns the version that was fetched last.
    pub const fn fetched(&self) -> Option<u64> {
        self.fetched
    }

    /// Whether the neighbour is known to have published this version. An edge may be read before
    /// its head says so; a subdomain leaves its rank only once all that it has read is published.
    ///
    /// The version and the tag of a head may be of two moments, and of two tenants of the slot. So
    /// a head counts for no more than the fetched edge, whose checksum identifies it.
    pub const fn has_shown(&self, version: u64) -> bool {
        version <= self.shown
    }

    /// Whether no fetch is owed since the last [`Reader::renew`].
    pub const fn is_fresh(&self) -> bool {
        self.owed == 0
    }

    /// Requires one fresh fetch: one that begins after this call.
    pub const fn renew(&mut self) {
        self.owed = if matches!(self.outstanding, Outstanding::Nothing) { 1 } else { 2 };
    }

    /// Requires one fresh fetch as [`Reader::renew`] does, also of an edge that is here already:
    /// before the first sweep the edge may have been fetched before it was there.
    pub const fn renew_whole(&mut self) {
        self.renew();
        self.fetched = None;
    }

    /// Returns the number of hops, from directory to directory, of the search under way; 0 without
    /// one.
    pub const fn hops(&self) -> u32 {
        match self.outstanding {
            Outstanding::Search(search) => search.hops(),
            Outstanding::Nothing | Outstanding::Head | Outstanding::Edge(..) => 0,
        }
    }

    /// Begins a fetch with a request for the neighbour's head; none while another request is
    /// outstanding.
    pub fn begin(&mut self) -> Option<Request> {
        if self.outstanding != Outstanding::Nothing {
            return None;
        }
        self.outstanding = Outstanding::Head;
        Some(Request::Head(self.known))
    }

    /// State machine: combines the outstanding request with the words that have come, and returns
    /// the next action. `words` are the version and the halo tag of a head; or a directory entry,
    /// and a second word that is ignored.
    pub fn on_words(&mut self, words: [u64; 2], context: &ReadContext) -> ReaderAction {
        match core::mem::replace(&mut self.outstanding, Outstanding::Nothing) {
            Outstanding::Head => self.on_head(words, context),
            Outstanding::Search(search) => self.on_entry(search, words, context),
            request @ (Outstanding::Nothing | Outstanding::Edge(..)) => {
                self.outstanding = request;
                ReaderAction::Nothing
            }
        }
    }

    /// Records that an edge has come. Returns the versions that
    /// [`accept`](crate::parts::halo::accept) may take; none where no edge is outstanding.
    pub fn edge(&mut self) -> Option<RangeInclusive<u64>> {
        let Outstanding::Edge(first, last) = self.outstanding else { return None };
        self.outstanding = Outstanding::Nothing;
        Some(first..=last)
    }

    /// Records that the edge that has come was accepted, and has this version.
    pub const fn accepted(&mut self, version: u64) {
        self.fetched = Some(version);
        self.raise_shown();
        self.end_fetch();
    }

    /// Raises `shown` to the version of the last head, but not above the fetched edge.
    const fn raise_shown(&mut self) {
        if let Some(fetched) = self.fetched {
            let out = if self.head_version < fetched { self.head_version } else { fetched };
            self.shown = if self.shown < out { out } else { self.shown };
        }
    }

    /// Counts a fetch as completed.
    const fn end_fetch(&mut self) {
        self.owed = self.owed.saturating_sub(1);
    }

    /// Handles a head: requests the edge, or searches for the neighbour where the tag says that it
    /// has left the slot.
    fn on_head(&mut self, [version, tag]: [u64; 2], context: &ReadContext) -> ReaderAction {
        let ReadContext { bounds, wanted, is_in_memory } = *context;
        let met = Met::of(HaloTag::decode(tag, bounds), self.neighbour, self.known.rank);
        if let Some(search) = Search::new(self.known, met, bounds) {
            self.outstanding = Outstanding::Search(search);
            return ReaderAction::Needs(Request::Entry(search.rank()));
        }
        self.head_version = version;
        if is_in_memory {
            self.raise_shown();
            self.end_fetch();
            return ReaderAction::InMemory(self.known);
        }
        let (version, last) = match wanted {
            // Later versions in the slot are welcome.
            Wanted::Newest => (version, u64::MAX),
            // The neighbour may be one ahead.
            Wanted::Exactly(wanted) if wanted <= version => (wanted, wanted),
            Wanted::Exactly(_) => return ReaderAction::Nothing,
        };
        // The edge that is here may be newer than the head: edges are written before it.
        if self.fetched.is_some_and(|fetched| (version..=last).contains(&fetched)) {
            self.raise_shown();
            self.end_fetch();
            return ReaderAction::Nothing;
        }
        self.outstanding = Outstanding::Edge(version, last);
        ReaderAction::Needs(Request::Edge(self.known, version))
    }

    /// Continues a search with the directory entry of another rank.
    fn on_entry(
        &mut self,
        mut search: Search,
        [word, _]: [u64; 2],
        context: &ReadContext,
    ) -> ReaderAction {
        match search.read(DirectoryEntry::decode(word, context.bounds)) {
            SearchStep::Next(rank) => {
                self.outstanding = Outstanding::Search(search);
                ReaderAction::Needs(Request::Entry(rank))
            }
            SearchStep::Found(found) => {
                self.known = found;
                ReaderAction::Found(found, search.hops())
            }
            SearchStep::Retry => ReaderAction::Nothing,
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

    fn around(wanted: Wanted) -> ReadContext {
        ReadContext { bounds: BOUNDS, wanted, is_in_memory: false }
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
        let edge = ReaderAction::Needs(Request::Edge(KNOWN, 7));
        assert_eq!(reader.on_words([7, tag(1)], &newest), edge);
        assert_eq!(
            reader.on_words([8, tag(1)], &newest),
            ReaderAction::Nothing,
            "nobody has asked"
        );
        assert_eq!(reader.edge(), Some(7..=u64::MAX));
        assert!(!reader.is_fresh(), "it may have been torn");
        assert_eq!(reader.begin(), Some(Request::Head(KNOWN)));
        assert_eq!(
            reader.on_words([8, tag(1)], &newest),
            ReaderAction::Needs(Request::Edge(KNOWN, 8))
        );
        reader.edge();
        reader.accepted(9);
        assert!(reader.is_fresh() && reader.fetched() == Some(9));
        assert!(reader.has_shown(8) && !reader.has_shown(9), "its head has not come");
        reader.renew();
        reader.begin();
        assert_eq!(
            reader.on_words([8, tag(1)], &newest),
            ReaderAction::Nothing,
            "what is here is newer"
        );
        reader.begin();
        assert_eq!(reader.on_words([9, tag(1)], &newest), ReaderAction::Nothing, "it is here");
        assert!(reader.is_fresh() && reader.has_shown(9));
    }

    /// The version of the slot's tenant before, or after, beside the neighbour's tag.
    #[test]
    fn a_head_of_two_tenants_shows_nothing() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        reader.on_words([90, tag(1)], &newest);
        assert_eq!(reader.edge(), Some(90..=u64::MAX), "of which nothing is accepted");
        assert!(!reader.has_shown(1));
        reader.begin();
        reader.on_words([7, tag(1)], &newest);
        reader.edge();
        reader.accepted(7);
        assert!(reader.has_shown(7) && !reader.has_shown(8));
        let memory = ReadContext { is_in_memory: true, ..newest };
        reader.begin();
        reader.on_words([90, tag(1)], &memory);
        assert!(reader.has_shown(7) && !reader.has_shown(8));
    }

    #[test]
    fn a_look_that_was_begun_before_does_not_count() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        reader.renew();
        reader.on_words([3, tag(1)], &newest);
        reader.edge();
        reader.accepted(3);
        assert!(!reader.is_fresh());
        reader.begin();
        reader.on_words([3, tag(1)], &newest);
        assert!(reader.is_fresh());
        reader.renew_whole();
        reader.begin();
        let edge = ReaderAction::Needs(Request::Edge(KNOWN, 3));
        assert_eq!(reader.on_words([3, tag(1)], &newest), edge, "once more");
    }

    #[test]
    fn barriers_ask_for_one_version() {
        let (mut reader, exactly) = (Reader::new(ID, KNOWN), around(Wanted::Exactly(6)));
        reader.begin();
        assert_eq!(reader.on_words([5, tag(1)], &exactly), ReaderAction::Nothing, "not there yet");
        reader.begin();
        let edge = ReaderAction::Needs(Request::Edge(KNOWN, 6));
        assert_eq!(reader.on_words([7, tag(1)], &exactly), edge);
        assert_eq!(reader.edge(), Some(6..=6));
        reader.accepted(6);
        reader.begin();
        let next = around(Wanted::Exactly(7));
        let edge = ReaderAction::Needs(Request::Edge(KNOWN, 7));
        assert_eq!(
            reader.on_words([7, tag(1)], &next),
            edge,
            "the edge that is here is an older one"
        );
    }

    #[test]
    fn a_neighbour_that_has_left_is_searched() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        let action = reader.on_words([7, tag(2)], &newest);
        assert_eq!(action, ReaderAction::Needs(Request::Entry(RankId(2))));
        let left = DirectoryEntry::Left { to: RankId(0), epoch: 4 }.encode();
        assert_eq!(
            reader.on_words([left, 0], &newest),
            ReaderAction::Needs(Request::Entry(RankId(0)))
        );
        let here = DirectoryEntry::Here { slot: SlotId(1), epoch: 4 }.encode();
        let found = Location { rank: RankId(0), slot: SlotId(1), epoch: 4 };
        assert_eq!(reader.on_words([here, 0], &newest), ReaderAction::Found(found, 2));
        assert_eq!(reader.begin(), Some(Request::Head(found)));
        let memory = ReadContext { is_in_memory: true, ..newest };
        assert_eq!(reader.on_words([7, tag(0)], &memory), ReaderAction::InMemory(found));
        assert!(reader.is_fresh());
    }

    #[test]
    fn words_that_have_not_come_through_are_asked_for_again() {
        let (mut reader, newest) = (Reader::new(ID, KNOWN), around(Wanted::Newest));
        reader.begin();
        reader.on_words([7, tag(2)], &newest);
        assert_eq!(reader.on_words([0, 0], &newest), ReaderAction::Nothing);
        assert_eq!(reader.begin(), Some(Request::Head(KNOWN)));
    }
}
