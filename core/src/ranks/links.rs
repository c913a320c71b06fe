//! Links to the neighbours on other ranks, and the newest of their edges.
//!
//! A neighbour in memory that both ranks share is read by the workers themselves, straight from the
//! slot that it lies in. Any other is fetched. [`Reader`] decides which words to get, and judges
//! those that come; the label of an edge says whether it is whole, whose, and of which version
//! ([`accept`]).

use crate::base::unit::Unit;
use core::marker::PhantomData;
use core::mem;

use super::transport::{CellsAt, Place, Transport};
use crate::base::id::{SlotId, SubdomainId};
use crate::base::sync::{AtomicU64, Ordering};
use crate::parts::Graph;
use crate::parts::halo::{
    Around, DirectoryEntry, Heard, Location, Reader, Request, accept, shortened,
};
use crate::run::Mode;

/// A ghost view: what the workers of a rank see of a neighbour on another rank.
#[derive(Debug)]
pub enum GhostView<'c, F: Unit> {
    /// There is nothing to see yet, or nothing any more.
    Nothing,
    /// The slot that it lies in, in memory that workers read on their own.
    Slot(Location),
    /// An edge of it that was fetched whole.
    Edge(SubdomainId, u64, &'c [F::Shared]),
}

/// The ghost views of a rank's workers: of all their neighbours on other ranks.
pub trait GhostViews<F: Unit> {
    /// Shows the present ghost view of the neighbour at a place, [`Links::place`]. Returns whether
    /// workers have to look again where their neighbours are.
    fn show(&mut self, place: usize, view: GhostView<'_, F>) -> bool;
}

/// Words that were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Coming<W, C> {
    /// No words were asked for.
    Nothing,
    /// A head, or an entry of a directory.
    Words(W),
    /// An edge.
    Edge(C),
}

/// A neighbour on another rank, and the words of it that are on their way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link<W, C> {
    /// The neighbour's reader.
    pub reader: Reader,
    /// The neighbour's link that leads here.
    back: usize,
    /// Words that were asked for.
    pub coming: Coming<W, C>,
}

/// A link over a transport.
pub type LinkOf<T> = Link<<T as Transport>::WordsComing, <T as Transport>::CellsComing>;

/// Counts of the links' work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Edges that did not come whole, or not as they were wanted.
    pub retries: u64,
    /// Forwards followed.
    pub forwards: u64,
}

/// All neighbours of a rank's subdomains that are on other ranks, on memory of [`Links::LINKS`]
/// elements a slot, lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Links<G, S, W, C, M> {
    graph: G,
    mode: Mode,
    /// The ghost views of the workers.
    pub ghost_views: S,
    by_place: M,
    /// Counts of the links' work.
    pub tally: Tally,
    /// Whether workers have to look again where their neighbours are.
    pub has_changed: bool,
    coming: PhantomData<(W, C)>,
}

/// Links over a transport.
pub type LinksOf<T, G, S, M> =
    Links<G, S, <T as Transport>::WordsComing, <T as Transport>::CellsComing, M>;

impl<G, S, W, C, M> Links<G, S, W, C, M> {
    /// Links of a subdomain.
    pub const LINKS: usize = 4;

    /// Returns links without neighbours.
    pub const fn new(graph: G, mode: Mode, ghost_views: S, by_place: M) -> Self {
        let tally = Tally { retries: 0, forwards: 0 };
        Self { graph, mode, ghost_views, by_place, tally, has_changed: false, coming: PhantomData }
    }

    /// Returns the place of a link of a slot.
    pub const fn place(slot: usize, link: usize) -> usize {
        slot * Self::LINKS + link
    }
}

impl<G, S, W, C, M: AsRef<[Option<Link<W, C>>]>> Links<G, S, W, C, M> {
    /// Returns the neighbour at a place.
    pub fn link(&self, place: usize) -> Option<&Link<W, C>> {
        self.by_place.as_ref().get(place)?.as_ref()
    }

    /// Returns all neighbours that are followed.
    pub fn links(&self) -> impl Iterator<Item = &Link<W, C>>
    where
        W: 'static,
        C: 'static,
    {
        self.by_place.as_ref().iter().flatten()
    }

    fn of(&self, slot: usize) -> [Option<&Link<W, C>>; 4] {
        core::array::from_fn(|link| self.link(Self::place(slot, link)))
    }

    /// Returns the location where the neighbour on a link of a slot's subdomain is known to be.
    pub fn known(&self, slot: usize, link: usize) -> Option<Location> {
        self.link(Self::place(slot, link)).map(|link| link.reader.known())
    }

    /// Returns the versions that a slot's subdomain may have read of its neighbours on other ranks.
    pub fn fetched(&self, slot: usize) -> [u64; 4] {
        self.of(slot).map(|link| link.and_then(|link| link.reader.fetched()).unwrap_or(0))
    }

