//! One rank: its side of both state machines, and the memory that the others reach.

use tresse_core::grid::{Decomposition, Side};
use tresse_core::halo::{Bounds, DirectoryEntry, HaloTag, Location, Reader, Request};
use tresse_core::id::{RankId, SlotId, SubdomainId};
use tresse_core::migration::{FreeSlots, Packet, Receiver, Sender};
use tresse_core::time::Duration;

use super::delayed::Delayed;

/// The edges of a subdomain, all sides and slots in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edges {
    /// Whose.
    pub subdomain: SubdomainId,
    /// Of which version.
    pub version: u64,
}

/// A slot, of which the edges are written first, then the version, then the halo tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SlotWords {
    /// What lies there.
    pub edges: Option<Edges>,
    /// Which version of them is out.
    pub version: u64,
    /// Whose it is.
    pub tag: u64,
}

/// A subdomain that workers sweep. It is swept once wherever it comes, so that its version is also
/// how often it has moved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Copy {
    /// Which.
    pub subdomain: SubdomainId,
    /// Sweeps made.
    pub version: u64,
    /// All its cells.
    pub cells: u64,
    /// One for each neighbour.
    pub readers: [Option<Reader>; 4],
    /// What one of them has asked for.
    pub coming: Option<(Side, Request)>,
}

/// Those of a subdomain whose neighbours are known to be at places.
pub fn readers(
    cut: &Decomposition,
    subdomain: SubdomainId,
    known: [Option<Location>; 4],
) -> [Option<Reader>; 4] {
    Side::ALL.map(|side| {
        let neighbour = cut.neighbour(subdomain, side)?;
        known[side.index()].map(|known| Reader::new(neighbour, known))
    })
}

/// The word that says that a slot on a rank has a subdomain of its own.
pub fn tag(subdomain: SubdomainId, owner: RankId) -> u64 {
    HaloTag { subdomain, owner }.encode()
}

impl Copy {
    /// Where it knows its neighbours to be.
    pub fn neighbours(&self) -> [Option<Location>; 4] {
        self.readers.map(|reader| reader.map(|reader| reader.known()))
    }

    /// The packet: the head, then the cells.
    pub fn pack(&self, epoch: u32) -> Vec<u64> {
        let packet = Packet {
            subdomain: self.subdomain,
            epoch,
            version: self.version,
            residual: 0.0,
            sweep_time: Duration::ZERO,
            neighbours: self.neighbours(),
        };
        packet.encode().into_iter().chain([self.cells]).collect()
    }

    /// What a packet has, swept once.
    pub fn unpack(words: &[u64], bounds: Bounds, cut: &Decomposition) -> Option<Self> {
        let packet = Packet::decode(words, bounds, cut).ok()?;
        Some(Self {
            subdomain: packet.subdomain,
            version: packet.version + 1,
            cells: *words.get(Packet::WORDS)?,
            readers: readers(cut, packet.subdomain, packet.neighbours),
            coming: None,
        })
    }
}

/// One rank.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    /// Its name.
    pub own: RankId,
    /// What its workers sweep, by identity.
    pub held: Vec<Copy>,
    /// What was let go and packed.
    pub frozen: Option<Copy>,
    /// The packet; the others see it before the offer.
    pub outbox: Vec<u64>,
    /// A packet that has come and is not installed.
    pub fetched: Vec<u64>,
    /// Sending.
    pub sender: Sender,
    /// Receiving.
    pub receiver: Receiver,
    /// The last offer of each rank that was taken or refused.
    pub handled: Vec<u32>,
    /// Which slots are free.
    pub slots: FreeSlots<Vec<bool>>,
    /// What lies in them.
    pub places: Vec<Delayed<SlotWords>>,
    /// One word a subdomain.
    pub directory: Vec<Delayed<u64>>,
    /// From each rank. That it comes late is no more than that its reader is slow.
    pub mailbox: Vec<u64>,
    /// From each rank.
    pub answers: Vec<u64>,
}

impl Rank {
    /// A rank without subdomains.
    pub fn new(own: RankId, bounds: Bounds) -> Self {
        let [subdomains, ranks, slots] =
            [bounds.subdomains, bounds.ranks, bounds.slots].map(|number| number as usize);
        Self {
            own,
            held: Vec::new(),
            frozen: None,
            outbox: Vec::new(),
            fetched: Vec::new(),
            sender: Sender::new(own, bounds),
            receiver: Receiver::new(own, bounds),
            handled: vec![0; ranks],
            slots: FreeSlots::new(vec![false; slots], 0),
            places: vec![Delayed::new(SlotWords { edges: None, version: 0, tag: 0 }); slots],
            directory: vec![Delayed::new(0); subdomains],
            mailbox: vec![0; ranks],
            answers: vec![0; ranks],
        }
    }

    /// Gives a subdomain to the workers.
    pub fn hold(&mut self, copy: Copy) {
        let place = self.held.partition_point(|other| other.subdomain < copy.subdomain);
        self.held.insert(place, copy);
    }

    /// Takes a subdomain from its worker, who stops whatever it is at with it.
    pub fn let_go(&mut self, subdomain: SubdomainId) -> Option<Copy> {
        let place = self.held.iter().position(|copy| copy.subdomain == subdomain)?;
        let copy = self.held.remove(place);
        let readers =
            copy.readers.map(|reader| reader.map(|it| Reader::new(it.neighbour(), it.known())));
        Some(Copy { readers, coming: None, ..copy })
    }

    /// What this rank says of a subdomain.
    pub fn entry(&self, subdomain: SubdomainId, bounds: Bounds) -> DirectoryEntry {
        let word = self.directory.get(subdomain.index()).map_or(0, |word| *word.newest());
        DirectoryEntry::decode(word, bounds)
    }

    /// Puts edges into a slot, and then their version, under the halo tag that is there.
    pub fn put_edges(&mut self, slot: SlotId, edges: Edges) {
        let place = &mut self.places[slot.index()];
        place.write(SlotWords { edges: Some(edges), ..*place.newest() });
        place.write(SlotWords { version: edges.version, ..*place.newest() });
    }

    /// Writes the halo tag of a slot; edges that were put there before are seen before.
    pub fn put_tag(&mut self, slot: SlotId, tag: HaloTag) {
        let place = &mut self.places[slot.index()];
        place.write(SlotWords { tag: tag.encode(), ..*place.newest() });
    }
}
