//! The properties of every state, and of states in which nothing is on its way.

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::parts::halo::{
    DirectoryEntry, HaloTag, Location, Met, Reader, Search, SearchStep,
};

use super::graph::LINKS;
use super::net::{Edges, cell_of};
use super::rank::{House, Rank};
use super::system::{Setting, System, identify};

impl System {
    /// Exactly one copy of every subdomain counts: the one that a rank's workers sweep, or, while
    /// nobody does, the last that was let go. All have their own cells.
    pub fn has_one_owner(&self) -> bool {
        let houses = || self.ranks.iter().map(|rank| &rank.house);
        let mut copies = houses().flat_map(|house| house.held.iter().chain(&house.frozen));
        let all_own = copies.all(|copy| {
            let own = cell_of(copy.subdomain).to_bits();
            !copy.cells.is_empty() && copy.cells.iter().all(|cell| *cell == own)
        });
        let subdomains = self.memories.first().map_or(0, |memory| memory.directory.len());
        all_own
            && (0..subdomains).map(identify).all(|id| {
                let swept = houses().flat_map(|house| &house.held);
                let swept: Vec<u64> =
                    swept.filter(|copy| copy.subdomain == id).map(|copy| copy.version).collect();
                let frozen = houses().filter_map(|house| house.frozen.as_ref());
                let frozen: Vec<u64> =
                    frozen.filter(|copy| copy.subdomain == id).map(|copy| copy.version).collect();
                let last = frozen.iter().max();
                match (swept.as_slice(), last) {
                    ([version], _) => frozen.iter().all(|frozen| frozen < version),
                    ([], Some(last)) => frozen.iter().filter(|frozen| *frozen == last).count() == 1,
                    _ => false,
                }
            })
    }

    /// Reports whether forwards lead from wherever a subdomain has been to a rank that has it, each
    /// telling of a later move than the one before.
    pub fn chains_end(&self, setting: &Setting) -> bool {
        let ends = |id: SubdomainId, rank: usize| {
            let mut entry = self.memories[rank].entry(id, setting.bounds);
            let mut last = None;
            while let DirectoryEntry::Left { to, epoch } = entry {
                if last.is_some_and(|last| epoch <= last) {
                    return false;
                }
                last = Some(epoch);
                entry = self.memories[to.index()].entry(id, setting.bounds);
            }
            match entry {
                DirectoryEntry::Unknown => last.is_none(),
                DirectoryEntry::Here { epoch, .. } => last.is_none_or(|last| epoch >= last),
                DirectoryEntry::Left { .. } => false,
            }
        };
        setting.graph.ids().all(|id| (0..self.ranks.len()).all(|rank| ends(id, rank)))
    }

    /// A slot that says whose it is has that subdomain's edges, for everybody who looks.
    pub fn halo_tags_are_at_home(&self, setting: &Setting) -> bool {
        self.memories.iter().enumerate().all(|(rank, one)| {
            one.slots.iter().flat_map(|place| [place.seen(), place.newest()]).all(|place| {
                let tag = HaloTag::decode(place.tag, setting.bounds);
                let own = tag.filter(|tag| tag.owner.index() == rank);
                own.is_none_or(|tag| {
                    place.edges.is_some_and(|edges| edges.subdomain == tag.subdomain)
                })
            })
        })
    }

    /// Reports whether nothing is on its way, and everything was seen.
    pub fn is_quiet(&self) -> bool {
        let rests = |rank: &Rank| rank.shipped.moves.is_idle() && rank.house.frozen.is_none();
        self.shows().is_empty() && self.ranks.iter().all(rests)
    }

    /// Reports whether the system is not stuck: something can still happen, or everything is quiet.
    pub fn is_not_stuck(&self, setting: &Setting) -> bool {
        let waits = |house: &House| house.frozen.is_some() && !house.is_packed;
        let is_waiting = self.ranks.iter().any(|rank| waits(&rank.house));
        !self.protocol(setting).is_empty()
            || !self.shows().is_empty()
            || self.is_quiet()
            || is_waiting && !self.reads(setting).is_empty()
    }

    /// Once it is quiet, whoever has known a subdomain anywhere finds it, and its newest edges.
    pub fn all_are_found(&self, setting: &Setting) -> bool {
        !self.is_quiet() || setting.graph.ids().all(|id| self.is_found(setting, id))
    }

