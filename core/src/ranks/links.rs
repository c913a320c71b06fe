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
    DirectoryEntry, FetchedEdge, Location, ReadContext, Reader, ReaderAction, Request, accept,
    shortened,
};
use crate::run::Mode;

/// A ghost view: what a rank's workers can read of a neighbour on another rank.
#[derive(Debug)]
pub enum GhostView<'c, F: Unit> {
    /// There is nothing to see yet, or nothing any more.
    Nothing,
    /// The slot in which it lies, in memory that workers read directly.
    Slot(Location),
    /// A valid edge that was fetched: its subdomain, version and cells.
    Edge(SubdomainId, u64, &'c [F::Shared]),
}

/// The ghost views of a rank's workers: of all their neighbours on other ranks.
pub trait GhostViews<F: Unit> {
    /// Replaces the ghost view at a place ([`Links::place`]). Returns whether workers have to look
    /// up their neighbours again.
    fn show(&mut self, place: usize, view: GhostView<'_, F>) -> bool;
}

/// The outstanding fetch of a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Coming<W, C> {
    /// No words were asked for.
    Nothing,
    /// A head, or a directory entry.
    Words(W),
    /// An edge.
    Edge(C),
}

/// A link to a neighbour on another rank, with its outstanding fetch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link<W, C> {
    /// The neighbour's reader.
    pub reader: Reader,
    /// The neighbour's own link that leads back here.
    back: usize,
    /// Units of the edge that the neighbour publishes there.
    units: u32,
    /// The outstanding fetch.
    pub coming: Coming<W, C>,
}

/// A link over a transport.
pub type LinkOf<T> = Link<<T as Transport>::WordsComing, <T as Transport>::CellsComing>;

/// Counts of the links' work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Fetched edges that were torn, or not of a wanted version.
    pub retries: u64,
    /// Hops from directory to directory while searching for neighbours.
    pub forwards: u64,
}

/// All neighbours of a rank's subdomains that are on other ranks, on memory of `N` elements a slot,
/// one for each link, lent or owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Links<G, S, W, C, M, const N: usize = 4> {
    graph: G,
    mode: Mode,
    /// The ghost views of the workers.
    pub ghost_views: S,
    by_place: M,
    /// Counts of the links' work.
    pub tally: Tally,
    /// Whether workers have to look up their neighbours again.
    pub has_changed: bool,
    coming: PhantomData<(W, C)>,
}

/// Links over a transport.
pub type LinksOf<T, G, S, M, const N: usize = 4> =
    Links<G, S, <T as Transport>::WordsComing, <T as Transport>::CellsComing, M, N>;

impl<G, S, W, C, M, const N: usize> Links<G, S, W, C, M, N> {
    /// Returns links without neighbours.
    pub const fn new(graph: G, mode: Mode, ghost_views: S, by_place: M) -> Self {
        let tally = Tally { retries: 0, forwards: 0 };
        Self { graph, mode, ghost_views, by_place, tally, has_changed: false, coming: PhantomData }
    }

    /// Returns the index of a link of a slot among all links.
    pub const fn place(slot: usize, link: usize) -> usize {
        slot * N + link
    }
}

impl<G, S, W, C, M, const N: usize> Links<G, S, W, C, M, N>
where
    M: AsRef<[Option<Link<W, C>>]>,
{
    /// Returns the link at a place; none where it leads to no other rank.
    pub fn link(&self, place: usize) -> Option<&Link<W, C>> {
        self.by_place.as_ref().get(place)?.as_ref()
    }

    /// Returns all links to neighbours on other ranks.
    pub fn links(&self) -> impl Iterator<Item = &Link<W, C>>
    where
        W: 'static,
        C: 'static,
    {
        self.by_place.as_ref().iter().flatten()
    }

    /// Returns the links of a slot.
    fn of(&self, slot: usize) -> [Option<&Link<W, C>>; N] {
        core::array::from_fn(|link| self.link(Self::place(slot, link)))
    }

    /// Returns where the neighbour on a link of a slot's subdomain is known to be.
    pub fn known(&self, slot: usize, link: usize) -> Option<Location> {
        self.link(Self::place(slot, link)).map(|link| link.reader.known())
    }

    /// Returns, by link, the last fetched version of each neighbour of a slot's subdomain; 0 where
    /// there is none.
    pub fn fetched(&self, slot: usize) -> [u64; N] {
        self.of(slot).map(|link| link.and_then(|link| link.reader.fetched()).unwrap_or(0))
    }

    /// Whether all neighbours of a slot's subdomain are known to have published these versions.
    pub fn have_shown(&self, slot: usize, versions: [u64; N]) -> bool {
        let mut links = self.of(slot).into_iter().zip(versions);
        links.all(|(link, version)| link.is_none_or(|link| link.reader.has_shown(version)))
    }

    /// Whether no link owes a fetch ([`Links::renew`]).
    pub fn are_fresh(&self) -> bool {
        self.by_place.as_ref().iter().flatten().all(|link| link.reader.is_fresh())
    }
}

