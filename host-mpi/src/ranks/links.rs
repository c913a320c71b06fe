//! Where the neighbours on other ranks are, and the newest of their edges (Zarins & Weiland 2020,
//! section 3.2).
//!
//! A neighbour on the same node is read by the workers themselves, straight from the berth that it
//! lies in. One on another node is read by gets, each of which ends some time after it was begun:
//! its head, which says where the newest edge is, and then that edge, whose label says whether it is
//! whole, whose, and of which version ([`accept`]). Either way the head's tenant says whether the
//! neighbour is still there.

use std::sync::atomic::{AtomicU64, Ordering};

use tresse_core::grid::{Decomposition, Side};
use tresse_core::id::{Berth, SubdomainId};
use tresse_core::migration::{Entry, Location, Met, Search, Step, Tenant, shortened};
use tresse_core::run::Mode;
use tresse_core::schedule::Wanted;
use tresse_core::shared::{SharedReal, accept, head};

use tresse::threads::Places;

use super::link::{Link, State};
use super::sights::{BERTH, MIRROR, Sights, UNSEEN, place};
use super::wire::{Reading, Wire};
use crate::window::{WindowError, Word};

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
    /// By berth and side.
    by_side: Vec<Option<Link<'r, F>>>,
    /// What was asked for by links that are closed: MPI writes to it until it has come.
    unwanted: Vec<State<'r, F>>,
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
    pub(super) fn open_first(&mut self, places: &Places, homes: &[Location]) {
        for (reader, berth) in places.here() {
            for side in Side::ALL {
                if let Some(neighbour) = self.cut.neighbour(reader, side)
                    && places.berth(neighbour).is_none()
                    && let Some(home) = homes.get(neighbour.index())
                {
                    self.open(berth, side, reader, *home);
                }
            }
        }
    }

    /// A subdomain in a berth has a neighbour on another rank, which is known to be, or to have
    /// been, at a place.
    pub(super) fn open(&mut self, berth: usize, side: Side, reader: SubdomainId, known: Location) {
        let Some(neighbour) = self.cut.neighbour(reader, side) else { return };
        let place = place(berth, side);
        let (state, fetched) = (State::Rest, None);
        self.close(berth, side);
        if let Some(link) = self.by_side.get_mut(place) {
            *link = Some(Link { neighbour, side, known, state, fetched, owed: 1 });
            self.has_changed = true;
        }
    }

    /// A neighbour is on this rank now, or the berth has nobody any more.
    pub(super) fn close(&mut self, berth: usize, side: Side) {
        let place = place(berth, side);
        if let Some(link) = self.by_side.get_mut(place).and_then(Option::take) {
            self.unwanted.push(link.state);
            self.sights.show(place, UNSEEN);
            self.has_changed = true;
        }
    }

    /// Where the neighbour on a side of a berth's subdomain is known to be.
    pub(super) fn known(&self, berth: usize, side: Side) -> Option<Location> {
        let place = place(berth, side);
        self.by_side.get(place)?.as_ref().map(|link| link.known)
    }

    /// Whether nothing is owed.
    pub(super) fn are_fresh(&self) -> bool {
        self.by_side.iter().flatten().all(|link| link.owed == 0)
    }

    /// Makes everything owed: one look that is begun after this.
    pub(super) fn renew(&mut self) {
        for link in self.by_side.iter_mut().flatten() {
            link.owed = if matches!(link.state, State::Rest) { 1 } else { 2 };
        }
    }

    /// The same, and fetches edges again that have been: before the first sweep they may have been
    /// fetched before they were there.
    pub(super) fn renew_all(&mut self) {
        self.renew();
        self.by_side.iter_mut().flatten().for_each(|link| link.fetched = None);
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
        for state in std::mem::take(&mut self.unwanted) {
            self.unwanted.extend(state.abandon(wire.entry)?);
        }
        Ok(())
    }

    /// Waits for everything that was asked for, and asks for nothing more.
    pub(super) fn end(&mut self, wire: &mut Wire<'_, 'r, F>) -> Result<(), WindowError> {
        let links = self.by_side.iter_mut().filter_map(Option::take);
        self.unwanted.extend(links.map(|link| link.state));
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
        match std::mem::replace(&mut link.state, State::Rest) {
            State::Rest => {
                link.state = State::Head(ask_head(link, wire)?);
                Ok(true)
            }
            State::Head(reading) => match reading.poll(wire.entry)? {
                Ok(head) => {
                    let (version, tenant) = meta(head.get());
                    self.judge(place, link, (version, tenant), wire)
                }
                Err(reading) => {
                    link.state = State::Head(reading);
                    Ok(false)
                }
            },
            State::Edge(wanted, reading) => match reading.poll(wire.entry)? {
                Ok(slot) => {
                    if let Some((version, cells)) = accept::<F>(slot.get(), link.neighbour, wanted)
                    {
                        self.show(place, link, version, cells);
                        link.owed = link.owed.saturating_sub(1);
                    } else {
                        self.tally.retries += 1;
                    }
                    Ok(false)
                }
                Err(reading) => {
                    link.state = State::Edge(wanted, reading);
                    Ok(false)
                }
            },
            State::Search(search, reading) => match reading.poll(wire.entry)? {
                Ok(word) => self.follow(link, search, word.get(), wire),
                Err(reading) => {
                    link.state = State::Search(search, reading);
                    Ok(false)
                }
            },
        }
    }

    /// The head has come: goes on to the edge, or to the search where the neighbour has left.
    fn judge(
        &mut self,
        place: usize,
        link: &mut Link<'r, F>,
        (version, tenant): (u64, u64),
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<bool, WindowError> {
        let bounds = wire.layout.bounds();
        let met = Met::of(Tenant::decode(tenant, bounds), link.neighbour, link.known.node);
        if let Some(search) = Search::new(link.known, met, bounds) {
            let entry = wire.layout.entry(link.neighbour);
            let reading = wire.ask(search.node(), entry..entry + 1)?;
            link.state = State::Search(search, reading);
            return Ok(true);
        }
        if wire.memory(link.known.node).is_some() {
            self.see(place, link, wire);
            link.owed = link.owed.saturating_sub(1);
            return Ok(false);
        }
        let (version, last) = match self.mode.wanted(own_version(place, wire)) {
            // What is later in the slot is welcome.
            Wanted::Newest => (version, u64::MAX),
            // The neighbour may be one ahead.
            Wanted::Exactly(wanted) if wanted <= version => (wanted, wanted),
            Wanted::Exactly(_) => return Ok(false),
        };
        // What was fetched may be newer than the head: edges are written before it.
        if link.fetched.is_some_and(|fetched| (version..=last).contains(&fetched)) {
            link.owed = link.owed.saturating_sub(1);
            return Ok(false);
        }
        // The neighbour's edge on the side that the reader is on.
        let size = self.cut.part(link.neighbour).size;
        let cells = match link.side {
            Side::Top | Side::Bottom => size.columns,
            Side::Left | Side::Right => size.rows,
        };
        let slot = wire.layout.slot(link.known.berth, link.side.opposite(), version, cells);
        link.state = State::Edge(version..=last, wire.ask_cells(link.known.node, slot)?);
        Ok(true)
    }

    /// Shows the workers the berth that a neighbour lies in.
    fn see(&mut self, place: usize, link: &Link<'r, F>, wire: &Wire<'_, 'r, F>) {
        let Location { node, berth, .. } = link.known;
        let ranks = wire.entry.nodes().with(wire.entry.rank());
        let Some(rank) = (0..).zip(ranks).find_map(|(place, rank)| (rank == node).then_some(place))
        else {
            return;
        };
        let number = BERTH + rank * wire.layout.bounds().berths + berth.0;
        let seen = self.sights.seen.get(place).map(|seen| seen.load(Ordering::Relaxed));
        if seen != Some(number) {
            self.sights.show(place, number);
            self.has_changed = true;
        }
    }

    /// Shows the workers an edge that was fetched whole.
    fn show(&mut self, place: usize, link: &mut Link<'r, F>, version: u64, cells: &[F::Shared]) {
        if let Some(mirror) = self.sights.mirrors.get(place) {
            mirror.publish(link.neighbour, version, cells);
        }
        if link.fetched.is_none() {
            self.sights.show(place, MIRROR);
            self.has_changed = true;
        }
        link.fetched = Some(version);
    }

    /// Another rank's directory has come.
    fn follow(
        &mut self,
        link: &mut Link<'r, F>,
        mut search: Search,
        word: &[AtomicU64],
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<bool, WindowError> {
        let word = word.first().map_or(0, |word| word.load(Ordering::Acquire));
        let entry = wire.layout.entry(link.neighbour);
        match search.read(Entry::decode(word, wire.layout.bounds())) {
            Step::Next(node) => {
                let reading = wire.ask(node, entry..entry + 1)?;
                link.state = State::Search(search, reading);
                Ok(true)
            }
            Step::Found(found) => {
                self.tally.forwards += u64::from(search.hops());
                link.known = found;
                shorten(link.neighbour, found, wire)?;
                Ok(true)
            }
            Step::Retry => Ok(false),
        }
    }

    /// A subdomain has come to a berth, with what is known of its neighbours; `here` tells the berths
    /// of those on this rank.
    pub(super) fn open_all(
        &mut self,
        berth: usize,
        reader: SubdomainId,
        neighbours: [Option<Location>; 4],
        here: impl Fn(SubdomainId) -> Option<usize>,
    ) {
        for (side, known) in Side::ALL.into_iter().zip(neighbours) {
            let Some(neighbour) = self.cut.neighbour(reader, side) else { continue };
            match (here(neighbour), known) {
                // Two that have come together read each other directly.
                (Some(other), _) => {
                    self.close(berth, side);
                    self.close(other, side.opposite());
                }
                (None, Some(known)) => self.open(berth, side, reader, known),
                // Not in a packet, which names all neighbours.
                (None, None) => {}
            }
        }
    }
}

/// Asks for the version and the tenant of the berth where a neighbour is known to be.
fn ask_head<'r, F: SharedReal<Shared: Word>>(
    link: &Link<'r, F>,
    wire: &mut Wire<'_, 'r, F>,
) -> Result<Reading<'r, AtomicU64>, WindowError> {
    let range = wire.layout.meta(link.known.berth);
    wire.ask(link.known.node, range)
}

/// Tells those who ask this rank for a subdomain next where it is now.
fn shorten<F: SharedReal<Shared: Word>>(
    id: SubdomainId,
    found: Location,
    wire: &mut Wire<'_, '_, F>,
) -> Result<(), WindowError> {
    let (own, place) = (wire.entry.rank(), wire.layout.entry(id));
    let entry = Entry::decode(wire.own(place), wire.layout.bounds());
    match shortened(own, entry, found) {
        Some(entry) => wire.store(own, place, entry.encode()),
        None => Ok(()),
    }
}

/// The update count of the subdomain in the berth of a place.
fn own_version<F: SharedReal<Shared: Word>>(place: usize, wire: &Wire<'_, '_, F>) -> u64 {
    let berth = Berth(u32::try_from(place / Side::ALL.len()).unwrap_or(u32::MAX));
    wire.own(wire.layout.head(berth) + head::VERSION)
}

/// The version and the tenant of a head.
fn meta(words: &[AtomicU64]) -> (u64, u64) {
    let word = |place: usize| words.get(place).map_or(0, |word| word.load(Ordering::Acquire));
    (word(0), word(1))
}
