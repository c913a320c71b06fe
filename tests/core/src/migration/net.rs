//! The transport of the model: what is got comes when a step says so, as it is then, or mangled.

use std::cell::RefCell;
use std::convert::Infallible;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tresse_core::base::unit::Unit;

use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::parts::halo::{
    Bounds, BufferFormat, DirectoryEntry, EDGE_BUFFERS, HaloTag, Head, LABEL_WORDS, Publication,
};
use tresse_core::ranks::migration::{Answer, Offer, Packet};
use tresse_core::ranks::{CellsAt, Place, RankRecord, RecordWords, Transport};

use super::delayed::Delayed;
use super::graph::LINKS;
use super::system::{Fault, Setting, rank_id};

/// The edges of a subdomain, all sides and slots in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edges {
    /// Subdomain that the edges are of.
    pub subdomain: SubdomainId,
    /// Version of the edges.
    pub version: u64,
}

/// Returns the value of a subdomain's cells in these tests.
pub fn cell_of(subdomain: SubdomainId) -> f32 {
    f32::from(u16::try_from(subdomain.0).unwrap_or(u16::MAX))
}

impl Edges {
    /// Returns the buffer of an edge of so many units, as the shipped publication writes it with a
    /// label of its own.
    fn labelled_as(self, label: Self, units: u32) -> Vec<AtomicU32> {
        let words = LABEL_WORDS + units as usize;
        let edge: Vec<_> = (0..EDGE_BUFFERS * words).map(|_| f32::shared_zero()).collect();
        let head = Head::new();
        let edges = [edge.as_slice()];
        let publication = Publication::with_format(BufferFormat::Labelled, head.words(), edges);
        publication.vacate(label.subdomain, label.version);
        publication.publish_again([true], |_, edge| {
            edge.exactly(units).write((0..units).map(|_| cell_of(self.subdomain)));
        });
        let place = usize::try_from(label.version).unwrap_or(0) % EDGE_BUFFERS * words;
        edge.into_iter().skip(place).take(words).collect()
    }
}

/// A slot, of which the edges are written first, then the version, then the halo tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlotWords {
    /// Edges in the slot.
    pub edges: Option<Edges>,
    /// Version of the edges that is out.
    pub version: u64,
    /// Halo tag, which names the subdomain.
    pub tag: u64,
}

/// The packet of a rank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outbox {
    /// Head of the packet.
    pub head: Vec<u64>,
    /// Label and cells of the packet.
    pub cells: Vec<u32>,
}

/// The memory of one rank that the others reach.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Memory {
    /// Words of the rank's slots.
    pub slots: Vec<Delayed<SlotWords>>,
    /// Directory, with one word for each subdomain.
    pub directory: Vec<Delayed<u64>>,
    /// Offers from each rank. A late offer is no more than a slow reader.
    pub mailbox: Vec<u64>,
    /// Answers from each rank.
    pub answers: Vec<u64>,
    /// The packet; the others see it before the offer, unless it is mangled.
    pub outbox: Outbox,
    /// The packet before.
    pub before: Outbox,
    /// The record of the rank's progress.
    pub record: RecordWords,
    /// Last command of the first rank that has come.
    pub command: u64,
    /// Commands that were put and have not come; they come in any order.
    pub commands: Vec<u64>,
    /// Last version for which the first rank has asked, as far as that has come.
    pub asked: u64,
    /// Words with which it has asked and that have not come; they come in any order.
    pub asking: Vec<u64>,
}

impl Memory {
    /// Returns empty memory.
    pub fn new(bounds: Bounds) -> Self {
        let [subdomains, ranks, slots] =
            [bounds.subdomains, bounds.ranks, bounds.slots].map(|number| number as usize);
        Self {
            slots: vec![Delayed::new(SlotWords::default()); slots],
            directory: vec![Delayed::new(0); subdomains],
            mailbox: vec![0; ranks],
            answers: vec![0; ranks],
            outbox: Outbox::default(),
            before: Outbox::default(),
            record: [0; RankRecord::USED],
            command: 0,
            commands: Vec::new(),
            asked: 0,
            asking: Vec::new(),
        }
    }

