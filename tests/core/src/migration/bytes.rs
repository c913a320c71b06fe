//! Words as any rank could write them, from bytes: whatever they say, every search ends, nothing is
//! found that no directory has, and both state machines keep their rules.

use std::collections::BTreeSet;

use tresse_core::balance::dplb::Transfer;
use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::base::time::Duration;
use tresse_core::field::grid::Decomposition;
use tresse_core::parts::halo::{
    Bounds, DirectoryEntry, HaloTag, Location, Met, Search, SearchStep, shortened,
};
use tresse_core::ranks::migration::{
    FreeSlots, Look, Packet, Receiver, SendOutcome, Sender, Write,
};
use tresse_core::run::{Balance, GridSize, Mode};

use crate::configurations::{config, iterations};

/// Bytes, then zeros.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn up_to(&mut self, most: u32) -> u32 {
        u32::from(self.byte()) % (most + 1)
    }

    /// Any word, or one whose halves are small, or one with a small epoch, a kind and a small
    /// place.
    fn word(&mut self) -> u64 {
        let kind = self.up_to(3);
        match kind {
            0 => (0..8).fold(0, |word, _| word << 8 | u64::from(self.byte())),
            1 => u64::from(self.byte()) << 32 | u64::from(self.byte()),
            kind => {
                u64::from(self.byte()) << 32
                    | u64::from(kind - 1) << 30
                    | u64::from(self.byte() % 8)
            }
        }
    }
}