impl<G, S, W, C, M: AsMut<[Option<Link<W, C>>]>, const N: usize> Links<G, S, W, C, M, N> {
    /// Makes every link owe one fetch that begins after this call.
    pub fn renew(&mut self) {
        self.by_place.as_mut().iter_mut().flatten().for_each(|link| link.reader.renew());
    }

    /// Makes every link owe one fetch, even of an edge that is here already: before the first sweep
    /// it may have been fetched too early.
    pub fn renew_all(&mut self) {
        self.by_place.as_mut().iter_mut().flatten().for_each(|link| link.reader.renew_whole());
    }
}

impl<G, S, W, C, M, const N: usize> Links<G, S, W, C, M, N>
where
    G: Graph<N>,
    M: AsMut<[Option<Link<W, C>>]>,
{
    /// Opens the links of all subdomains at the start. `here` has the subdomains of this rank and
    /// their slots; `homes` the location of every subdomain.
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
                    self.open(slot, link, reader, *home, transport);
                }
            }
        }
    }

    /// Opens a link of the subdomain `reader`, in a slot, to its neighbour on another rank, which
    /// is or was at the location `known`.
    pub fn open<T>(
        &mut self,
        slot: usize,
        link: usize,
        reader: SubdomainId,
        known: Location,
        transport: &mut T,
    ) where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let neighbour = self.graph.neighbours(reader).get(link).copied().flatten();
        let Some(neighbour) = neighbour else { return };
        self.close(slot, link, transport);
        let back = self.graph.back(reader, link);
        if let Some(opened) = self.by_place.as_mut().get_mut(Self::place(slot, link)) {
            let units = self.graph.edge(self.graph.size(neighbour), back);
            let reader = Reader::new(neighbour, known);
            *opened = Some(Link { reader, back, units, coming: Coming::Nothing });
            self.has_changed = true;
        }
    }

    /// Closes a link, as the neighbour is on this rank now, or the slot is empty.
    pub fn close<T>(&mut self, slot: usize, link: usize, transport: &mut T)
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        let place = Self::place(slot, link);
        if let Some(link) = self.by_place.as_mut().get_mut(place).and_then(Option::take) {
            cancel_fetch(link.coming, transport);
            self.ghost_views.show(place, GhostView::Nothing);
            self.has_changed = true;
        }
    }

    /// Opens the links of a subdomain that has come to a slot. `neighbours` has the known locations
    /// by link; `here` returns the slot of a neighbour on this rank.
    pub fn open_all<T>(
        &mut self,
        slot: usize,
        reader: SubdomainId,
        neighbours: [Option<Location>; N],
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
                    self.close(slot, link, transport);
                    self.close(other, self.graph.back(reader, link), transport);
                }
                (Some(None), Some(known)) => self.open(slot, link, reader, known, transport),
                // No neighbour, or an unknown place, which no packet has: it names all neighbours.
                (Some(None) | None, _) => {}
            }
        }
    }

    /// Advances the fetch of every link as far as it goes without waiting. Where memory is shared,
    /// fetches are complete then.
    pub fn advance<T>(&mut self, transport: &mut T) -> Result<(), T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        for place in 0..self.by_place.as_mut().len() {
            self.with_link(place, |links, link| {
                while links.step_of(place, link, transport)? {}
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Cancels all outstanding fetches, and closes all links.
    pub fn end<T>(&mut self, transport: &mut T)
    where
        T: Transport<WordsComing = W, CellsComing = C>,
    {
        let links = self.by_place.as_mut().iter_mut().filter_map(Option::take);
        links.for_each(|link| cancel_fetch(link.coming, transport));
    }

    /// Makes one step of the fetch at a place; returns whether the next step can be made at once.
    pub fn step<T>(&mut self, place: usize, transport: &mut T) -> Result<bool, T::Error>
    where
        T: Transport<WordsComing = W, CellsComing = C>,
        S: GhostViews<T::Unit>,
    {
        self.with_link(place, |links, link| links.step_of(place, link, transport))
    }

    /// Calls `act` with the link at a place, which is taken out meanwhile; returns a default where
    /// there is none.
    #[inline]
    fn with_link<R: Default, E>(
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

    /// Makes one step of the fetch of `link`: begins it, or handles what has come. Returns whether
    /// the next step can be made at once.
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
                Some(request) => start_fetch(request, link, transport).map(|()| true),
                None => Ok(false),
            },
            Coming::Words(coming) => match transport.poll(coming)? {
                Ok(words) => self.on_words(place, link, words.as_ref(), transport),
                Err(coming) => {
                    link.coming = Coming::Words(coming);
                    Ok(false)
                }
            },
            Coming::Edge(coming) => {
                match transport.poll_cells(coming)? {
                    Ok(copy) => self.on_edge(place, link, copy.as_ref()),
                    Err(coming) => link.coming = Coming::Edge(coming),
                }
                Ok(false)
            }
        }
    }

    /// Handles a head or a directory entry that has come; returns whether the next step can be made
    /// at once.
    fn on_words<T>(
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
        let slot = SlotId(u32::try_from(place / N).unwrap_or(u32::MAX));
        let context = ReadContext {
            bounds: transport.bounds(),
            wanted: self.mode.wanted(transport.load(Place::Head(slot))),
            is_in_memory: transport.is_in_memory(link.reader.known().rank),
        };
        match link.reader.on_words([word(0), word(1)], &context) {
            ReaderAction::Needs(request) => start_fetch(request, link, transport).map(|()| true),
            ReaderAction::InMemory(known) => {
                self.has_changed |= self.ghost_views.show(place, GhostView::Slot(known));
                Ok(false)
            }
            ReaderAction::Found(found, hops) => {
                self.tally.forwards += u64::from(hops);
                shorten(link.reader.neighbour(), found, transport)?;
                Ok(true)
            }
            ReaderAction::Nothing => Ok(false),
        }
    }

    /// Validates an edge that has come, and shows it to the workers. An edge that is torn or not
    /// wanted is counted as a retry.
    fn on_edge<F: Unit>(&mut self, place: usize, link: &mut Link<W, C>, copy: &[F::Shared])
    where
        S: GhostViews<F>,
    {
        let neighbour = link.reader.neighbour();
        let wanted = link.reader.edge();
        match wanted.and_then(|wanted| accept::<F>(copy, neighbour, wanted)) {
            Some(FetchedEdge { version, cells }) => {
                let edge = GhostView::Edge(neighbour, version, cells);
                self.has_changed |= self.ghost_views.show(place, edge);
                link.reader.accepted(version);
            }
            None => self.tally.retries += 1,
        }
    }
}

/// Starts the fetch of the words that a reader has requested.
fn start_fetch<T: Transport>(
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
            let edge = CellsAt::Edge { slot, link: link.back, version, units: link.units };
            Coming::Edge(transport.get_cells(rank, edge)?)
        }
    };
    Ok(())
}

/// Cancels a fetch whose result nobody wants any more.
fn cancel_fetch<T: Transport>(coming: Coming<T::WordsComing, T::CellsComing>, transport: &mut T) {
    match coming {
        Coming::Nothing => {}
        Coming::Words(coming) => transport.forget(coming),
        Coming::Edge(coming) => transport.forget_cells(coming),
    }
}

/// Writes the subdomain's present location into this rank's forward, so that those who search next
/// need fewer hops.
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
