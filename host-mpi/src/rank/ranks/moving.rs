//! Subdomains that leave this rank and those that come: what [`tresse_core::migration`] decides is
//! done here.

use std::sync::atomic::Ordering;

use tresse_core::balance::dplb::{NodeBalancer, Transfer};
use tresse_core::grid::{Decomposition, Side};
use tresse_core::halo::{Bounds, DirectoryEntry, Location};
use tresse_core::halo::{Publication, SharedReal};
use tresse_core::id::{RankId, SlotId, SubdomainId};
use tresse_core::migration::{
    Arrival, Departure, FreeSlots, Look, Packet, Receiver, SendOutcome, Sender, Write,
};
use tresse_core::owned::refit;
use tresse_core::part::SharedPart as _;
use tresse_core::shared::Held;
use tresse_core::time::Duration;

use tresse::engine::threads::{Cells, Local};
use tresse::files::problem::Problem;

use super::links::Links;
use super::wire::{Reading, Wire, Words};
use crate::mpi::{WindowError, Word};

/// What is being fetched of an arrival.
enum Fetch<'r, F: SharedReal<Shared: Word>> {
    Head(Reading<'r, std::sync::atomic::AtomicU64>),
    Cells(Packet, Reading<'r, F::Shared>),
}

/// A subdomain that nobody holds any more.
struct Leaving<'r, F: SharedReal> {
    held: Held<'r, Cells<'r, F>>,
    /// What it has read of its neighbours.
    read: [u64; 4],
}

/// One rank's part of all moves between ranks.
pub(super) struct Moving<'r, F: SharedReal<Shared: Word>> {
    problem: &'r Problem,
    cut: Decomposition,
    sender: Sender,
    receiver: Receiver,
    /// The last offer of each rank that was taken or refused.
    handled: Vec<u32>,
    slots: FreeSlots<Vec<bool>>,
    leaving: Option<Leaving<'r, F>>,
    pub(super) balancer: NodeBalancer,
    fetch: Option<(Arrival, Fetch<'r, F>)>,
    /// Subdomains that this rank has sent away.
    pub(super) sent: u64,
}

