//! Where the neighbours on other ranks are, and the newest of their edges (Zarins & Weiland 2020,
//! section 3.2).
//!
//! A neighbour on the same node is read by the workers themselves, straight from the slot that it
//! lies in. One on another node is read by gets, each of which ends some time after it was begun.
//! What is to be got, and what comes of it, is decided by core's [`Reader`]; whether an edge is whole,
//! whose, and of which version, says its label ([`accept`]).

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::grid::{Decomposition, Side};
use tresse_core::halo::{Around, DirectoryEntry, Heard, Location, Reader, Request, shortened};
use tresse_core::halo::{SharedReal, accept, head};
use tresse_core::id::{SlotId, SubdomainId};
use tresse_core::run::Mode;

use tresse::engine::threads::SlotTable;

use super::link::{Coming, Link};
use super::sights::{MIRROR, SLOT, Sights, UNSEEN, place};
use super::wire::Wire;
use crate::mpi::{WindowError, Word};

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Edges that were written while they were read.
    pub(super) retries: u64,
    /// Forwards followed.
    pub(super) forwards: u64,
}

/// All neighbours of this rank's subdomains that are on other ranks.
pub(super) struct Links<'r, F: SharedReal<Shared: Word>> {
    cut: Decomposition,
    mode: Mode,
    pub(super) sights: &'r Sights<'r, F>,
    /// By slot and side.
    by_side: Vec<Option<Link<'r, F>>>,
    /// What was asked for by links that are closed: MPI writes to it until it has come.
    unwanted: Vec<Coming<'r, F>>,
    pub(super) tally: Tally,
    /// Whether workers have to look again where their neighbours are.
    pub(super) has_changed: bool,
}

impl<'r, F: SharedReal<Shared: Word>> Links<'r, F> {
    pub(super) fn new(cut: Decomposition, mode: Mode, sights: &'r Sights<'r, F>) -> Self {
        let by_side = sights.seen.iter().map(|_| None).collect();
        let (unwanted, tally) = (Vec::new(), Tally::default());
        Self { cut, mode, sights, by_side, unwanted, tally, has_changed: false }
    }

    /// All subdomains are where they start, and are known to be there.
    pub(super) fn open_first(&mut self, table: &SlotTable, homes: &[Location]) {
        for (reader, slot) in table.here() {
            for side in Side::ALL {
                if let Some(neighbour) = self.cut.neighbour(reader, side)
                    && table.slot(neighbour).is_none()
                    && let Some(home) = homes.get(neighbour.index())
                {
                    self.open(slot, side, reader, *home);
                }
            }
        }
    }

    /// A subdomain in a slot has a neighbour on another rank, which is known to be, or to have
    /// been, at a place.
    pub(super) fn open(&mut self, slot: usize, side: Side, reader: SubdomainId, known: Location) {
        let Some(neighbour) = self.cut.neighbour(reader, side) else { return };
        let place = place(slot, side);
        self.close(slot, side);
        if let Some(link) = self.by_side.get_mut(place) {
            let reader = Reader::new(neighbour, known);
            *link = Some(Link { reader, side, coming: Coming::Nothing });
            self.has_changed = true;
        }
    }

    /// A neighbour is on this rank now, or the slot has nobody any more.
    pub(super) fn close(&mut self, slot: usize, side: Side) {
        let place = place(slot, side);
        if let Some(link) = self.by_side.get_mut(place).and_then(Option::take) {
            self.unwanted.push(link.coming);
            self.sights.show(place, UNSEEN);
            self.has_changed = true;
        }
    }

    /// Where the neighbour on a side of a slot's subdomain is known to be.
    pub(super) fn known(&self, slot: usize, side: Side) -> Option<Location> {
        let place = place(slot, side);
        self.by_side.get(place)?.as_ref().map(|link| link.reader.known())
    }

    /// The versions that a slot's subdomain may have read of its neighbours on other ranks.
    pub(super) fn fetched(&self, slot: usize) -> [u64; 4] {
        Side::ALL.map(|side| {
            let link = self.by_side.get(place(slot, side)).and_then(Option::as_ref);
            link.and_then(|link| link.reader.fetched()).unwrap_or(0)
        })
    }

