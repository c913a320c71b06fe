//! Readers: how a subdomain's holder reads its neighbours' edges, and finds those that have moved, by
//! core's own [`Reader`]; here are only the words that it asks for.

use tresse_core::grid::Side;
use tresse_core::halo::{Around, DirectoryEntry, Heard, Location, Reader, Request, shortened};
use tresse_core::id::SubdomainId;
use tresse_core::migration::Write;
use tresse_core::schedule::Wanted;

use super::rank::{Copy, SlotWords};
use super::system::{Fault, Setting, Step, System, identify, rank_id};

impl System {
    /// What a reader could do.
    pub fn reads(&self, setting: &Setting) -> Vec<Step> {
        let step = |&(subdomain, side): &(usize, Side)| {
            let (_, copy) = self.held(subdomain)?;
            match copy.coming {
                None => copy.readers[side.index()].map(|_| Step::Begin(subdomain, side)),
                Some((at, _)) => (at == side).then_some(Step::Get(subdomain)),
            }
        };
        setting.readers.iter().filter_map(step).collect()
    }

    fn copy_mut(&mut self, subdomain: usize) -> Option<(usize, &mut Copy)> {
        let (rank, _) = self.held(subdomain)?;
        let mut held = self.ranks[rank].held.iter_mut();
        held.find(|copy| copy.subdomain == identify(subdomain)).map(|copy| (rank, copy))
    }

    /// What one rank sees of another's slot; its own as it is.
    fn place(&self, reader: usize, at: Location) -> SlotWords {
        let place = &self.ranks[at.rank.index()].places[at.slot.index()];
        *if at.rank.index() == reader { place.newest() } else { place.seen() }
    }

    /// What one rank sees of another's directory.
    fn word(&self, reader: usize, asked: usize, of: SubdomainId) -> u64 {
        let word = &self.ranks[asked].directory[of.index()];
        *if asked == reader { word.newest() } else { word.seen() }
    }

    /// A reader begins a look, which is to end with the edge as it is.
    pub(super) fn begin(&mut self, subdomain: usize, side: Side) {
        let Some((_, copy)) = self.copy_mut(subdomain) else { return };
        let Some(reader) = &mut copy.readers[side.index()] else { return };
        reader.renew();
        copy.coming = reader.begin().map(|request| (side, request));
    }

    /// What it has asked for comes.
    pub(super) fn get(&mut self, setting: &Setting, subdomain: usize) {
        let Some((rank, copy)) = self.held(subdomain) else { return };
        let Some((side, request)) = copy.coming else { return };
        let Some(mut reader) = copy.readers[side.index()] else { return };
        let around = Around { bounds: setting.bounds, wanted: Wanted::Newest, is_in_memory: false };
        let heard = match request {
            Request::Head(at) => {
                let SlotWords { version, tag, .. } = self.place(rank, at);
                let mut before = reader;
                match reader.hear([version, tag], &around) {
                    // Whoever does not look whose the edge is takes what lies there.
                    Heard::Needs(Request::Entry(_)) if setting.fault == Fault::IgnoresTenant => {
                        let tag = super::rank::tag(reader.neighbour(), at.rank);
                        let heard = before.hear([version, tag], &around);
                        reader = before;
                        heard
                    }
                    heard => heard,
                }
            }
            Request::Entry(asked) => {
                let word = self.word(rank, asked.index(), reader.neighbour());
                reader.hear([word, 0], &around)
            }
            Request::Edge(at, _) => {
                self.accept(setting, &mut reader, self.place(rank, at));
                Heard::Nothing
            }
        };
        let coming = match heard {
            Heard::Needs(request) => Some((side, request)),
            _ => None,
        };
        if let Heard::Found(found, _) = heard {
            self.shorten(setting, rank, reader.neighbour(), found);
        }
        let Some((_, copy)) = self.copy_mut(subdomain) else { return };
        copy.readers[side.index()] = Some(reader);
        copy.coming = coming;
    }

    /// An edge has come, with a label of whose and of which version it is.
    fn accept(&mut self, setting: &Setting, reader: &mut Reader, place: SlotWords) {
        let (Some(wanted), Some(edges)) = (reader.edge(), place.edges) else { return };
        let is_it = edges.subdomain == reader.neighbour() || setting.fault == Fault::IgnoresLabel;
        if is_it && wanted.contains(&edges.version) {
            if edges.subdomain != reader.neighbour() {
                self.broken = Some("the edges of another subdomain were taken for a neighbour's");
            }
            reader.accepted(edges.version);
        }
    }

    /// Tells those who ask this rank for a subdomain next where it is now.
    fn shorten(&mut self, setting: &Setting, reader: usize, of: SubdomainId, found: Location) {
        let own = self.ranks[reader].entry(of, setting.bounds);
        let Location { rank: to, epoch, .. } = found;
        let blind = Some(DirectoryEntry::Left { to, epoch }).filter(|_| to != rank_id(reader));
        let shorter = match setting.fault {
            Fault::ShortensBlindly => blind,
            _ => shortened(rank_id(reader), own, found),
        };
        if let Some(entry) = shorter.filter(|&entry| entry != own) {
            self.write(reader, Write::Entry(of, entry));
        }
    }
}
