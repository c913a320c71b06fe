//! A rank: its workers and cells, as the shipped moves use them.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tresse_core::base::unit::Unit;

use tresse_core::balance::Mean;
use tresse_core::balance::dplb::Transfer;
use tresse_core::base::id::{SlotId, SubdomainId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::parts::Graph;
use tresse_core::parts::halo::{HaloTag, LABEL_WORDS, Location, Reader};
use tresse_core::ranks::migration::{Arrival, Departure, Packet, PacketError, pack};
use tresse_core::ranks::{
    self, GhostView, GhostViews, Home, LinkOf, LinksOf, MovingOf, Seen, SeenOf, ViewOf,
};
use tresse_core::run::{Mode, NodeRule};

use super::graph::{LINKS, Parts};
use super::net::{Edges, Memory, Net, Outbox, cell_of};
use super::system::{Fault, Setting, rank_id};

/// A subdomain that workers sweep. It is swept once wherever it comes, so that its version is also
/// how often it has moved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// Number of the subdomain.
    pub subdomain: SubdomainId,
    /// Sweeps made.
    pub version: u64,
    /// All its cells, by their bits.
    pub cells: Vec<u32>,
}

/// The subdomains of a rank's workers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct House {
    /// Subdomains that the workers sweep, by number.
    pub held: Vec<Copy>,
    /// Subdomain that was released, until it is known to be another rank's.
    pub frozen: Option<Copy>,
    /// Whether the worker of what is to leave lets it go.
    pub lets_go: bool,
    /// Whether it is packed.
    pub is_packed: bool,
    /// Whether a subdomain was ever packed that had read what its rank did not know to be out.
    pub packs_early: bool,
    /// Slot of each subdomain.
    pub table: Vec<Option<usize>>,
    /// Packets that were refused.
    pub refused: u32,
}

/// The ghost views of a rank's workers: whether any was ever another subdomain's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CheckedViews {
    /// Whether a neighbour's edge had the cells of another subdomain.
    pub is_false: bool,
}

impl GhostViews<f32> for CheckedViews {
    fn show(&mut self, _: usize, view: GhostView<'_, f32>) -> bool {
        if let GhostView::Edge(neighbour, _, cells) = view {
            let mut values = cells.iter().map(|cell| f32::load(cell).to_bits());
            self.is_false |= !values.all(|value| value == cell_of(neighbour).to_bits());
        }
        false
    }
}

/// The shipped links of a rank.
pub type RankLinks =
    LinksOf<Net<'static>, Parts, CheckedViews, Vec<Option<LinkOf<Net<'static>>>>, LINKS>;
/// The shipped moves of a rank.
pub type RankMoves = MovingOf<Net<'static>, Parts, Vec<u32>, Vec<bool>, LINKS>;

/// The shipped view of a rank.
pub type RankView = ViewOf<Net<'static>, Vec<SeenOf<Net<'static>>>, Vec<Mean>>;
/// The shipped rank.
pub type RankOf = ranks::Rank<RankLinks, RankMoves, RankView>;

/// One rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    /// Subdomains of the rank's workers.
    pub house: House,
    /// The shipped rank: its links, its moves, and its view of the others.
    pub shipped: RankOf,
}

impl Rank {
    /// Returns a rank whose first slots have these subdomains.
    pub fn new(setting: &Setting, own: usize, here: &[SubdomainId]) -> Self {
        let bounds = setting.bounds;
        let [subdomains, ranks, slots] =
            [bounds.subdomains, bounds.ranks, bounds.slots].map(|number| number as usize);
        let mut table = vec![None; subdomains];
        let copies = here.iter().enumerate().map(|(slot, &subdomain)| {
            table[subdomain.index()] = Some(slot);
            let size = setting.graph.cells(setting.graph.size(subdomain));
            let number = usize::try_from(size).unwrap_or(0);
            Copy { subdomain, version: 0, cells: vec![cell_of(subdomain).to_bits(); number] }
        });
        let held = copies.collect();
        let (handled, taken) = (vec![0; ranks], vec![false; slots]);
        let by_place = vec![None; slots * LINKS];
        Self {
            house: House {
                held,
                frozen: None,
                lets_go: false,
                is_packed: false,
                packs_early: false,
                table,
                refused: 0,
            },
            shipped: RankOf {
                moves: RankMoves::new(
                    rank_id(own),
                    bounds,
                    setting.graph,
                    handled,
                    taken,
                    here.len(),
                ),
                links: RankLinks::new(
                    setting.graph,
                    Mode::Async,
                    CheckedViews::default(),
                    by_place,
                ),
                view: RankView::new(
                    rank_id(own),
                    NodeRule::Settled,
                    (0..ranks).map(|_| Seen::nothing()).collect(),
                    vec![Mean::default(); ranks],
                ),
            },
        }
    }

    /// Returns all its readers.
    pub fn readers(&self) -> impl Iterator<Item = &Reader> {
        self.shipped.links.links().map(|link| &link.reader)
    }

