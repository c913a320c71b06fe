//! Words as any rank could write them, from bytes: whatever they say, every search ends, nothing is
//! found that no directory has, and both state machines keep their rules.

use std::collections::BTreeSet;

use tresse_core::balance::dplb::Transfer;
use tresse_core::grid::Decomposition;
use tresse_core::id::{Berth, NodeId, SubdomainId};
use tresse_core::migration::{
    Berths, Bounds, Entry, Location, Look, Met, Outcome, Packet, Receiver, Search, Sender, Step,
    Tenant, Write, shortened,
};
use tresse_core::run::{Balance, GridSize, Mode};

use crate::problems::{config, iterations};

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

    /// Any word, or one whose halves are small, or one with a small epoch, a kind and a small place.
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
    let (subdomains, ranks, berths) = (1 + bytes.up_to(7), 1 + bytes.up_to(4), 1 + bytes.up_to(3));
    let bounds = Bounds { subdomains, ranks, berths };
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
    let node = NodeId(bytes.up_to(bounds.ranks - 1));
    let known = Location { node, berth: Berth(bytes.up_to(bounds.berths - 1)), epoch };
    let met = Met::of(Tenant::decode(bytes.word(), bounds), SubdomainId(0), node);
    let Some(mut search) = Search::new(known, met, bounds) else {
        return ensure(met == Met::Here, || "no search for what is not there".into());
    };
    for asked in 0.. {
        ensure(asked <= bounds.ranks, || "the search goes on".into())?;
        ensure(search.node().0 < bounds.ranks, || format!("asks {:?}", search.node()))?;
        // Words may change while they are read.
        let word = bytes.word();
        let entry = Entry::decode(word, bounds);
        match search.read(entry) {
            Step::Next(node) => ensure(node == search.node(), || "goes elsewhere".into())?,
            Step::Retry => break,
            Step::Found(found) => {
                let Location { node, berth, epoch } = found;
                let said = u64::from(epoch) << 32 | 1 << 30 | u64::from(berth.0);
                ensure(word == said && berth.0 < bounds.berths, || {
                    format!("{word:x} does not say {found:?}")
                })?;
                ensure(node == search.node() && epoch >= known.epoch, || {
                    format!("{found:?} after {known:?}")
                })?;
                let own = NodeId(bytes.up_to(bounds.ranks - 1));
                if let Some(shorter) = shortened(own, Entry::decode(bytes.word(), bounds), found) {
                    let expected = Entry::Left { to: node, epoch };
                    ensure(shorter == expected && node != own, || format!("{shorter:?}"))?;
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

/// What is read as a packet is written as the same words.
fn packet(bytes: &mut Bytes<'_>, bounds: Bounds) -> Result<(), String> {
    let cut = cut(bounds.subdomains)?;
    let length = usize::from(bytes.byte()) % 16;
    let words: Vec<u64> = (0..length).map(|_| bytes.word()).collect();
    let Ok(packet) = Packet::decode(&words, bounds, &cut) else { return Ok(()) };
    ensure(words.starts_with(&packet.encode()), || format!("{packet:?} of {words:?}"))?;
    let places = packet.neighbours.into_iter().flatten();
    let mut exist = places.map(|at| at.node.0 < bounds.ranks && at.berth.0 < bounds.berths);
    ensure(exist.all(|exists| exists), || format!("{packet:?} names what there is not"))
}

/// A sender and a receiver that are told anything, in any order.
fn machines(bytes: &mut Bytes<'_>, bounds: Bounds) -> Result<(), String> {
    let own = NodeId(bytes.up_to(bounds.ranks - 1));
    let mut sender = Sender::new(own, bounds);
    let mut receiver = Receiver::new(own, bounds, vec![0; bounds.ranks as usize]);
    let mut berths = Berths::new(vec![false; bounds.berths as usize]);
    let mut taken = BTreeSet::new();
    let mut handled = BTreeSet::new();
    while !bytes.0.is_empty() {
        let from = NodeId(bytes.up_to(bounds.ranks));
        match bytes.up_to(6) {
            0 => {
                let (subdomain, to) = (SubdomainId(bytes.up_to(bounds.subdomains)), from);
                let (before, transfer) = (sender.clone(), Transfer { subdomain, from: own, to });
                let begins = sender.send(transfer, Entry::decode(bytes.word(), bounds));
                let may = before.is_idle() && to != own && to.0 < bounds.ranks;
                ensure(!begins || may, || format!("{transfer:?} from {before:?}"))?;
                ensure(begins || before == sender, || "it began, and says that it did not".into())?;
            }
            1 => {
                let offer = sender.let_go();
                ensure(offer.is_none() || sender.cancel().is_none(), || "not offered".into())?;
            }
            2 => {
                let before = sender.clone();
                match sender.answered(from, bytes.word()) {
                    None => ensure(sender == before, || format!("{sender:?} was {before:?}"))?,
                    Some(outcome) => {
                        let was = before.departure().map(|departure| departure.transfer);
                        let now = match outcome {
                            Outcome::Accepted(departure) => departure.transfer,
                            Outcome::Refused(transfer) => transfer,
                        };
                        ensure(was == Some(now) && now.to == from, || format!("{outcome:?}"))?;
                    }
                }
            }
            3 => {
                let (word, entry) = (bytes.word(), Entry::decode(bytes.word(), bounds));
                match receiver.look(from, word, |_| entry, &mut berths) {
                    Look::Nothing => {}
                    Look::Refuse(_) => {
                        ensure(handled.insert((from, word)), || "refused twice".into())?;
                        ensure(berths.free() == 0, || "there was room".into())?;
                    }
                    Look::Fetch(arrival) => {
                        ensure(handled.insert((from, word)), || "taken twice".into())?;
                        ensure(taken.insert(arrival.berth), || format!("{arrival:?}, taken"))?;
                    }
                }
            }
            4 => {
                let arrival = receiver.arrival();
                let subdomain = arrival.map_or(SubdomainId(0), |arrival| arrival.subdomain);
                let neighbours = [None; 4];
                let packet = Packet {
                    subdomain: SubdomainId(subdomain.0 + bytes.up_to(1)),
                    epoch: if bytes.byte() == 0 { u32::MAX } else { bytes.up_to(9) },
                    version: 0,
                    residual: f64::NAN,
                    sweep_time: tresse_core::time::Duration::ZERO,
                    neighbours,
                };
                let entry = Entry::decode(bytes.word(), bounds);
                let is_good = receiver.fetched(&packet, entry);
                ensure(!is_good || packet.subdomain == subdomain && arrival.is_some(), || {
                    format!("{packet:?} for {arrival:?}")
                })?;
            }
            5 => {
                let arrival = receiver.arrival();
                if let Some(
                    [Write::Tenant(berth, tenant), Write::Entry(id, _), Write::Answer(to, answer)],
                ) = receiver.installed()
                {
                    let comes =
                        arrival.map(|arrival| (arrival.berth, arrival.subdomain, arrival.from));
                    ensure(comes == Some((berth, id, to)) && answer.accepted, || {
                        format!("{comes:?} is installed as {id} in {berth} from {to}")
                    })?;
                    ensure(tenant == Tenant { subdomain: id, owner: own }, || {
                        format!("{tenant:?}")
                    })?;
                }
            }
            _ => {
                let arrival = receiver.arrival();
                let refusal = receiver.refuse(&mut berths);
                ensure(refusal.is_some() == arrival.is_some(), || format!("{refusal:?}"))?;
                if let Some(arrival) = arrival {
                    taken.remove(&arrival.berth);
                }
            }
        }
        let free = bounds.berths as usize - taken.len();
        ensure(berths.free() == free, || format!("{} are free, of {free}", berths.free()))?;
    }
    Ok(())
}
