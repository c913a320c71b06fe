//! What a rank reads of the others, directly through shared memory or by MPI: their words, in its
//! [`WindowTransport`], and the edges of neighbours, which its workers find in its [`GhostViews`].

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tresse_core::base::id::RankId;
use tresse_core::base::table::At;
use tresse_core::base::unit::Unit;
use tresse_core::parts::halo::{Bounds, Edges, Location, Mirror, Publication};
use tresse_core::ranks::{self, CellsAt, GhostView, Links, Place, RecordWords, Transport};

use crate::mpi::{Entry, Get, Progress, WindowError, Word};
use crate::rank::Windows;
use crate::rank::layout::Layout;

/// Words of another rank that were asked for.
pub(super) enum WordsComing<'r> {
    /// Words in shared memory, which can be read directly.
    Memory(&'r [AtomicU64]),
    /// A get that is on its way.
    Get(Get<AtomicU64>),
}

/// Words of another rank that are here.
pub(super) enum Words<'r> {
    Memory(&'r [AtomicU64]),
    Fetched(Box<[AtomicU64]>),
}

impl AsRef<[AtomicU64]> for Words<'_> {
    fn as_ref(&self) -> &[AtomicU64] {
        match self {
            Self::Memory(words) => words,
            Self::Fetched(words) => words,
        }
    }
}

/// Cells of another rank that were asked for. In the end they are a copy, as the original may be
/// written after it was found to be whole.
pub(super) enum CellsComing<W: Word> {
    /// The copied cells.
    Copied(Box<[W]>),
    /// A get that is on its way.
    Get(Get<W>),
}

/// The transport of one rank to the words of all, which lie in windows.
pub(super) struct WindowTransport<'m, 'r, F: Unit<Shared: Word>, const N: usize> {
    pub(super) entry: &'m mut Entry,
    pub(super) layout: Layout<N>,
    windows: &'r Windows<F>,
    /// Whether shared memory is not used even where the node has some.
    only_gets: bool,
    /// Gets whose words are no longer wanted, but which MPI writes to until they are complete.
    unwanted: (Vec<Get<AtomicU64>>, Vec<Get<F::Shared>>),
}

impl<'m, 'r, F: Unit<Shared: Word>, const N: usize> WindowTransport<'m, 'r, F, N> {
    /// Returns the transport without unwanted gets. With `only_gets`, ranks of the same node are
    /// read through MPI as well.
    pub(super) const fn new(
        entry: &'m mut Entry,
        layout: Layout<N>,
        windows: &'r Windows<F>,
        only_gets: bool,
    ) -> Self {
        Self { entry, layout, windows, only_gets, unwanted: (Vec::new(), Vec::new()) }
    }

    /// Returns the words of a rank that are in shared memory.
    fn memory(&self, rank: RankId) -> Option<&'r [AtomicU64]> {
        let own = rank == self.entry.rank();
        self.windows.words.of(rank).filter(|_| own || !self.only_gets)
    }

    /// Returns this rank's own words and cells.
    pub(super) fn local(&self) -> (&'r [AtomicU64], &'r [F::Shared]) {
        (self.windows.words.local(), self.windows.cells.local())
    }

    /// Drops the unwanted gets that are complete; returns whether none is left.
    pub(super) fn clear(&mut self) -> Result<bool, WindowError> {
        let (words, cells) = &mut self.unwanted;
        clear(words, self.entry)?;
        clear(cells, self.entry)?;
        Ok(words.is_empty() && cells.is_empty())
    }
}

/// Drops the gets that have ended in the meantime. Their buffers must live until then, though
/// nobody wants the words.
fn clear<W: Word>(unwanted: &mut Vec<Get<W>>, entry: &mut Entry) -> Result<(), WindowError> {
    for get in std::mem::take(unwanted) {
        if let Progress::Pending(get) = get.test(entry)? {
            unwanted.push(get);
        }
    }
    Ok(())
}

