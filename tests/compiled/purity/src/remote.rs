//! Moves subdomains of one rank among others, over memory that has all words at hand.

use core::convert::Infallible;
use core::sync::atomic::{AtomicU64, Ordering};

use tresse_core::balance::Mean;
use tresse_core::balance::dplb::Transfer;
use tresse_core::base::id::{RankId, SlotId, SubdomainId};
use tresse_core::base::time::{Duration, Instant};
use tresse_core::field::grid::Decomposition;
use tresse_core::node::worker::{Halts, Rounds, Versions};
use tresse_core::parts::halo::{Bounds, HaloTag, Location};
use tresse_core::ranks::migration::{Arrival, Departure, Packet, PacketError, pack};
use tresse_core::ranks::{
    CellsAt, GhostView, GhostViews, Home, LinkOf, LinksOf, MovingOf, Own, Place, Rank, RecordWords,
    SeenOf, Transport, ViewOf,
};

/// Words and cells that stand for those of every rank.
pub struct Lent<'a> {
    own: RankId,
    bounds: Bounds,
    words: &'a [AtomicU64],
    cells: &'a [AtomicU64],
}

impl Lent<'_> {
    const fn of(place: Place) -> usize {
        match place {
            Place::Record | Place::Overview | Place::Command | Place::Asked | Place::Packet => 0,
            Place::Head(slot) => slot.index(),
            Place::Mailbox(rank) | Place::Answer(rank) => rank.index(),
            Place::Entry(id) => id.index(),
        }
    }
}

impl<'a> Transport for Lent<'a> {
    type Unit = f64;
    type Words = &'a [AtomicU64];
    type Cells = &'a [AtomicU64];
    type WordsComing = Place;
    type CellsComing = CellsAt;
    type Error = Infallible;

    fn own(&self) -> RankId {
        self.own
    }

    fn bounds(&self) -> Bounds {
        self.bounds
    }

    fn is_in_memory(&self, rank: RankId) -> bool {
        rank == self.own
    }

    fn load(&self, place: Place) -> u64 {
        self.words.get(Self::of(place)).map_or(0, |word| word.load(Ordering::Acquire))
    }

    fn publish(&mut self, record: &RecordWords) {
        for (word, value) in self.words.iter().zip(record) {
            word.store(*value, Ordering::Release);
        }
    }

    fn put(&mut self, _: RankId, place: Place, word: u64) -> Result<(), Infallible> {
        if let Some(place) = self.words.get(Self::of(place)) {
            place.store(word, Ordering::Release);
        }
        Ok(())
    }

    fn get(&mut self, _: RankId, place: Place) -> Result<Place, Infallible> {
        Ok(place)
    }

    fn get_cells(&mut self, _: RankId, cells: CellsAt) -> Result<CellsAt, Infallible> {
        Ok(cells)
    }

    fn poll(&mut self, place: Place) -> Result<Result<&'a [AtomicU64], Place>, Infallible> {
        Ok(self.words.get(Self::of(place)..).ok_or(place))
    }

    fn poll_cells(
        &mut self,
        cells: CellsAt,
    ) -> Result<Result<&'a [AtomicU64], CellsAt>, Infallible> {
        let _ = cells;
        Ok(Ok(self.cells))
    }

    fn forget(&mut self, _: Place) {}

    fn forget_cells(&mut self, _: CellsAt) {}
}

/// The last ghost view.
#[derive(Default)]
pub struct LastView(u64);

impl GhostViews<f64> for LastView {
    fn show(&mut self, place: usize, view: GhostView<'_, f64>) -> bool {
        self.0 = match view {
            GhostView::Nothing => place as u64,
            GhostView::Slot(location) => location.epoch.into(),
            GhostView::Edge(_, version, _) => version,
        };
        true
    }
}

/// A rank whose workers take everything.
pub struct Taker<'a> {
    words: &'a [AtomicU64],
    cells: &'a [AtomicU64],
    last: Option<(SubdomainId, Option<SlotId>)>,
    error: Option<PacketError>,
}