    /// Whether all of these are out.
    pub(super) fn have_shown(&self, slot: usize, versions: [u64; 4]) -> bool {
        Side::ALL.into_iter().zip(versions).all(|(side, version)| {
            let link = self.by_side.get(place(slot, side)).and_then(Option::as_ref);
            link.is_none_or(|link| link.reader.has_shown(version))
        })
    }

    /// Whether nothing is owed.
    pub(super) fn are_fresh(&self) -> bool {
        self.by_side.iter().flatten().all(|link| link.reader.is_fresh())
    }

    /// Makes everything owed: one look that is begun after this.
    pub(super) fn renew(&mut self) {
        self.by_side.iter_mut().flatten().for_each(|link| link.reader.renew());
    }

    /// The same, and fetches edges again that have been: before the first sweep they may have been
    /// fetched before they were there.
    pub(super) fn renew_all(&mut self) {
        self.by_side.iter_mut().flatten().for_each(|link| link.reader.renew_whole());
    }

    /// Goes as far with each look as it goes without waiting; those at memory are complete then.
    pub(super) fn advance(&mut self, wire: &mut Wire<'_, 'r, F>) -> Result<(), WindowError> {
        for place in 0..self.by_side.len() {
            let Some(mut link) = self.by_side.get_mut(place).and_then(Option::take) else {
                continue;
            };
            while self.step(place, &mut link, wire)? {}
            if let Some(kept) = self.by_side.get_mut(place) {
                *kept = Some(link);
            }
        }
        for coming in std::mem::take(&mut self.unwanted) {
            self.unwanted.extend(coming.abandon(wire.entry)?);
        }
        Ok(())
    }

    /// Waits for everything that was asked for, and asks for nothing more.
    pub(super) fn end(&mut self, wire: &mut Wire<'_, 'r, F>) -> Result<(), WindowError> {
        let links = self.by_side.iter_mut().filter_map(Option::take);
        self.unwanted.extend(links.map(|link| link.coming));
        while !self.unwanted.is_empty() {
            self.advance(wire)?;
        }
        Ok(())
    }