impl<'r, F: Unit<Shared: Word>, const N: usize> Transport for WindowTransport<'_, 'r, F, N> {
    type Unit = F;
    type Words = Words<'r>;
    type Cells = Box<[F::Shared]>;
    type WordsComing = WordsComing<'r>;
    type CellsComing = CellsComing<F::Shared>;
    type Error = WindowError;

    fn own(&self) -> RankId {
        self.entry.rank()
    }

    fn bounds(&self) -> Bounds {
        self.layout.bounds()
    }

    fn is_in_memory(&self, rank: RankId) -> bool {
        self.memory(rank).is_some()
    }

    fn load(&self, place: Place) -> u64 {
        let word = self.windows.words.local().get(self.layout.words_of(place).start);
        word.map_or(0, |word| word.load(Ordering::Acquire))
    }

    /// Writes a word; a rank that sees it sees everything that this rank has stored to its own
    /// words before.
    fn publish(&mut self, record: &RecordWords) {
        for (word, value) in self.local().0.iter().zip(record) {
            word.store(*value, Ordering::Release);
        }
    }

    fn put(&mut self, rank: RankId, place: Place, word: u64) -> Result<(), WindowError> {
        let offset = self.layout.words_of(place).start;
        if let Some(words) = self.memory(rank) {
            if let Some(place) = words.get(offset) {
                place.store(word, Ordering::Release);
            }
            return Ok(());
        }
        self.windows.sync(self.entry)?;
        self.windows.words.store(self.entry, rank, offset, word)
    }

    fn get(&mut self, rank: RankId, place: Place) -> Result<WordsComing<'r>, WindowError> {
        let range = self.layout.words_of(place);
        if let Some(words) = self.memory(rank) {
            return Ok(WordsComing::Memory(words.stretch(range)));
        }
        let buffer = range.clone().map(|_| AtomicU64::zero()).collect();
        let get = self.windows.words.start_get(self.entry, rank, range.start, buffer)?;
        Ok(WordsComing::Get(get))
    }

    fn get_cells(
        &mut self,
        rank: RankId,
        cells: CellsAt,
    ) -> Result<CellsComing<F::Shared>, WindowError> {
        let range = self.layout.cells_of(cells);
        if let Some(cells) = self.memory(rank).and_then(|_| self.windows.cells.of(rank)) {
            let copy = |cell| {
                let copied = F::shared_zero();
                F::store(&copied, F::load(cell));
                copied
            };
            let cells = cells.stretch(range);
            return Ok(CellsComing::Copied(cells.iter().map(copy).collect()));
        }
        let buffer = range.clone().map(|_| F::shared_zero()).collect();
        let get = self.windows.cells.start_get(self.entry, rank, range.start, buffer)?;
        Ok(CellsComing::Get(get))
    }

    fn poll(
        &mut self,
        coming: WordsComing<'r>,
    ) -> Result<Result<Words<'r>, WordsComing<'r>>, WindowError> {
        Ok(match coming {
            WordsComing::Memory(words) => Ok(Words::Memory(words)),
            WordsComing::Get(get) => match get.test(self.entry)? {
                Progress::Done(words) => Ok(Words::Fetched(words)),
                Progress::Pending(get) => Err(WordsComing::Get(get)),
            },
        })
    }

    fn poll_cells(
        &mut self,
        coming: CellsComing<F::Shared>,
    ) -> Result<Result<Self::Cells, Self::CellsComing>, WindowError> {
        Ok(match coming {
            CellsComing::Copied(cells) => Ok(cells),
            CellsComing::Get(get) => match get.test(self.entry)? {
                Progress::Done(cells) => Ok(cells),
                Progress::Pending(get) => Err(CellsComing::Get(get)),
            },
        })
    }

    fn forget(&mut self, coming: WordsComing<'r>) {
        if let WordsComing::Get(get) = coming {
            self.unwanted.0.push(get);
        }
    }

    fn forget_cells(&mut self, coming: CellsComing<F::Shared>) {
        if let CellsComing::Get(get) = coming {
            self.unwanted.1.push(get);
        }
    }
}

/// The value for a neighbour that is not seen yet; other values stand for the mirror of its edge,
/// or for the slot of this number among those of the node.
const UNSEEN: u32 = 0;
const MIRROR: u32 = 1;
const SLOT: u32 = 2;

/// The ghost views of a rank's workers: where they find the edges of neighbours on other ranks, one
/// place for each link of each slot.
pub struct GhostViews<'r, F: Unit, const N: usize> {
    seen: Vec<AtomicU32>,
    mirrors: &'r [Mirror<'r, F>],
    /// Publications by rank of this node and by slot.
    publications: &'r [Publication<'r, F, N>],
    /// Ranks of this node, in the order of their publications.
    together: &'r [RankId],
}

impl<'r, F: Unit, const N: usize> GhostViews<'r, F, N> {
    /// Returns the views before any neighbour is seen. There is a mirror for each link of each
    /// slot, and `publications` are those of the slots of all ranks of this node, `together`.
    pub fn new(
        mirrors: &'r [Mirror<'r, F>],
        publications: &'r [Publication<'r, F, N>],
        together: &'r [RankId],
    ) -> Self {
        let seen = mirrors.iter().map(|_| AtomicU32::new(UNSEEN)).collect();
        Self { seen, mirrors, publications, together }
    }

    /// Returns where a worker reads the edge of the neighbour on a link of a slot, or `None`
    /// where that neighbour is not seen yet.
    pub(super) fn edges(&self, slot: usize, link: usize) -> Option<Edges<'r, 'r, F, N>> {
        let place = Links::<(), (), (), (), (), N>::place(slot, link);
        match self.seen.get(place)?.load(Ordering::Acquire) {
            UNSEEN => None,
            MIRROR => self.mirrors.get(place).map(Edges::Fetched),
            other => self.publications.get((other - SLOT) as usize).map(Edges::Published),
        }
    }

    /// Returns the number of a slot among those of the node.
    fn number(&self, Location { rank, slot, .. }: Location) -> Option<u32> {
        let place = self.together.iter().position(|&other| other == rank)?;
        let slots = self.publications.len() / self.together.len();
        u32::try_from(place * slots + slot.index()).ok()?.checked_add(SLOT)
    }
}

impl<F: Unit, const N: usize> ranks::GhostViews<F> for &GhostViews<'_, F, N> {
    fn show(&mut self, place: usize, view: GhostView<'_, F>) -> bool {
        let shown = match view {
            GhostView::Nothing => Some(UNSEEN),
            GhostView::Slot(location) => self.number(location),
            GhostView::Edge(neighbour, version, cells) => self.mirrors.get(place).map(|mirror| {
                mirror.publish(neighbour, version, cells);
                MIRROR
            }),
        };
        let Some((seen, shown)) = self.seen.get(place).zip(shown) else { return false };
        let has_changed = seen.load(Ordering::Relaxed) != shown;
        if has_changed {
            seen.store(shown, Ordering::Release);
        }
        has_changed
    }
}