    /// Returns this rank's directory entry of a subdomain.
    pub fn entry(&self, subdomain: SubdomainId, bounds: Bounds) -> DirectoryEntry {
        let word = self.directory.get(subdomain.index()).map_or(0, |word| *word.newest());
        DirectoryEntry::decode(word, bounds)
    }

    /// Puts edges into a slot, and then their version, under the halo tag that is there.
    pub fn put_edges(&mut self, slot: SlotId, edges: Edges) {
        let place = &mut self.slots[slot.index()];
        place.write(SlotWords { edges: Some(edges), ..*place.newest() });
        place.write(SlotWords { version: edges.version, ..*place.newest() });
    }

    /// Writes the halo tag of a slot; edges that were put there before are seen before.
    pub fn put_tag(&mut self, slot: SlotId, tag: HaloTag) {
        let place = &mut self.slots[slot.index()];
        place.write(SlotWords { tag: tag.encode(), ..*place.newest() });
    }
}

/// Faults of a packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mangled {
    /// The packet comes as the one before.
    Stale,
    /// The last word of the packet is missing.
    Cut,
    /// A bit of the packet's last word is flipped.
    Flipped,
}

/// The words that come while a step is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comes {
    /// No words.
    Nothing,
    /// The halo tag of a head, or its version.
    Half(bool),
    /// All words that were asked for.
    Whole,
    /// A packet, or its cells.
    Mangled(Mangled),
    /// The words of a rank's record from one on, as they are now; they are still on their way.
    Read(usize, usize),
    /// The words of a rank's record as they were read.
    Record(usize),
}

/// One of the two words of a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The version.
    Version(u64),
    /// The halo tag.
    Tag(u64),
}

/// Words that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WordsAsked {
    /// Rank that was asked.
    pub rank: usize,
    /// Place of the words.
    pub place: Place,
    /// The word of a head that has come before the other one.
    pub half: Option<Half>,
    /// The words of a record, as they were when they were read.
    pub read: Option<RecordWords>,
}

/// Words that have come, which nobody changes.
#[derive(Debug)]
pub struct Copied(Vec<AtomicU64>);

impl Copied {
    fn values(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|word| word.load(Ordering::Relaxed))
    }
}

impl AsRef<[AtomicU64]> for Copied {
    fn as_ref(&self) -> &[AtomicU64] {
        &self.0
    }
}

impl Clone for Copied {
    fn clone(&self) -> Self {
        Self(self.values().map(AtomicU64::new).collect())
    }
}

impl PartialEq for Copied {
    fn eq(&self, other: &Self) -> bool {
        self.values().eq(other.values())
    }
}

impl Eq for Copied {}

impl Hash for Copied {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values().for_each(|value| value.hash(state));
    }
}

/// One rank's transport, during one step.
pub struct Net<'a> {
    /// Setting, which does not change.
    pub setting: &'a Setting,
    /// Number of the rank.
    pub own: usize,
    /// Memory of all ranks.
    pub memories: &'a RefCell<Vec<Memory>>,
    /// Words that come during the step.
    pub comes: Comes,
    /// Whether the step is one of the receiver.
    pub receives: bool,
    /// Whose edge the step is about.
    pub neighbour: Option<SubdomainId>,
}