impl<'r, F: SharedReal<Shared: Word>> Moving<'r, F> {
    /// With the first slots taken, `taken` in number.
    pub(super) fn new(
        (own, bounds): (RankId, Bounds),
        (problem, cut): (&'r Problem, Decomposition),
        balancer: NodeBalancer,
        first: usize,
    ) -> Self {
        let slots = FreeSlots::new(vec![false; bounds.slots as usize], first);
        Self {
            problem,
            cut,
            sender: Sender::new(own, bounds),
            receiver: Receiver::new(own, bounds),
            handled: vec![0; bounds.ranks as usize],
            slots,
            leaving: None,
            balancer,
            fetch: None,
            sent: 0,
        }
    }

    /// What has left this rank's workers and is not known to have arrived.
    pub(super) fn in_flight(&self) -> Option<Transfer> {
        self.sender.departure().map(|departure| departure.transfer)
    }

    /// Whether nothing is on its way from or to this rank, as far as it knows.
    pub(super) fn is_idle(&self) -> bool {
        self.sender.is_idle() && self.receiver.arrival().is_none()
    }

    /// Begins to send a subdomain that the balancer has chosen.
    pub(super) fn send(
        &mut self,
        transfer: Transfer,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        wire: &Wire<'_, 'r, F>,
    ) {
        let begun = self.sender.send(transfer, entry_of(transfer.subdomain, wire));
        if !begun {
            // Another one is on its way.
            self.balancer.arrived();
        } else if !local.release(transfer.subdomain) {
            self.sender.cancel();
            self.balancer.arrived();
        }
    }

    /// Goes as far with everything that is on its way as it goes without waiting.
    pub(super) fn advance(
        &mut self,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        wire: &mut Wire<'_, 'r, F>,
        links: &mut Links<'r, F>,
    ) -> Result<(), WindowError> {
        self.depart(local, wire, links)?;
        if self.fetch.is_none() {
            self.look(wire)?;
        }
        while let Some((arrival, fetch)) = self.fetch.take() {
            if !self.receive(arrival, fetch, local, wire, links)? {
                break;
            }
        }
        Ok(())
    }

    /// The sender's side.
    fn depart(
        &mut self,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        wire: &mut Wire<'_, 'r, F>,
        links: &mut Links<'r, F>,
    ) -> Result<(), WindowError> {
        let Some(departure) = self.sender.departure() else { return Ok(()) };
        let to = departure.transfer.to;
        let place = departure.slot.index();
        if self.sender.waits_for_holder() && self.leaving.is_none() {
            let held = local.take(departure.transfer.subdomain);
            self.leaving = held.map(|held| Leaving { held, read: links.fetched(place) });
        }
        // Wherever it goes, it finds what it has read, or something newer.
        if let Some(leaving) = self.leaving.take_if(|leaving| links.have_shown(place, leaving.read))
        {
            self.pack(departure, leaving.held, local, wire, links);
            if let Some(offer) = self.sender.let_go() {
                apply(offer, local, wire)?;
            }
        }
        let answer = wire.own(wire.layout.answer(to));
        match self.sender.answered(to, answer) {
            None => {}
            Some(SendOutcome::Accepted(departure)) => {
                for write in departure.writes() {
                    apply(write, local, wire)?;
                }
                self.part(departure, local, links);
                self.sent += 1;
                self.balancer.arrived();
            }
            Some(SendOutcome::Refused(transfer)) => {
                local.place(transfer.subdomain);
                self.balancer.arrived();
            }
        }
        Ok(())
    }

    /// Puts a subdomain that nobody holds into the outbox.
    fn pack(
        &self,
        Departure { transfer: Transfer { subdomain, .. }, slot, epoch }: Departure,
        mut held: Held<'r, Cells<'r, F>>,
        local: &Local<'_, '_, 'r, Cells<'r, F>>,
        wire: &Wire<'_, 'r, F>,
        links: &Links<'r, F>,
    ) {
        let Some(publication) = local.slots.publication(subdomain) else { return };
        let own = wire.entry.rank();
        let place = |neighbour| match entry_of(neighbour, wire) {
            DirectoryEntry::Here { slot, epoch } => Some(Location { rank: own, slot, epoch }),
            _ => None,
        };
        let packet = Packet {
            subdomain,
            epoch: epoch.saturating_sub(1),
            version: publication.version(),
            residual: publication.residual(),
            sweep_time: publication.sweep_time(),
            neighbours: Side::ALL.map(|side| {
                let neighbour = self.cut.neighbour(subdomain, side)?;
                links.known(slot.index(), side).or_else(|| place(neighbour))
            }),
        };
        let (words, cells) = wire.local();
        let outbox = words.get(wire.layout.packet()).unwrap_or_default();
        for (word, value) in outbox.iter().zip(packet.encode()) {
            word.store(value, Ordering::Relaxed);
        }
        held.with(|subdomain| {
            let layout = subdomain.layout();
            let range = wire.layout.outbox(layout.rows(), layout.columns());
            let outbox = cells.get(range).unwrap_or_default();
            for (row, place) in outbox.chunks_exact(layout.columns()).enumerate() {
                let cells = layout.row(subdomain.cells(), row).unwrap_or_default();
                place.iter().zip(cells).for_each(|(place, cell)| F::store(place, *cell));
            }
        });
    }

    /// A subdomain is another rank's: its neighbours here have to look there.
    fn part(
        &mut self,
        Departure { transfer: Transfer { subdomain, from, .. }, slot, epoch }: Departure,
        local: &Local<'_, '_, 'r, Cells<'r, F>>,
        links: &mut Links<'r, F>,
    ) {
        local.slots.table.place(subdomain, None);
        let known = Location { rank: from, slot, epoch: epoch.saturating_sub(1) };
        for side in Side::ALL {
            links.close(slot.index(), side);
            let neighbour = self.cut.neighbour(subdomain, side);
            if let Some(neighbour) = neighbour
                && let Some(other) = local.slots.table.slot(neighbour)
            {
                links.open(other, side.opposite(), neighbour, known);
            }
        }
        self.slots.give_back(slot);
        links.has_changed = true;
    }

    /// Looks into the mailboxes, until there is something to fetch.
    fn look(&mut self, wire: &mut Wire<'_, 'r, F>) -> Result<(), WindowError> {
        for (from, handled) in (0..).map(RankId).zip(&mut self.handled) {
            let word = wire.own(wire.layout.mailbox(from));
            if word == 0 {
                continue;
            }
            let entry = |id| entry_of(id, wire);
            match self.receiver.look(from, (word, handled), entry, &mut self.slots) {
                Look::Nothing => {}
                Look::Refuse(answer) => write_to_others(answer, wire)?,
                Look::Fetch(arrival) => {
                    let range = wire.layout.packet();
                    self.fetch = Some((arrival, Fetch::Head(wire.ask(from, range)?)));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The receiver's side; whether to go on at once.
    fn receive(
        &mut self,
        arrival: Arrival,
        fetch: Fetch<'r, F>,
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        wire: &mut Wire<'_, 'r, F>,
        links: &mut Links<'r, F>,
    ) -> Result<bool, WindowError> {
        match fetch {
            Fetch::Head(reading) => match reading.poll(wire.entry)? {
                Err(reading) => self.fetch = Some((arrival, Fetch::Head(reading))),
                Ok(words) => match self.check(arrival, &words, wire) {
                    Some(packet) => {
                        let size = self.cut.rectangle(packet.subdomain).size;
                        let range = wire.layout.outbox(size.rows, size.columns);
                        let cells = wire.ask_cells(arrival.from, range)?;
                        self.fetch = Some((arrival, Fetch::Cells(packet, cells)));
                        return Ok(true);
                    }
                    None => {
                        if let Some(answer) = self.receiver.refuse(&mut self.slots) {
                            write_to_others(answer, wire)?;
                        }
                    }
                },
            },
            Fetch::Cells(packet, reading) => match reading.poll(wire.entry)? {
                Err(reading) => self.fetch = Some((arrival, Fetch::Cells(packet, reading))),
                Ok(cells) => self.land(arrival, &packet, cells.get(), local, wire, links)?,
            },
        }
        Ok(false)
    }

    /// The packet's head, where it is what was offered.
    fn check(
        &mut self,
        arrival: Arrival,
        words: &Words<'r, std::sync::atomic::AtomicU64>,
        wire: &Wire<'_, 'r, F>,
    ) -> Option<Packet> {
        let words: Vec<u64> = words.get().iter().map(|word| word.load(Ordering::Acquire)).collect();
        let packet = Packet::decode(&words, wire.layout.bounds(), &self.cut).ok()?;
        let entry = entry_of(arrival.subdomain, wire);
        self.receiver.fetched(&packet, entry).then_some(packet)
    }

    /// A subdomain is here: its cells and edges go to its slot, it goes to a worker, and its
    /// neighbours here read it there.
    fn land(
        &mut self,
        Arrival { subdomain: id, slot, .. }: Arrival,
        packet: &Packet,
        cells: &[F::Shared],
        local: &mut Local<'_, '_, 'r, Cells<'r, F>>,
        wire: &mut Wire<'_, 'r, F>,
        links: &mut Links<'r, F>,
    ) -> Result<(), WindowError> {
        if !self.install(id, slot, packet, cells, local) {
            return match self.receiver.refuse(&mut self.slots) {
                Some(answer) => write_to_others(answer, wire),
                None => Ok(()),
            };
        }
        local.slots.table.place(id, Some(slot.0));
        for write in self.receiver.installed().into_iter().flatten() {
            apply(write, local, wire)?;
        }
        let table = local.slots.table;
        links.open_all(slot.index(), id, packet.neighbours, |id| table.slot(id));
        links.has_changed = true;
        local.place(id);
        Ok(())
    }

    fn install(
        &self,
        id: SubdomainId,
        slot: SlotId,
        packet: &Packet,
        cells: &[F::Shared],
        local: &Local<'_, '_, 'r, Cells<'r, F>>,
    ) -> bool {
        let size = self.cut.rectangle(id).size;
        let slots = &local.slots;
        let place = slot.index();
        let Some(publication) = slots.publications.get(place) else { return false };
        let Some(mut held) = slots.parts.get(place).and_then(|slot| slot.take(local.in_transit()))
        else {
            return false;
        };
        let cell = |row: usize, column: usize| {
            cells.get(row * size.columns + column).map_or(F::ZERO, F::load)
        };
        held.with(|subdomain| {
            if !refit(&self.cut, id, subdomain) {
                return false;
            }
            self.problem.fill_with(&self.cut, id, subdomain, cell);
            publication.vacate(id, packet.version);
            publication.publish_again([true; 4], |link, edge| subdomain.publish(link, edge));
            publish_rest(publication, packet.residual, packet.sweep_time);
            true
        })
    }
}

fn publish_rest<F: SharedReal>(publication: &Publication<'_, F>, residual: f64, time: Duration) {
    publication.publish_residual(residual);
    publication.add_sweep_time(time);
}

/// What this rank says of a subdomain.
fn entry_of<F: SharedReal<Shared: Word>>(
    id: SubdomainId,
    wire: &Wire<'_, '_, F>,
) -> DirectoryEntry {
    DirectoryEntry::decode(wire.own(wire.layout.entry(id)), wire.layout.bounds())
}

/// Writes a word where it belongs.
fn apply<'r, F: SharedReal<Shared: Word>>(
    write: Write,
    local: &Local<'_, '_, 'r, Cells<'r, F>>,
    wire: &mut Wire<'_, 'r, F>,
) -> Result<(), WindowError> {
    if let Write::HaloTag(slot, tag) = write {
        if let Some(publication) = local.slots.publications.get(slot.index()) {
            publication.admit(tag);
        }
        return Ok(());
    }
    write_to_others(write, wire)
}

/// The same for what is no halo tag.
fn write_to_others<F: SharedReal<Shared: Word>>(
    write: Write,
    wire: &mut Wire<'_, '_, F>,
) -> Result<(), WindowError> {
    let own = wire.entry.rank();
    let layout = wire.layout;
    match write {
        Write::Offer(to, offer) => wire.store(to, layout.mailbox(own), offer.encode()),
        Write::Answer(to, answer) => wire.store(to, layout.answer(own), answer.encode()),
        Write::Entry(id, entry) => wire.store(own, layout.entry(id), entry.encode()),
        Write::HaloTag(..) => Ok(()),
    }
}