/// Makes of the bytes what they say.
///
/// # Errors
/// What is wrong.
pub fn run(bytes: &[u8]) -> Result<(), String> {
    let mut bytes = Bytes(bytes);
    let (subdomains, ranks, slots) = (1 + bytes.up_to(7), 1 + bytes.up_to(4), 1 + bytes.up_to(3));
    let bounds = Bounds { subdomains, ranks, slots };
    search(&mut bytes, bounds)?;
    packet(&mut bytes, bounds)?;
    machines(&mut bytes, bounds)
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// A search among directories of which each has another opinion.
fn search(bytes: &mut Bytes<'_>, bounds: Bounds) -> Result<(), String> {
    let epoch = u32::from(bytes.byte()) * u32::from(bytes.byte());
    let rank = RankId(bytes.up_to(bounds.ranks - 1));
    let known = Location { rank, slot: SlotId(bytes.up_to(bounds.slots - 1)), epoch };
    let met = Met::of(HaloTag::decode(bytes.word(), bounds), SubdomainId(0), rank);
    let Some(mut search) = Search::new(known, met, bounds) else {
        return ensure(met == Met::Here, || "no search for what is not there".into());
    };
    for asked in 0.. {
        ensure(asked <= bounds.ranks, || "the search goes on".into())?;
        ensure(search.rank().0 < bounds.ranks, || format!("asks {:?}", search.rank()))?;
        // Words may change while they are read.
        let word = bytes.word();
        let entry = DirectoryEntry::decode(word, bounds);
        match search.read(entry) {
            SearchStep::Next(rank) => ensure(rank == search.rank(), || "goes elsewhere".into())?,
            SearchStep::Retry => break,
            SearchStep::Found(found) => {
                let Location { rank, slot, epoch } = found;
                let said = u64::from(epoch) << 32 | 1 << 30 | u64::from(slot.0);
                ensure(word == said && slot.0 < bounds.slots, || {
                    format!("{word:x} does not say {found:?}")
                })?;
                ensure(rank == search.rank() && epoch >= known.epoch, || {
                    format!("{found:?} after {known:?}")
                })?;
                let own = RankId(bytes.up_to(bounds.ranks - 1));
                if let Some(shorter) =
                    shortened(own, DirectoryEntry::decode(bytes.word(), bounds), found)
                {
                    let expected = DirectoryEntry::Left { to: rank, epoch };
                    ensure(shorter == expected && rank != own, || format!("{shorter:?}"))?;
                }
                break;
            }
        }
    }
    ensure(search.hops() <= bounds.ranks, || format!("{} forwards", search.hops()))
}

fn cut(subdomains: u32) -> Result<Decomposition, String> {
    let grid = GridSize { rows: 16, columns: 16 };
    let config = config(grid, (1, subdomains), (Mode::Async, Balance::None), iterations(1));
    Decomposition::new(&config).map_err(|error| error.to_string())
}

/// Checks that a packet that is read is written as the same words.
fn packet(bytes: &mut Bytes<'_>, bounds: Bounds) -> Result<(), String> {
    let cut = cut(bounds.subdomains)?;
    let length = usize::from(bytes.byte()) % 16;
    let words: Vec<u64> = (0..length).map(|_| bytes.word()).collect();
    let Ok(packet) = Packet::<4>::decode(words.iter().copied(), bounds, &cut) else {
        return Ok(());
    };
    ensure(packet.encode().eq(words.iter().copied().take(Packet::<4>::WORDS)), || {
        format!("{packet:?} of {words:?}")
    })?;
    let places = packet.neighbours.into_iter().flatten();
    let mut exist = places.map(|at| at.rank.0 < bounds.ranks && at.slot.0 < bounds.slots);
    ensure(exist.all(|exists| exists), || format!("{packet:?} names what there is not"))
}

/// A sender and a receiver that are told anything, in any order.
fn machines(bytes: &mut Bytes<'_>, bounds: Bounds) -> Result<(), String> {
    let mut contribution = Contribution::new(RankId(bytes.up_to(bounds.ranks - 1)), bounds);
    while !bytes.0.is_empty() {
        let from = RankId(bytes.up_to(bounds.ranks));
        match bytes.up_to(6) {
            0 => contribution.send(bytes, from)?,
            1 => {
                let offer = contribution.sender.let_go();
                let is_idle = offer.is_none() || contribution.sender.cancel().is_none();
                ensure(is_idle, || "what is offered is taken back".into())?;
            }
            2 => contribution.answered(bytes, from)?,
            3 => contribution.look(bytes, from)?,
            4 => contribution.fetched(bytes)?,
            5 => contribution.installed()?,
            _ => {
                let arrival = contribution.receiver.arrival();
                let refusal = contribution.receiver.refuse(&mut contribution.slots);
                ensure(refusal.is_some() == arrival.is_some(), || format!("{refusal:?}"))?;
                arrival.map(|arrival| contribution.taken.remove(&arrival.slot));
            }
        }
        let free = bounds.slots as usize - contribution.taken.len();
        ensure(contribution.slots.free() == free, || format!("not {free} slots are free"))?;
    }
    Ok(())
}

/// A sender and a receiver, with what they have been told.
struct Contribution {
    own: RankId,
    bounds: Bounds,
    sender: Sender,
    receiver: Receiver,
    last: Vec<u32>,
    slots: FreeSlots<Vec<bool>>,
    taken: BTreeSet<SlotId>,
    handled: BTreeSet<(RankId, u64)>,
}

impl Contribution {
    fn new(own: RankId, bounds: Bounds) -> Self {
        Self {
            own,
            bounds,
            sender: Sender::new(own, bounds),
            receiver: Receiver::new(own, bounds),
            last: vec![0; bounds.ranks as usize],
            slots: FreeSlots::new(vec![false; bounds.slots as usize], 0),
            taken: BTreeSet::new(),
            handled: BTreeSet::new(),
        }
    }

    fn send(&mut self, bytes: &mut Bytes<'_>, to: RankId) -> Result<(), String> {
        let Self { own, bounds, .. } = *self;
        let subdomain = SubdomainId(bytes.up_to(bounds.subdomains));
        let (before, transfer) = (self.sender.clone(), Transfer { subdomain, from: own, to });
        let begins = self.sender.send(transfer, DirectoryEntry::decode(bytes.word(), bounds));
        let may = before.is_idle() && to != own && to.0 < bounds.ranks;
        ensure(!begins || may, || format!("{transfer:?} from {before:?}"))?;
        ensure(begins || before == self.sender, || "it began, and says that it did not".into())
    }

    fn answered(&mut self, bytes: &mut Bytes<'_>, from: RankId) -> Result<(), String> {
        let before = self.sender.clone();
        let Some(outcome) = self.sender.answered(from, bytes.word()) else {
            return ensure(self.sender == before, || format!("{before:?} has changed"));
        };
        let was = before.departure().map(|departure| departure.transfer);
        let now = match outcome {
            SendOutcome::Accepted(departure) => departure.transfer,
            SendOutcome::Refused(transfer) => transfer,
        };
        ensure(was == Some(now) && now.to == from, || format!("{outcome:?}"))
    }

    fn look(&mut self, bytes: &mut Bytes<'_>, from: RankId) -> Result<(), String> {
        let (word, entry) = (bytes.word(), DirectoryEntry::decode(bytes.word(), self.bounds));
        let mut nobody = 0;
        let last = self.last.get_mut(from.index()).unwrap_or(&mut nobody);
        match self.receiver.look(from, word, last, |_| entry, &mut self.slots) {
            Look::Nothing => return Ok(()),
            Look::Refuse(_) => ensure(self.slots.free() == 0, || "there was room".into())?,
            Look::Fetch(arrival) => {
                ensure(self.taken.insert(arrival.slot), || format!("{arrival:?}, taken"))?;
            }
        }
        ensure(self.handled.insert((from, word)), || format!("{word:x} is handled twice"))
    }

    fn fetched(&mut self, bytes: &mut Bytes<'_>) -> Result<(), String> {
        let arrival = self.receiver.arrival();
        let subdomain = arrival.map_or(SubdomainId(0), |arrival| arrival.subdomain);
        let packet = Packet {
            subdomain: SubdomainId(subdomain.0 + bytes.up_to(1)),
            epoch: if bytes.byte() == 0 { u32::MAX } else { bytes.up_to(9) },
            version: 0,
            residual: f64::NAN.to_bits(),
            sweep_time: Duration::ZERO,
            units: 0,
            neighbours: [None; 4],
        };
        let is_good =
            self.receiver.fetched(&packet, DirectoryEntry::decode(bytes.word(), self.bounds));
        let is_offered = arrival.is_some() && packet.subdomain == subdomain;
        ensure(!is_good || is_offered, || format!("{packet:?} for {arrival:?}"))
    }

    fn installed(&mut self) -> Result<(), String> {
        let arrival = self.receiver.arrival();
        let Some(writes) = self.receiver.installed() else { return Ok(()) };
        let [Write::HaloTag(slot, tag), Write::Entry(id, entry), Write::Answer(to, answer)] =
            writes
        else {
            return Err(format!("{writes:?} in this order"));
        };
        let comes = arrival.map(|arrival| (arrival.slot, arrival.subdomain, arrival.from));
        let is_here = matches!(entry, DirectoryEntry::Here { slot: at, .. } if at == slot);
        let is_right = comes == Some((slot, id, to)) && is_here && answer.accepted;
        ensure(is_right && tag == HaloTag { subdomain: id, owner: self.own }, || {
            format!("{arrival:?} is installed as {writes:?}")
        })
    }
}