    /// Returns the place of the neighbour on a link of a subdomain that lies here.
    pub fn place(&self, subdomain: usize, link: usize) -> Option<usize> {
        let slot = self.house.table.get(subdomain).copied().flatten()?;
        Some(RankLinks::place(slot, link))
    }
}

impl House {
    /// Gives a subdomain to the workers.
    fn hold(&mut self, copy: Copy) {
        let place = self.held.partition_point(|other| other.subdomain < copy.subdomain);
        self.held.insert(place, copy);
    }
}

/// A rank's workers and its memory, during one step.
pub struct AtHome<'a> {
    /// Setting, which does not change.
    pub setting: &'a Setting,
    /// Number of the rank.
    pub own: usize,
    /// Subdomains of the rank's workers.
    pub house: &'a mut House,
    /// Memory of all ranks.
    pub memories: &'a RefCell<Vec<Memory>>,
}

impl Home<f32, LINKS> for AtHome<'_> {
    fn release(&mut self, _: SubdomainId) -> bool {
        self.house.lets_go = self.setting.is_swift;
        true
    }

    fn take(&mut self, id: SubdomainId) -> bool {
        let place = self.house.held.iter().position(|copy| copy.subdomain == id);
        let Some(place) = place.filter(|_| self.house.lets_go) else { return false };
        self.house.frozen = Some(self.house.held.remove(place));
        true
    }

    fn pack(
        &mut self,
        departure: Departure,
        neighbours: [Option<Location>; LINKS],
        sequence: u32,
    ) -> bool {
        let Some(copy) = &self.house.frozen else { return false };
        let packet = Packet {
            subdomain: copy.subdomain,
            epoch: departure.epoch - 1,
            version: copy.version,
            residual: 0,
            sweep_time: Duration::ZERO,
            units: copy.cells.len() as u64,
            neighbours,
        };
        let head: Vec<_> = (0..Packet::<LINKS>::WORDS).map(|_| AtomicU64::new(0)).collect();
        let cells = vec![0; copy.cells.len() + LABEL_WORDS];
        let cells: Vec<_> = cells.into_iter().map(AtomicU32::new).collect();
        let values = copy.cells.iter().map(|bits| f32::from_bits(*bits));
        pack(&head, &cells, &packet, sequence, values);
        let head = head.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let cells = cells.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        let memory = &mut self.memories.borrow_mut()[self.own];
        let before = std::mem::replace(&mut memory.outbox, Outbox { head, cells });
        if self.setting.mangles {
            memory.before = before;
        }
        self.house.is_packed = true;
        true
    }

    fn install(&mut self, slot: SlotId, packet: &Packet<LINKS>, cells: &[AtomicU32]) -> bool {
        let cells = cells.iter().map(|cell| cell.load(Ordering::Relaxed)).collect();
        let (subdomain, version) = (packet.subdomain, packet.version + 1);
        self.house.hold(Copy { subdomain, version, cells });
        let memory = &mut self.memories.borrow_mut()[self.own];
        if self.setting.fault == Fault::TagFirst {
            memory.put_tag(slot, HaloTag { subdomain, owner: rank_id(self.own) });
        }
        memory.put_edges(slot, Edges { subdomain, version });
        true
    }

    fn admit(&mut self, slot: SlotId, tag: HaloTag) {
        self.memories.borrow_mut()[self.own].put_tag(slot, tag);
    }

    fn place(&mut self, id: SubdomainId, slot: Option<SlotId>) {
        self.house.table[id.index()] = slot.map(SlotId::index);
        if slot.is_none() {
            self.house.frozen = None;
            self.end();
        }
    }

    fn slot(&self, id: SubdomainId) -> Option<usize> {
        self.house.table[id.index()]
    }

    fn give(&mut self, id: SubdomainId) {
        // What has landed is held already; else it was refused elsewhere.
        let is_held = self.house.held.iter().any(|copy| copy.subdomain == id);
        if let Some(frozen) = self.house.frozen.take_if(|frozen| !is_held && frozen.subdomain == id)
        {
            self.house.hold(frozen);
            self.end();
        }
    }

    fn updates(&self, id: SubdomainId) -> Option<u64> {
        let mut copies = self.house.held.iter().chain(&self.house.frozen);
        copies.find(|copy| copy.subdomain == id).map(|copy| copy.version)
    }

    // Steps say what moves.
    fn chooses_at(&self) -> Instant {
        Instant::NEVER
    }

    fn choose(&mut self, _: Instant, _: &[Mean]) -> Option<Transfer> {
        None
    }

    fn arrived(&mut self) {}

    fn refused(&mut self, _: Arrival, _: PacketError) {
        self.house.refused += u32::from(self.setting.mangles);
    }
}

impl AtHome<'_> {
    /// Notes that the transfer of the sent subdomain has ended.
    fn end(&mut self) {
        (self.house.lets_go, self.house.is_packed) = (false, false);
        if !self.setting.mangles {
            // Nobody reads it any more: fewer states.
            self.memories.borrow_mut()[self.own].outbox = Outbox::default();
        }
    }
}