    /// Whether all of these versions are out.
    pub fn have_shown(&self, slot: usize, versions: [u64; 4]) -> bool {
        let mut links = self.of(slot).into_iter().zip(versions);
        links.all(|(link, version)| link.is_none_or(|link| link.reader.has_shown(version)))
    }

    /// Whether no link owes a look.
    pub fn are_fresh(&self) -> bool {
        self.by_place.as_ref().iter().flatten().all(|link| link.reader.is_fresh())
    }
}

impl<G, S, W, C, M: AsMut<[Option<Link<W, C>>]>> Links<G, S, W, C, M> {
    /// Makes every link owe one look, which is begun after this call.
    pub fn renew(&mut self) {
        self.by_place.as_mut().iter_mut().flatten().for_each(|link| link.reader.renew());
    }

    /// Makes every link owe one look, and fetches edges again that have been: before the first
    /// sweep they may have been fetched before they were there.
    pub fn renew_all(&mut self) {
        self.by_place.as_mut().iter_mut().flatten().for_each(|link| link.reader.renew_whole());
    }
}

impl<G: Graph, S, W, C, M: AsMut<[Option<Link<W, C>>]>> Links<G, S, W, C, M> {
    /// Opens the links of all subdomains where they start, and are known to be: those `here` with
    /// their slots, and by subdomain the places of all.
    pub fn open_first<T>(
        &mut self,
        here: impl Iterator<Item = (SubdomainId, usize)>,
        homes: &[Location],
        transport: &mut T,
    ) where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let own = transport.own();
        for (reader, slot) in here {
            let neighbours = self.graph.neighbours(reader).into_iter().enumerate();
            for (link, neighbour) in neighbours {
                let home = neighbour.and_then(|neighbour| homes.get(neighbour.index()));
                if let Some(home) = home.filter(|home| home.rank != own) {
                    self.open((slot, link), reader, *home, transport);
                }
            }
        }
    }

    /// Opens a link of the subdomain in a slot to a neighbour on another rank, which is known to
    /// be, or to have been, at a place.
    pub fn open<T>(
        &mut self,
        (slot, link): (usize, usize),
        reader: SubdomainId,
        known: Location,
        transport: &mut T,
    ) where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let neighbour = self.graph.neighbours(reader).get(link).copied().flatten();
        let Some(neighbour) = neighbour else { return };
        self.close((slot, link), transport);
        let back = self.graph.back(reader, link);
        if let Some(opened) = self.by_place.as_mut().get_mut(Self::place(slot, link)) {
            let reader = Reader::new(neighbour, known);
            *opened = Some(Link { reader, back, coming: Coming::Nothing });
            self.has_changed = true;
        }
    }

    /// Closes a link: the neighbour is on this rank now, or the slot has nobody any more.
    pub fn close<T>(&mut self, (slot, link): (usize, usize), transport: &mut T)
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let place = Self::place(slot, link);
        if let Some(link) = self.by_place.as_mut().get_mut(place).and_then(Option::take) {
            forget(link.coming, transport);
            self.ghost_views.show(place, GhostView::Nothing);
            self.has_changed = true;
        }
    }

    /// Opens the links of a subdomain that has come to a slot, with the known places of its
    /// neighbours; `here` tells the slots of those on this rank.
    pub fn open_all<T>(
        &mut self,
        slot: usize,
        reader: SubdomainId,
        neighbours: [Option<Location>; 4],
        here: impl Fn(SubdomainId) -> Option<usize>,
        transport: &mut T,
    ) where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let links = self.graph.neighbours(reader).into_iter().zip(neighbours).enumerate();
        for (link, (neighbour, known)) in links {
            match (neighbour.map(&here), known) {
                // Two that have come together read each other directly.
                (Some(Some(other)), _) => {
                    self.close((slot, link), transport);
                    self.close((other, self.graph.back(reader, link)), transport);
                }
                (Some(None), Some(known)) => self.open((slot, link), reader, known, transport),
                // No neighbour, or an unknown place, which no packet has: it names all neighbours.
                (Some(None) | None, _) => {}
            }
        }
    }

    /// Advances each look as far as it goes without waiting; those at memory are complete then.
    pub fn advance<T>(&mut self, transport: &mut T) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        for place in 0..self.by_place.as_mut().len() {
            self.with(place, |links, link| {
                while links.step_of(place, link, transport)? {}
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Ends all looks: nobody wants the words that were asked for any more, and no more are asked
    /// for.
    pub fn end<T>(&mut self, transport: &mut T)
    where
        T: Transport<WordsComing = W, CellsComing = C>,
    {
        let links = self.by_place.as_mut().iter_mut().filter_map(Option::take);
        links.for_each(|link| forget(link.coming, transport));
    }

    /// Makes one step of the look at a place; returns whether the next can be made at once.
    pub fn step<T>(&mut self, place: usize, transport: &mut T) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        self.with(place, |links, link| links.step_of(place, link, transport))
    }

    /// Takes out the link at a place meanwhile; a default where there is none.
    #[inline]
    fn with<R: Default, E>(
        &mut self,
        place: usize,
        act: impl FnOnce(&mut Self, &mut Link<W, C>) -> Result<R, E>,
    ) -> Result<R, E> {
        let Some(mut link) = self.by_place.as_mut().get_mut(place).and_then(Option::take) else {
            return Ok(R::default());
        };
        let done = act(self, &mut link);
        if let Some(kept) = self.by_place.as_mut().get_mut(place) {
            *kept = Some(link);
        }
        done
    }

    fn step_of<T>(
        &mut self,
        place: usize,
        link: &mut Link<W, C>,
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        match mem::replace(&mut link.coming, Coming::Nothing) {
            Coming::Nothing => match link.reader.begin() {
                Some(request) => ask(request, link, transport).map(|()| true),
                None => Ok(false),
            },
            Coming::Words(coming) => match transport.poll(coming)? {
                Ok(words) => self.hear(place, link, words.as_ref(), transport),
                Err(coming) => {
                    link.coming = Coming::Words(coming);
                    Ok(false)
                }
            },
            Coming::Edge(coming) => {
                match transport.poll_cells(coming)? {
                    Ok(copy) => self.take(place, link, copy.as_ref()),
                    Err(coming) => link.coming = Coming::Edge(coming),
                }
                Ok(false)
            }
        }
    }

    /// Takes a head or an entry that has come; returns whether the next step can be made at once.
    fn hear<T>(
        &mut self,
        place: usize,
        link: &mut Link<W, C>,
        words: &[AtomicU64],
        transport: &mut T,
    ) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let word = |place: usize| words.get(place).map_or(0, |word| word.load(Ordering::Acquire));
        let slot = SlotId(u32::try_from(place / Self::LINKS).unwrap_or(u32::MAX));
        let around = Around {
            bounds: transport.bounds(),
            wanted: self.mode.wanted(transport.load(Place::Head(slot))),
            is_in_memory: transport.is_in_memory(link.reader.known().rank),
        };
        match link.reader.hear([word(0), word(1)], &around) {
            Heard::Needs(request) => ask(request, link, transport).map(|()| true),
            Heard::InMemory(known) => {
                self.has_changed |= self.ghost_views.show(place, GhostView::Slot(known));
                Ok(false)
            }
            Heard::Found(found, forwards) => {
                self.tally.forwards += u64::from(forwards);
                shorten(link.reader.neighbour(), found, transport)?;
                Ok(true)
            }
            Heard::Nothing => Ok(false),
        }
    }

    /// Takes an edge that has come: it is shown to the workers, if its label says that it is the
    /// one that is wanted.
    fn take<F: Unit>(&mut self, place: usize, link: &mut Link<W, C>, copy: &[F::Shared])
    where
        S: GhostViews<F>,
    {
        let neighbour = link.reader.neighbour();
        let wanted = link.reader.edge();
        match wanted.and_then(|wanted| accept::<F>(copy, neighbour, wanted)) {
            Some((version, cells)) => {
                let edge = GhostView::Edge(neighbour, version, cells);
                self.has_changed |= self.ghost_views.show(place, edge);
                link.reader.accepted(version);
            }
            None => self.tally.retries += 1,
        }
    }
}