    /// One step of a look; whether the next can be made at once.
    fn step(
        &mut self,
        place: usize,
        link: &mut Link<'r, F>,
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<bool, WindowError> {
        match std::mem::replace(&mut link.coming, Coming::Nothing) {
            Coming::Nothing => match link.reader.begin() {
                Some(request) => self.ask(request, link, wire).map(|()| true),
                None => Ok(false),
            },
            Coming::Words(reading) => match reading.poll(wire.entry)? {
                Ok(words) => self.hear(place, link, words.get(), wire),
                Err(reading) => {
                    link.coming = Coming::Words(reading);
                    Ok(false)
                }
            },
            Coming::Edge(reading) => match reading.poll(wire.entry)? {
                Ok(buffer) => {
                    let neighbour = link.reader.neighbour();
                    let wanted = link.reader.edge();
                    let accepted =
                        wanted.and_then(|wanted| accept::<F>(buffer.get(), neighbour, wanted));
                    match accepted {
                        Some((version, cells)) => self.show(place, link, version, cells),
                        None => self.tally.retries += 1,
                    }
                    Ok(false)
                }
                Err(reading) => {
                    link.coming = Coming::Edge(reading);
                    Ok(false)
                }
            },
        }
    }

    /// A head or an entry has come; whether the next step can be made at once.
    fn hear(
        &mut self,
        place: usize,
        link: &mut Link<'r, F>,
        words: &[AtomicU64],
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<bool, WindowError> {
        let word = |place: usize| words.get(place).map_or(0, |word| word.load(Ordering::Acquire));
        let around = Around {
            bounds: wire.layout.bounds(),
            wanted: self.mode.wanted(own_version(place, wire)),
            is_in_memory: wire.memory(link.reader.known().rank).is_some(),
        };
        match link.reader.hear([word(0), word(1)], &around) {
            Heard::Needs(request) => self.ask(request, link, wire).map(|()| true),
            Heard::InMemory(known) => {
                self.see(place, known, wire);
                Ok(false)
            }
            Heard::Found(found, forwards) => {
                self.tally.forwards += u64::from(forwards);
                shorten(link.reader.neighbour(), found, wire)?;
                Ok(true)
            }
            Heard::Nothing => Ok(false),
        }
    }

    /// Asks for what a reader needs.
    fn ask(
        &self,
        request: Request,
        link: &mut Link<'r, F>,
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<(), WindowError> {
        link.coming = match request {
            Request::Head(Location { rank, slot, .. }) => {
                Coming::Words(wire.ask(rank, wire.layout.meta(slot))?)
            }
            Request::Entry(rank) => {
                let entry = wire.layout.entry(link.reader.neighbour());
                Coming::Words(wire.ask(rank, entry..entry + 1)?)
            }
            Request::Edge(Location { rank, slot, .. }, version) => {
                // The neighbour's edge on the side that the reader is on.
                let size = self.cut.rectangle(link.reader.neighbour()).size;
                let cells = match link.side {
                    Side::Top | Side::Bottom => size.columns,
                    Side::Left | Side::Right => size.rows,
                };
                let buffer = wire.layout.buffer(slot, link.side.opposite(), version, cells);
                Coming::Edge(wire.ask_cells(rank, buffer)?)
            }
        };
        Ok(())
    }

    /// Shows the workers the slot that a neighbour lies in.
    fn see(&mut self, place: usize, known: Location, wire: &Wire<'_, 'r, F>) {
        let Location { rank: owner, slot, .. } = known;
        let ranks = wire.entry.nodes().with(wire.entry.rank());
        let Some(rank) =
            (0..).zip(ranks).find_map(|(place, rank)| (rank == owner).then_some(place))
        else {
            return;
        };
        let number = SLOT + rank * wire.layout.bounds().slots + slot.0;
        let seen = self.sights.seen.get(place).map(|seen| seen.load(Ordering::Relaxed));
        if seen != Some(number) {
            self.sights.show(place, number);
            self.has_changed = true;
        }
    }

    /// Shows the workers an edge that was fetched whole.
    fn show(&mut self, place: usize, link: &mut Link<'r, F>, version: u64, cells: &[F::Shared]) {
        if let Some(mirror) = self.sights.mirrors.get(place) {
            mirror.publish(link.reader.neighbour(), version, cells);
        }
        if link.reader.fetched().is_none() {
            self.sights.show(place, MIRROR);
            self.has_changed = true;
        }
        link.reader.accepted(version);
    }

    /// A subdomain has come to a slot, with what is known of its neighbours; `here` tells the slots
    /// of those on this rank.
    pub(super) fn open_all(
        &mut self,
        slot: usize,
        reader: SubdomainId,
        neighbours: [Option<Location>; 4],
        here: impl Fn(SubdomainId) -> Option<usize>,
    ) {
        for (side, known) in Side::ALL.into_iter().zip(neighbours) {
            let Some(neighbour) = self.cut.neighbour(reader, side) else { continue };
            match (here(neighbour), known) {
                // Two that have come together read each other directly.
                (Some(other), _) => {
                    self.close(slot, side);
                    self.close(other, side.opposite());
                }
                (None, Some(known)) => self.open(slot, side, reader, known),
                // Not in a packet, which names all neighbours.
                (None, None) => {}
            }
        }
    }
}

/// Tells those who ask this rank for a subdomain next where it is now.
fn shorten<F: SharedReal<Shared: Word>>(
    id: SubdomainId,
    found: Location,
    wire: &mut Wire<'_, '_, F>,
) -> Result<(), WindowError> {
    let (own, place) = (wire.entry.rank(), wire.layout.entry(id));
    let entry = DirectoryEntry::decode(wire.own(place), wire.layout.bounds());
    match shortened(own, entry, found) {
        Some(entry) => wire.store(own, place, entry.encode()),
        None => Ok(()),
    }
}

/// The update count of the subdomain in the slot of a place.
fn own_version<F: SharedReal<Shared: Word>>(place: usize, wire: &Wire<'_, '_, F>) -> u64 {
    let slot = SlotId(u32::try_from(place / Side::ALL.len()).unwrap_or(u32::MAX));
    wire.own(wire.layout.head(slot) + head::VERSION)
}