    fn is_found(&self, setting: &Setting, id: SubdomainId) -> bool {
        let Some((owner, copy)) = self.held(id.index()) else { return false };
        let edges = Some(Edges { subdomain: id, version: copy.version });
        let is_right = |known: Location| {
            self.find(setting, id, known).is_some_and(|found| {
                let place = self.memories[found.rank.index()].slots[found.slot.index()].seen();
                found.rank.index() == owner && place.edges == edges
            })
        };
        let has_known = |rank: &u32| {
            self.memories[*rank as usize].entry(id, setting.bounds) != DirectoryEntry::Unknown
        };
        let ranks = (0..setting.bounds.ranks).filter(has_known).map(RankId);
        let mut anywhere = ranks.flat_map(|rank| {
            let slots = (0..setting.bounds.slots).map(tresse_core::base::id::SlotId);
            slots.map(move |slot| Location { rank, slot, epoch: 0 })
        });
        let readers = self.ranks.iter().flat_map(Rank::readers);
        let mut known = readers.filter(|reader| reader.neighbour() == id);
        anywhere.all(is_right) && known.all(|reader| is_right(reader.known()))
    }

    /// Returns a whole search at once, by what everybody sees.
    fn find(&self, setting: &Setting, id: SubdomainId, known: Location) -> Option<Location> {
        let mut known = known;
        for _ in 0..2 {
            let place = self.memories[known.rank.index()].slots[known.slot.index()].seen();
            let tag = HaloTag::decode(place.tag, setting.bounds);
            let met = Met::of(tag, id, known.rank);
            let Some(mut search) = Search::new(known, met, setting.bounds) else {
                return Some(known);
            };
            loop {
                let word = self.memories[search.rank().index()].directory[id.index()].seen();
                match search.read(DirectoryEntry::decode(*word, setting.bounds)) {
                    SearchStep::Next(_) => {}
                    SearchStep::Retry => return None,
                    SearchStep::Found(location) => {
                        known = location;
                        break;
                    }
                }
            }
        }
        None
    }

    /// Returns the number of times that subdomains have moved, all together.
    pub fn moves(&self) -> u64 {
        self.ranks.iter().flat_map(|rank| &rank.house.held).map(|copy| copy.version).sum()
    }

    /// Forwards that the longest search under way has followed.
    pub fn hops(&self) -> u32 {
        self.ranks.iter().flat_map(Rank::readers).map(Reader::hops).max().unwrap_or(0)
    }

    /// Reports whether no reader believes a version to be out that its neighbour has not published,
    /// and no subdomain leaves before what it has read is known to be out.
    pub fn shows_nothing_false(&self) -> bool {
        let houses = self.ranks.iter().map(|rank| &rank.house);
        let copies = houses.flat_map(|house| house.held.iter().chain(&house.frozen));
        let copies: Vec<_> = copies.map(|copy| (copy.subdomain, copy.version)).collect();
        let newest = |id| copies.iter().filter(|copy| copy.0 == id).map(|copy| copy.1).max();
        let is_out = self.ranks.iter().flat_map(Rank::readers).all(|reader| {
            newest(reader.neighbour()).is_none_or(|version| !reader.has_shown(version + 1))
        });
        is_out && self.ranks.iter().all(|rank| !rank.house.packs_early)
    }

    /// Reports whether no worker was shown another subdomain's edge for its neighbour's.
    pub fn halos_are_right(&self) -> bool {
        self.ranks.iter().all(|rank| !rank.shipped.links.ghost_views.is_false)
    }

    /// Once it is quiet, every neighbour of what a rank has is there as well, or is followed.
    pub fn all_are_linked(&self, setting: &Setting) -> bool {
        let is_linked = |rank: &Rank, id: SubdomainId| {
            (0..LINKS).all(|link| {
                let neighbour = setting.graph.neighbour(id, link);
                let place = rank.place(id.index(), link);
                let link = place.and_then(|place| rank.shipped.links.link(place));
                let of = link.map(|link| link.reader.neighbour());
                match neighbour {
                    Some(other) if rank.house.table[other.index()].is_some() => of.is_none(),
                    other => of == other,
                }
            })
        };
        let all = |rank: &Rank| rank.house.held.iter().all(|copy| is_linked(rank, copy.subdomain));
        !self.is_quiet() || self.ranks.iter().all(all)
    }
}
