//! What must hold in every state, and in those in which nothing is on its way.

use tresse_core::halo::{DirectoryEntry, HaloTag, Location, Met, Search, Step};
use tresse_core::id::{RankId, SubdomainId};

use super::rank::Edges;
use super::system::{Setting, System, identify};

impl System {
    /// Exactly one copy of every subdomain counts: the one that a rank's workers sweep, or, while
    /// nobody does, the last that was let go. All have their own cells.
    pub fn has_one_owner(&self) -> bool {
        let copies = self.ranks.iter().flat_map(|rank| rank.held.iter().chain(&rank.frozen));
        let all_own = copies.clone().all(|copy| copy.cells == u64::from(copy.subdomain.0));
        let subdomains = self.ranks.first().map_or(0, |rank| rank.directory.len());
        all_own
            && (0..subdomains).map(identify).all(|id| {
                let swept = self.ranks.iter().flat_map(|rank| &rank.held);
                let swept: Vec<u64> =
                    swept.filter(|copy| copy.subdomain == id).map(|copy| copy.version).collect();
                let frozen = self.ranks.iter().filter_map(|rank| rank.frozen.as_ref());
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

    /// From wherever a subdomain has been, forwards lead to a rank that has it, and each tells of
    /// a later move than the one before.
    pub fn chains_end(&self, setting: &Setting) -> bool {
        let ends = |id: SubdomainId, rank: usize| {
            let mut entry = self.ranks[rank].entry(id, setting.bounds);
            let mut last = None;
            while let DirectoryEntry::Left { to, epoch } = entry {
                if last.is_some_and(|last| epoch <= last) {
                    return false;
                }
                last = Some(epoch);
                entry = self.ranks[to.index()].entry(id, setting.bounds);
            }
            match entry {
                DirectoryEntry::Unknown => last.is_none(),
                DirectoryEntry::Here { epoch, .. } => last.is_none_or(|last| epoch >= last),
                DirectoryEntry::Left { .. } => false,
            }
        };
        setting.cut.ids().all(|id| (0..self.ranks.len()).all(|rank| ends(id, rank)))
    }

    /// A slot that says whose it is has that subdomain's edges, for everybody who looks.
    pub fn halo_tags_are_at_home(&self, setting: &Setting) -> bool {
        self.ranks.iter().enumerate().all(|(rank, one)| {
            one.places.iter().flat_map(|place| [place.seen(), place.newest()]).all(|place| {
                let tag = HaloTag::decode(place.tag, setting.bounds);
                let own = tag.filter(|tag| tag.owner.index() == rank);
                own.is_none_or(|tag| {
                    place.edges.is_some_and(|edges| edges.subdomain == tag.subdomain)
                })
            })
        })
    }

    /// Nothing is on its way, and everything was seen.
    pub fn is_quiet(&self) -> bool {
        let rests = |rank: &super::rank::Rank| {
            rank.sender.is_idle() && rank.receiver.arrival().is_none() && rank.frozen.is_none()
        };
        self.shows().is_empty() && self.ranks.iter().all(rests)
    }

    /// Whatever can only wait, waits for nothing.
    pub fn is_not_stuck(&self, setting: &Setting) -> bool {
        !self.protocol(setting).is_empty() || !self.shows().is_empty() || self.is_quiet()
    }

    /// Once it is quiet, whoever has known a subdomain anywhere finds it, and its newest edges.
    pub fn all_are_found(&self, setting: &Setting) -> bool {
        !self.is_quiet() || setting.cut.ids().all(|id| self.is_found(setting, id))
    }

    fn is_found(&self, setting: &Setting, id: SubdomainId) -> bool {
        let Some((owner, copy)) = self.held(id.index()) else { return false };
        let edges = Some(Edges { subdomain: id, version: copy.version });
        let is_right = |known: Location| {
            self.find(setting, id, known).is_some_and(|found| {
                let place = self.ranks[found.rank.index()].places[found.slot.index()].seen();
                found.rank.index() == owner && place.edges == edges
            })
        };
        let has_known = |rank: &u32| {
            self.ranks[*rank as usize].entry(id, setting.bounds) != DirectoryEntry::Unknown
        };
        let ranks = (0..setting.bounds.ranks).filter(has_known).map(RankId);
        let mut anywhere = ranks.flat_map(|rank| {
            let slots = (0..setting.bounds.slots).map(tresse_core::id::SlotId);
            slots.map(move |slot| Location { rank, slot, epoch: 0 })
        });
        let known = self.ranks.iter().flat_map(|rank| &rank.held).flat_map(|copy| {
            let names = setting.cut.neighbours(copy.subdomain);
            names
                .into_iter()
                .zip(copy.neighbours())
                .filter_map(|(name, known)| known.filter(|_| name == Some(id)))
        });
        anywhere.all(is_right) && known.into_iter().all(is_right)
    }

    /// A whole search at once, by what everybody sees.
    fn find(&self, setting: &Setting, id: SubdomainId, known: Location) -> Option<Location> {
        let mut known = known;
        for _ in 0..2 {
            let place = self.ranks[known.rank.index()].places[known.slot.index()].seen();
            let tag = HaloTag::decode(place.tag, setting.bounds);
            let met = Met::of(tag, id, known.rank);
            let Some(mut search) = Search::new(known, met, setting.bounds) else {
                return Some(known);
            };
            loop {
                let word = self.ranks[search.rank().index()].directory[id.index()].seen();
                match search.read(DirectoryEntry::decode(*word, setting.bounds)) {
                    Step::Next(_) => {}
                    Step::Retry => return None,
                    Step::Found(location) => {
                        known = location;
                        break;
                    }
                }
            }
        }
        None
    }

    /// How often subdomains have moved, all together.
    pub fn moves(&self) -> u64 {
        self.ranks.iter().flat_map(|rank| &rank.held).map(|copy| copy.version).sum()
    }

    /// Forwards that the longest search under way has followed.
    pub fn hops(&self) -> u32 {
        let copies = self.ranks.iter().flat_map(|rank| &rank.held);
        let readers = copies.flat_map(|copy| copy.readers).flatten();
        readers.map(|reader| reader.forwards()).max().unwrap_or(0)
    }
}
