//! Readers: how a subdomain's holder reads its neighbours' edges, and finds those that have moved.

use tresse_core::grid::Side;
use tresse_core::migration::{self, Entry, Location, Met, Search, Tenant, Write, shortened};

use super::rank::{Copy, Edges, Place, Reading};
use super::system::{Fault, Setting, Step, System, identify, node};

impl System {
    /// What a reader could do.
    pub fn reads(&self, setting: &Setting) -> Vec<Step> {
        let step = |&(subdomain, side): &(usize, Side)| {
            let (_, copy) = self.held(subdomain)?;
            match copy.reading {
                Reading::Idle => copy.neighbours[side.index()].map(|_| Step::Meet(subdomain, side)),
                Reading::Met(at, _) => (at == side).then_some(Step::Read(subdomain)),
                Reading::Edges(at, ..) => (at == side).then_some(Step::Check(subdomain)),
                Reading::Search(at, _) => (at == side).then_some(Step::Ask(subdomain)),
            }
        };
        setting.readers.iter().filter_map(step).collect()
    }

    fn copy_mut(&mut self, subdomain: usize) -> Option<(usize, &mut Copy)> {
        let (rank, _) = self.held(subdomain)?;
        let mut held = self.ranks[rank].held.iter_mut();
        held.find(|copy| copy.subdomain == identify(subdomain)).map(|copy| (rank, copy))
    }

    /// What one rank sees of another's berth; its own as it is.
    fn place(&self, reader: usize, at: Location) -> Place {
        let place = &self.ranks[at.node.index()].places[at.berth.index()];
        *if at.node.index() == reader { place.newest() } else { place.seen() }
    }

    /// What a reader meets, and the search that it then begins.
    fn look_at(
        &self,
        setting: &Setting,
        subdomain: usize,
        side: Side,
    ) -> Option<(Place, Option<Search>)> {
        let (reader, copy) = self.held(subdomain)?;
        let known = copy.neighbours[side.index()]?;
        let of = setting.cut.neighbour(identify(subdomain), side)?;
        let place = self.place(reader, known);
        let met = Met::of(Tenant::decode(place.tenant, setting.bounds), of, known.node);
        Some((place, Search::new(known, met, setting.bounds)))
    }

    fn set_reading(&mut self, subdomain: usize, reading: Reading) {
        if let Some((_, copy)) = self.copy_mut(subdomain) {
            copy.reading = reading;
        }
    }

    pub(super) fn meet(&mut self, setting: &Setting, subdomain: usize, side: Side) {
        let Some((place, search)) = self.look_at(setting, subdomain, side) else { return };
        let reading = match search {
            Some(search) if setting.fault != Fault::ChecksAfter => Reading::Search(side, search),
            _ => Reading::Met(side, place.version),
        };
        self.set_reading(subdomain, reading);
    }

    pub(super) fn read(&mut self, subdomain: usize) {
        let Some((reader, copy)) = self.held(subdomain) else { return };
        let Reading::Met(side, version) = copy.reading else { return };
        let Some(known) = copy.neighbours[side.index()] else { return };
        let edges = self.place(reader, known).edges;
        self.set_reading(subdomain, Reading::Edges(side, version, edges));
    }

    pub(super) fn check(&mut self, setting: &Setting, subdomain: usize) {
        let Some((_, copy)) = self.held(subdomain) else { return };
        let Reading::Edges(side, version, read) = copy.reading else { return };
        let Some((place, search)) = self.look_at(setting, subdomain, side) else { return };
        let search = search.filter(|_| setting.fault != Fault::ChecksBefore);
        let is_same = place.version == version || setting.fault == Fault::ChecksAfter;
        if search.is_none() && is_same {
            let of = setting.cut.neighbour(identify(subdomain), side);
            if read != of.map(|subdomain| Edges { subdomain, version }) {
                self.broken = Some("the edges of another subdomain were taken for a neighbour's");
            }
        }
        let reading = search.map_or(Reading::Idle, |search| Reading::Search(side, search));
        self.set_reading(subdomain, reading);
    }

    pub(super) fn ask(&mut self, setting: &Setting, subdomain: usize) {
        let Some((reader, copy)) = self.held(subdomain) else { return };
        let Reading::Search(side, mut search) = copy.reading else { return };
        let Some(of) = setting.cut.neighbour(identify(subdomain), side) else { return };
        let asked = search.node().index();
        let word = &self.ranks[asked].directory[of.index()];
        let word = *if asked == reader { word.newest() } else { word.seen() };
        let step = search.read(Entry::decode(word, setting.bounds));
        let own = self.ranks[reader].entry(of, setting.bounds);
        let Some((_, copy)) = self.copy_mut(subdomain) else { return };
        match step {
            migration::Step::Next(_) => copy.reading = Reading::Search(side, search),
            migration::Step::Retry => copy.reading = Reading::Idle,
            migration::Step::Found(location) => {
                copy.reading = Reading::Idle;
                copy.neighbours[side.index()] = Some(location);
                let Location { node: to, epoch, .. } = location;
                let blind = Some(Entry::Left { to, epoch }).filter(|_| to != node(reader));
                let shorter = match setting.fault {
                    Fault::ShortensBlindly => blind,
                    _ => shortened(node(reader), own, location),
                };
                if let Some(entry) = shorter.filter(|&entry| entry != own) {
                    self.write(reader, Write::Entry(of, entry));
                }
            }
        }
    }
}