impl Net<'_> {
    /// Returns the value of a word that this rank sees: of another's word, or of its own as it is.
    fn sees<T: Clone>(&self, rank: usize, word: &Delayed<T>) -> T {
        if rank == self.own { word.newest() } else { word.seen() }.clone()
    }

    fn slot(&self, rank: usize, slot: SlotId) -> SlotWords {
        self.sees(rank, &self.memories.borrow()[rank].slots[slot.index()])
    }

    fn head(&self, WordsAsked { rank, half, .. }: WordsAsked, slot: SlotId) -> [u64; 2] {
        let SlotWords { version, tag, .. } = self.slot(rank, slot);
        let tag = match self.neighbour {
            // Whoever does not look whose the edge is takes what lies there.
            Some(subdomain) if self.setting.fault == Fault::IgnoresTenant => {
                HaloTag { subdomain, owner: rank_id(rank) }.encode()
            }
            _ => tag,
        };
        match half {
            None => [version, tag],
            Some(Half::Version(version)) => [version, tag],
            Some(Half::Tag(tag)) => [version, tag],
        }
    }

    fn entry(&self, rank: usize, of: SubdomainId) -> u64 {
        self.sees(rank, &self.memories.borrow()[rank].directory[of.index()])
    }

    fn packet(&self, rank: usize) -> Vec<u64> {
        let memory = &self.memories.borrow()[rank];
        let mut head = memory.outbox.head.clone();
        match self.comes {
            Comes::Mangled(Mangled::Stale) => head.clone_from(&memory.before.head),
            Comes::Mangled(Mangled::Cut) => head.truncate(Packet::<LINKS>::WORDS - 1),
            Comes::Mangled(Mangled::Flipped) => head[1] ^= 1,
            Comes::Nothing | Comes::Half(_) | Comes::Whole | Comes::Read(..) | Comes::Record(_) => {
            }
        }
        head
    }

    fn outbox(&self, rank: usize) -> Vec<u32> {
        let memory = &self.memories.borrow()[rank];
        let mut cells = memory.outbox.cells.clone();
        match (self.comes, cells.last_mut()) {
            (Comes::Mangled(Mangled::Stale), _) => cells.clone_from(&memory.before.cells),
            (Comes::Mangled(Mangled::Cut), _) => drop(cells.pop()),
            (Comes::Mangled(Mangled::Flipped), Some(last)) => *last ^= 1,
            _ => {}
        }
        cells
    }

    fn edge(&self, rank: usize, (slot, version, units): (SlotId, u64, u32)) -> Vec<AtomicU32> {
        let Some(edges) = self.slot(rank, slot).edges else { return Vec::new() };
        let label = match self.setting.fault {
            // Whoever does not look at the label takes what lies there for what it wants.
            Fault::IgnoresLabel => Edges {
                subdomain: self.neighbour.unwrap_or(edges.subdomain),
                version: version.max(edges.version),
            },
            _ => edges,
        };
        edges.labelled_as(label, units)
    }
}

impl Net<'_> {
    /// Reads the words of a record where the step says so; returns them where they come now.
    fn record(&self, asked: &mut WordsAsked) -> Option<Vec<u64>> {
        match self.comes {
            Comes::Read(rank, first) if rank == asked.rank => {
                let now = self.memories.borrow()[rank].record;
                asked.read.get_or_insert(now)[first..].copy_from_slice(&now[first..]);
                None
            }
            Comes::Record(rank) if rank == asked.rank => asked.read.map(|read| read.to_vec()),
            _ => None,
        }
    }
}

