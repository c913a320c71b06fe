//! A subdomain's way between ranks.

use tresse_core::balance::dplb::Transfer;
use tresse_core::grid::Decomposition;
use tresse_core::id::{RankId, SlotId, SubdomainId};
use tresse_core::migration::{
    Answer, Bounds, DirectoryEntry, FreeSlots, HaloTag, Location, Look, Met, Offer, Packet,
    PacketError, Receiver, Search, SendOutcome, Sender, Step, Write, shortened,
};

#[inline(never)]
pub fn slots(taken: &mut [bool], slot: SlotId) -> (Option<SlotId>, usize) {
    let mut slots = FreeSlots::new(taken, 0);
    slots.give_back(slot);
    (slots.take(), slots.free())
}

#[inline(never)]
pub fn met(word: u64, expected: SubdomainId, at: RankId, bounds: Bounds) -> Met {
    let tag = HaloTag::decode(word, bounds);
    Met::of(tag.and_then(|tag| HaloTag::decode(tag.encode(), bounds)), expected, at)
}

#[inline(never)]
pub fn search(known: Location, met: Met, words: &[u64], bounds: Bounds) -> Option<(Step, u32)> {
    let mut search = Search::new(known, met, bounds)?;
    loop {
        let word = words.get(search.rank().index())?;
        let step = search.read(DirectoryEntry::decode(*word, bounds));
        if !matches!(step, Step::Next(_)) {
            return Some((step, search.hops()));
        }
    }
}

#[inline(never)]
pub fn shorten(own: RankId, word: u64, found: Location, bounds: Bounds) -> Option<u64> {
    shortened(own, DirectoryEntry::decode(word, bounds), found).map(DirectoryEntry::encode)
}

#[inline(never)]
pub fn mailbox(word: u64, bounds: Bounds) -> (Option<Offer>, Option<Answer>) {
    (Offer::decode(word, bounds), Answer::decode(word))
}

#[inline(never)]
pub fn word(write: Write) -> u64 {
    match write {
        Write::Offer(_, offer) => offer.encode(),
        Write::Answer(_, answer) => answer.encode(),
        Write::Entry(_, entry) => entry.encode(),
        Write::HaloTag(_, tag) => tag.encode(),
    }
}

#[inline(never)]
pub fn sender(own: RankId, bounds: Bounds) -> Sender {
    Sender::new(own, bounds)
}

#[inline(never)]
pub fn send(sender: &mut Sender, transfer: Transfer, entry: DirectoryEntry) -> bool {
    sender.send(transfer, entry) && !sender.is_idle()
}

#[inline(never)]
pub fn let_go(sender: &mut Sender) -> Result<Write, Option<Transfer>> {
    sender.let_go().ok_or_else(|| sender.cancel())
}

#[inline(never)]
pub fn answered(sender: &mut Sender, from: RankId, word: u64) -> Result<[Write; 2], Transfer> {
    match sender.answered(from, word) {
        Some(SendOutcome::Accepted(departure)) => Ok(departure.writes()),
        Some(SendOutcome::Refused(transfer)) => Err(transfer),
        None => Err(sender.departure().map_or_else(none, |departure| departure.transfer)),
    }
}

const fn none() -> Transfer {
    Transfer { subdomain: SubdomainId(0), from: RankId(0), to: RankId(0) }
}

#[inline(never)]
pub fn receiver(own: RankId, bounds: Bounds) -> Receiver {
    Receiver::new(own, bounds)
}

#[inline(never)]
pub fn look(
    receiver: &mut Receiver,
    from: RankId,
    word: u64,
    handled: &mut u32,
    directory: &[DirectoryEntry],
    slots: &mut FreeSlots<&mut [bool]>,
) -> Look {
    let entry = |id: SubdomainId| directory.get(id.index()).copied().unwrap_or_default();
    receiver.look(from, (word, handled), entry, slots)
}

#[inline(never)]
pub fn receive(
    receiver: &mut Receiver,
    packet: &Packet,
    entry: DirectoryEntry,
    slots: &mut FreeSlots<&mut [bool]>,
) -> Result<[Write; 3], Option<Write>> {
    if receiver.arrival().is_some() && receiver.fetched(packet, entry) {
        receiver.installed().ok_or(None)
    } else {
        Err(receiver.refuse(slots))
    }
}

#[inline(never)]
pub fn pack(packet: &Packet, to: &mut [u64; Packet::WORDS]) {
    *to = packet.encode();
}

#[inline(never)]
pub fn unpack(words: &[u64], bounds: Bounds, cut: &Decomposition) -> Result<Packet, PacketError> {
    Packet::decode(words, bounds, cut)
}
