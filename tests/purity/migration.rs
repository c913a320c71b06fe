//! A subdomain's way between ranks.

use tresse_core::balance::dplb::Transfer;
use tresse_core::grid::Decomposition;
use tresse_core::id::{Berth, NodeId, SubdomainId};
use tresse_core::migration::{
    Answer, Berths, Bounds, Entry, Location, Look, Met, Offer, Outcome, Packet, PacketError,
    Receiver, Search, Sender, Step, Tenant, Write, shortened,
};

#[inline(never)]
pub fn berths(taken: &mut [bool], berth: Berth) -> (Option<Berth>, usize) {
    let mut berths = Berths::new(taken, 0);
    berths.give_back(berth);
    (berths.take(), berths.free())
}

#[inline(never)]
pub fn met(word: u64, expected: SubdomainId, at: NodeId, bounds: Bounds) -> Met {
    let tenant = Tenant::decode(word, bounds);
    Met::of(tenant.and_then(|tenant| Tenant::decode(tenant.encode(), bounds)), expected, at)
}

#[inline(never)]
pub fn search(known: Location, met: Met, words: &[u64], bounds: Bounds) -> Option<(Step, u32)> {
    let mut search = Search::new(known, met, bounds)?;
    loop {
        let word = words.get(search.node().index())?;
        let step = search.read(Entry::decode(*word, bounds));
        if !matches!(step, Step::Next(_)) {
            return Some((step, search.hops()));
        }
    }
}

#[inline(never)]
pub fn shorten(own: NodeId, word: u64, found: Location, bounds: Bounds) -> Option<u64> {
    shortened(own, Entry::decode(word, bounds), found).map(Entry::encode)
}

#[inline(never)]
pub fn mail(word: u64, bounds: Bounds) -> (Option<Offer>, Option<Answer>) {
    (Offer::decode(word, bounds), Answer::decode(word))
}

#[inline(never)]
pub fn word(write: Write) -> u64 {
    match write {
        Write::Offer(_, offer) => offer.encode(),
        Write::Answer(_, answer) => answer.encode(),
        Write::Entry(_, entry) => entry.encode(),
        Write::Tenant(_, tenant) => tenant.encode(),
    }
}

#[inline(never)]
pub fn sender(own: NodeId, bounds: Bounds) -> Sender {
    Sender::new(own, bounds)
}

#[inline(never)]
pub fn send(sender: &mut Sender, transfer: Transfer, entry: Entry) -> bool {
    sender.send(transfer, entry) && !sender.is_idle()
}

#[inline(never)]
pub fn let_go(sender: &mut Sender) -> Result<Write, Option<Transfer>> {
    sender.let_go().ok_or_else(|| sender.cancel())
}

#[inline(never)]
pub fn answered(sender: &mut Sender, from: NodeId, word: u64) -> Result<[Write; 2], Transfer> {
    match sender.answered(from, word) {
        Some(Outcome::Accepted(departure)) => Ok(departure.writes()),
        Some(Outcome::Refused(transfer)) => Err(transfer),
        None => Err(sender.departure().map_or_else(none, |departure| departure.transfer)),
    }
}

const fn none() -> Transfer {
    Transfer { subdomain: SubdomainId(0), from: NodeId(0), to: NodeId(0) }
}

#[inline(never)]
pub fn receiver(own: NodeId, bounds: Bounds) -> Receiver {
    Receiver::new(own, bounds)
}

#[inline(never)]
pub fn look(
    receiver: &mut Receiver,
    from: NodeId,
    word: u64,
    handled: &mut u32,
    directory: &[Entry],
    berths: &mut Berths<&mut [bool]>,
) -> Look {
    let entry = |id: SubdomainId| directory.get(id.index()).copied().unwrap_or_default();
    receiver.look(from, (word, handled), entry, berths)
}

#[inline(never)]
pub fn receive(
    receiver: &mut Receiver,
    packet: &Packet,
    entry: Entry,
    berths: &mut Berths<&mut [bool]>,
) -> Result<[Write; 3], Option<Write>> {
    if receiver.arrival().is_some() && receiver.fetched(packet, entry) {
        receiver.installed().ok_or(None)
    } else {
        Err(receiver.refuse(berths))
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