/// Asks for the words that a reader needs.
fn ask<T: Transport>(
    request: Request,
    link: &mut LinkOf<T>,
    transport: &mut T,
) -> Result<(), T::Error> {
    let of = link.reader.neighbour();
    link.coming = match request {
        Request::Head(Location { rank, slot, .. }) => {
            Coming::Words(transport.get(rank, Place::Head(slot))?)
        }
        Request::Entry(rank) => Coming::Words(transport.get(rank, Place::Entry(of))?),
        Request::Edge(Location { rank, slot, .. }, version) => {
            let edge = CellsAt::Edge { slot, of, link: link.back, version };
            Coming::Edge(transport.get_cells(rank, edge)?)
        }
    };
    Ok(())
}

fn forget<T: Transport>(coming: Coming<T::WordsComing, T::CellsComing>, transport: &mut T) {
    match coming {
        Coming::Nothing => {}
        Coming::Words(coming) => transport.forget(coming),
        Coming::Edge(coming) => transport.forget_cells(coming),
    }
}

/// Shortens this rank's forward to the subdomain's new place, for those who ask this rank next.
fn shorten<T: Transport>(
    id: SubdomainId,
    found: Location,
    transport: &mut T,
) -> Result<(), T::Error> {
    let own = transport.own();
    let entry = DirectoryEntry::decode(transport.load(Place::Entry(id)), transport.bounds());
    match shortened(own, entry, found) {
        Some(entry) => transport.put(own, Place::Entry(id), entry.encode()),
        None => Ok(()),
    }
}