impl Transport for Net<'_> {
    type Unit = f32;
    type Words = Copied;
    type Cells = Vec<AtomicU32>;
    type WordsComing = WordsAsked;
    type CellsComing = (usize, CellsAt);
    type Error = Infallible;

    fn own(&self) -> RankId {
        rank_id(self.own)
    }

    fn bounds(&self) -> Bounds {
        self.setting.bounds
    }

    fn is_in_memory(&self, _: RankId) -> bool {
        false
    }

    fn load(&self, place: Place) -> u64 {
        let own = &self.memories.borrow()[self.own];
        match place {
            Place::Entry(_) if self.receives && self.setting.fault == Fault::Overwrites => 0,
            Place::Entry(id) => *own.directory[id.index()].newest(),
            Place::Mailbox(from) => own.mailbox[from.index()],
            Place::Answer(from) => own.answers[from.index()],
            Place::Head(slot) => own.slots[slot.index()].newest().version,
            Place::Packet => own.outbox.head.first().copied().unwrap_or(0),
            Place::Command => own.command,
            Place::Asked => own.asked,
            Place::Record | Place::Overview => 0,
        }
    }

    fn publish(&mut self, record: &RecordWords) {
        self.memories.borrow_mut()[self.own].record = *record;
    }

    fn put(&mut self, rank: RankId, place: Place, word: u64) -> Result<(), Infallible> {
        let mut memories = self.memories.borrow_mut();
        let own = self.own;
        match place {
            Place::Entry(id) => memories[rank.index()].directory[id.index()].write(word),
            Place::Answer(from) => memories[rank.index()].answers[from.index()] = word,
            Place::Mailbox(from) => {
                memories[rank.index()].mailbox[from.index()] = word;
                let bounds = self.setting.bounds;
                let offer = Offer::decode(word, bounds);
                let id = offer.map_or(SubdomainId(0), |offer| offer.subdomain);
                let entry = memories[own].entry(id, bounds);
                if let (Fault::ForwardsEarly, DirectoryEntry::Here { slot, epoch }) =
                    (self.setting.fault, entry)
                {
                    let left = DirectoryEntry::Left { to: rank, epoch: epoch + 1 };
                    memories[own].directory[id.index()].write(left.encode());
                    memories[own].put_tag(slot, HaloTag { subdomain: id, owner: rank });
                }
            }
            Place::Command => memories[rank.index()].commands.push(word),
            Place::Asked => memories[rank.index()].asking.push(word),
            Place::Head(_) | Place::Packet | Place::Record | Place::Overview => {}
        }
        Ok(())
    }

    fn get(&mut self, rank: RankId, place: Place) -> Result<WordsAsked, Infallible> {
        let from = rank.index();
        if place == Place::Packet && self.setting.fault == Fault::AnswersEarly {
            let mut memories = self.memories.borrow_mut();
            let offer = Offer::decode(memories[self.own].mailbox[from], self.setting.bounds);
            let sequence = offer.map_or(0, |offer| offer.sequence);
            let answer = Answer { sequence, accepted: true };
            memories[from].answers[self.own] = answer.encode();
        }
        Ok(WordsAsked { rank: from, place, half: None, read: None })
    }

    fn get_cells(&mut self, rank: RankId, cells: CellsAt) -> Result<(usize, CellsAt), Infallible> {
        Ok((rank.index(), cells))
    }

    fn poll(&mut self, mut asked: WordsAsked) -> Result<Result<Copied, WordsAsked>, Infallible> {
        let words = match (self.comes, asked.place) {
            (_, Place::Record | Place::Overview) => match self.record(&mut asked) {
                Some(words) => words,
                None => return Ok(Err(asked)),
            },
            (Comes::Nothing | Comes::Read(..) | Comes::Record(_), _) => return Ok(Err(asked)),
            (Comes::Half(is_tag), Place::Head(slot)) => {
                let [version, tag] = self.head(asked, slot);
                let half = Some(if is_tag { Half::Tag(tag) } else { Half::Version(version) });
                return Ok(Err(WordsAsked { half, ..asked }));
            }
            (_, Place::Head(slot)) => self.head(asked, slot).to_vec(),
            (_, Place::Entry(of)) => vec![self.entry(asked.rank, of)],
            (_, Place::Packet) => self.packet(asked.rank),
            _ => Vec::new(),
        };
        Ok(Ok(Copied(words.into_iter().map(AtomicU64::new).collect())))
    }

    fn poll_cells(
        &mut self,
        (rank, cells): (usize, CellsAt),
    ) -> Result<Result<Vec<AtomicU32>, (usize, CellsAt)>, Infallible> {
        if matches!(self.comes, Comes::Nothing | Comes::Read(..) | Comes::Record(_)) {
            return Ok(Err((rank, cells)));
        }
        Ok(Ok(match cells {
            CellsAt::Edge { slot, version, units, .. } => self.edge(rank, (slot, version, units)),
            CellsAt::Outbox(_) => self.outbox(rank).into_iter().map(AtomicU32::new).collect(),
        }))
    }

    fn forget(&mut self, _: WordsAsked) {}

    fn forget_cells(&mut self, _: (usize, CellsAt)) {}
}