impl Home<f64> for Taker<'_> {
    fn release(&mut self, _: SubdomainId) -> bool {
        true
    }

    fn take(&mut self, _: SubdomainId) -> bool {
        true
    }

    fn pack(
        &mut self,
        departure: Departure,
        neighbours: [Option<Location>; 4],
        sequence: u32,
    ) -> bool {
        let packet = Packet {
            subdomain: departure.transfer.subdomain,
            epoch: departure.epoch,
            version: 0,
            residual: 0,
            sweep_time: Duration::ZERO,
            units: 4,
            neighbours,
        };
        pack(self.words, self.cells, &packet, sequence, [0.0; 4]);
        self.cells.len() >= 4
    }

    fn install(&mut self, slot: SlotId, packet: &Packet, cells: &[AtomicU64]) -> bool {
        self.last = Some((packet.subdomain, Some(slot)));
        !cells.is_empty()
    }

    fn admit(&mut self, slot: SlotId, tag: HaloTag) {
        self.last = Some((tag.subdomain, Some(slot)));
    }

    fn place(&mut self, id: SubdomainId, slot: Option<SlotId>) {
        self.last = Some((id, slot));
    }

    fn slot(&self, id: SubdomainId) -> Option<usize> {
        self.last.filter(|last| last.0 == id)?.1.map(SlotId::index)
    }

    fn give(&mut self, id: SubdomainId) {
        self.last = Some((id, None));
    }

    fn updates(&self, id: SubdomainId) -> Option<u64> {
        Some(id.0.into())
    }

    fn chooses_at(&self) -> Instant {
        Instant(1)
    }

    fn choose(&mut self, now: Instant, means: &[Mean]) -> Option<Transfer> {
        let to = means.iter().position(|mean| mean.updates > now.0)?;
        let to = RankId(u32::try_from(to).ok()?);
        Some(Transfer { subdomain: SubdomainId(0), from: RankId(0), to })
    }

    fn arrived(&mut self) {
        self.last = None;
    }

    fn refused(&mut self, _: Arrival, error: PacketError) {
        self.error = Some(error);
    }
}

type Links<'m, 'a> = LinksOf<Lent<'a>, Decomposition, LastView, &'m mut [Option<LinkOf<Lent<'a>>>]>;
type Moves<'m, 'a> = MovingOf<Lent<'a>, Decomposition, &'m mut [u32], &'m mut [bool]>;
type Seen<'m, 'a> = ViewOf<Lent<'a>, &'m mut [SeenOf<Lent<'a>>], &'m mut [Mean]>;

#[inline(never)]
pub fn exchange<'a>(
    rank: &mut Rank<Links<'_, 'a>, Moves<'_, 'a>, Seen<'_, 'a>>,
    (own, halts): (Own, &Halts<AtomicU64>),
    versions: Option<Versions<'_, AtomicU64>>,
    (home, transport): (&mut Taker<'_>, &mut Lent<'a>),
    counts: &mut [u64],
) -> bool {
    halts.wish();
    let Ok(exchanged) = rank.exchange(own, halts, versions, home, transport);
    let mut is_settled = false;
    for rounds in [Rounds::SETTLE, Rounds::FETCH, Rounds::Fetching] {
        let Ok(waits) = rank.advance_round(rounds, home, transport);
        is_settled |= rank.next_round(rounds, waits, halts).is_none();
    }
    rank.view.counts(counts, transport.bounds());
    rank.view.end(transport);
    let sent: u64 = rank.view.others().map(|record| record.sent).sum();
    rank.links.renew();
    rank.links.renew_all();
    exchanged.halts || is_settled || sent > 0 || rank.links.are_fresh()
}

#[inline(never)]
pub fn open<'a>(
    links: &mut Links<'_, 'a>,
    homes: &[Location],
    (reader, slot): (SubdomainId, usize),
    transport: &mut Lent<'a>,
) {
    links.open_first(core::iter::once((reader, slot)), homes, transport);
    links.end(transport);
}
