//! Halo exchange: a subdomain publishes its edges, its neighbours read the newest ones.
//!
//! Each edge has [`EDGE_BUFFERS`] buffers, and version `v` is written to buffer `v % EDGE_BUFFERS`.
//! That one is written next for version `v + EDGE_BUFFERS`, which begins only when version
//! `v + EDGE_BUFFERS - 1` is out: so a reader of the newest version is disturbed only if the writer
//! publishes two more versions meanwhile. The reader sees that from the version number and reads
//! again. Readers and the writer never wait for
//! each other, and every word is an atomic, so nothing is a data race; the fences make sure that a
//! disturbed reader notices (Boehm 2012, "Can seqlocks get along with programming language memory
//! models?"). Who cannot look at the version in order, since it copies from afar, goes by the label
//! of a buffer instead: see [`accept`](super::accept).
//!
//! All of it lies in words that the host lends, which may be those of a window that other processes
//! see as well. There a place may get another subdomain; so a reader says whose edge it wants, and
//! is told where it is not there any more (Zarins & Weiland 2020, section 3.2: the metadata of a
//! halo). A subdomain may also go and come back while a reader sleeps, with the version that it had:
//! so arrivals are counted as well.

use super::shared_real::SharedReal;
use super::sync::{AtomicF64, AtomicU64, Ordering, fence};
use super::{label, row};
use crate::grid::Side;
use crate::id::SubdomainId;
use crate::migration::HaloTag;
use crate::schedule::Wanted;
use crate::stencil::Layout;
use crate::time::Duration;

/// Versions of an edge that are kept: the newest, the one before (which a synchronous neighbour
/// may still need), and the one being written.
pub const EDGE_BUFFERS: usize = 3;

/// The words of a publication beside its edges: two cache lines, so that no two subdomains ever
/// share one, nor a pair of them that is fetched together.
pub const HEAD_WORDS: usize = 16;

/// The place of each word in a head, for those who read it from afar.
pub mod head {
    /// The number of updates so far.
    pub const VERSION: usize = 0;
    /// A [`HaloTag`](crate::migration::HaloTag): who lies here, and who has it now.
    pub const HALO_TAG: usize = 1;
}

/// Memory for the head of one publication.
#[derive(Debug)]
#[repr(align(128))]
pub struct Head([AtomicU64; HEAD_WORDS]);

impl Head {
    /// A head of nobody.
    pub fn new() -> Self {
        Self(core::array::from_fn(|_| AtomicU64::new(0)))
    }

    /// Its words.
    pub const fn words(&self) -> &[AtomicU64; HEAD_WORDS] {
        &self.0
    }
}

impl Default for Head {
    fn default() -> Self {
        Self::new()
    }
}

/// What the buffers of a publication begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferFormat {
    /// The edge's cells: nobody copies it from afar.
    Plain,
    /// As many words as a label takes are kept free, so that places are the same everywhere.
    Spaced,
    /// A label.
    Labelled,
}

/// What one subdomain lets the others see: its update count, its residual, the time that its sweeps
/// took, where that is measured, and its edges.
///
/// Only the subdomain's holder publishes.
#[derive(Debug)]
pub struct Publication<'m, F: SharedReal> {
    version: &'m AtomicU64,
    tag: &'m AtomicU64,
    residual: &'m AtomicF64,
    /// In nanoseconds.
    sweep_time: &'m AtomicU64,
    /// Whose edges are written.
    writes: &'m AtomicU64,
    /// How often another subdomain, or one that was here before, has come.
    arrivals: &'m AtomicU64,
    /// For each side, [`EDGE_BUFFERS`] times the edge; empty where nobody reads it.
    edges: [&'m [F::Shared]; 4],
    format: BufferFormat,
}

impl<'m, F: SharedReal> Publication<'m, F> {
    /// What the words say: version 0 of nobody with all edges zero, where they are new.
    ///
    /// `edges` has, by [`Side::index`], at least [`EDGE_BUFFERS`] times the length of each side, or nothing
    /// where the side has no neighbour.
    pub const fn new(head: &'m [AtomicU64; HEAD_WORDS], edges: [&'m [F::Shared]; 4]) -> Self {
        Self::with_format(BufferFormat::Plain, head, edges)
    }

    /// The same with [`LABEL_WORDS`](super::LABEL_WORDS) more for each buffer, unless they are plain.
    /// Where buffers are labelled, [`Publication::vacate`] comes before anything is published.
    pub const fn with_format(
        format: BufferFormat,
        head: &'m [AtomicU64; HEAD_WORDS],
        edges: [&'m [F::Shared]; 4],
    ) -> Self {
        let [version, tag, residual, sweep_time, writes, arrivals, ..] = head;
        Self { version, tag, residual, sweep_time, writes, arrivals, edges, format }
    }

    /// Who lies here, and who has it now: the word of a [`HaloTag`].
    pub fn tag(&self) -> u64 {
        self.tag.load(Ordering::Acquire)
    }

    /// Says who lies here and who has it: at the start, when it has come with all that is published
    /// of it, or when it has gone to another owner. What is published before is seen by whoever sees
    /// this.
    pub fn admit(&self, tag: HaloTag) {
        self.tag.store(tag.encode(), Ordering::Release);
    }

    /// Makes room for another subdomain, which is at `version`; [`Publication::admit`]
    /// is to follow. Whoever reads meanwhile finds nobody.
    pub fn vacate(&self, subdomain: SubdomainId, version: u64) {
        self.tag.store(0, Ordering::Relaxed);
        self.writes.store(subdomain.0.into(), Ordering::Relaxed);
        // Whoever sees this arrival must also see that the last halo tag is gone, and whoever sees a
        // word of the next one must also see this arrival.
        let arrivals = self.arrivals.load(Ordering::Relaxed).wrapping_add(1);
        self.arrivals.store(arrivals, Ordering::Release);
        fence(Ordering::Release);
        self.version.store(version, Ordering::Release);
        self.sweep_time.store(0, Ordering::Relaxed);
        f64::store(self.residual, 0.0);
    }

    /// The number of updates so far, which is the version of the newest edges.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// The subdomain's sum of squares of the residual, as last published.
    pub fn residual(&self) -> f64 {
        f64::load(self.residual)
    }

    /// Publishes the sum of squares of the residual.
    pub fn publish_residual(&self, sum_of_squares: f64) {
        f64::store(self.residual, sum_of_squares);
    }

    /// How long all its sweeps took together, where they are measured.
    pub fn sweep_time(&self) -> Duration {
        Duration(self.sweep_time.load(Ordering::Relaxed))
    }

    /// Adds the time of one more sweep.
    #[inline]
    pub fn add_sweep_time(&self, time: Duration) {
        // Only the holder writes, so that nothing is lost between the two.
        let before = self.sweep_time.load(Ordering::Relaxed);
        self.sweep_time.store(before.saturating_add(time.0), Ordering::Relaxed);
    }

    /// Publishes the next version, with the edges of `cells` on those of the `sides` (by
    /// [`Side::index`]) that somebody reads; nothing of a side without memory.
    #[inline(always)]
    pub fn publish(&self, layout: &Layout, cells: &[F], sides: [bool; 4]) {
        let version = self.version.load(Ordering::Relaxed) + 1;
        // Whoever sees a word of this version must also see, after its own fence, that the
        // version before is out.
        fence(Ordering::Release);
        self.write_edges(version, layout, cells, sides);
        self.version.store(version, Ordering::Release);
    }

    /// Adds edges to the version that is out, on `sides` that nobody reads at the moment.
    pub fn publish_again(&self, layout: &Layout, cells: &[F], sides: [bool; 4]) {
        self.write_edges(self.version.load(Ordering::Relaxed), layout, cells, sides);
    }

    #[inline(always)]
    fn write_edges(&self, version: u64, layout: &Layout, cells: &[F], sides: [bool; 4]) {
        debug_assert!(cells.len() >= layout.len(), "there are fewer cells than a layout has");
        let last = |length: usize| length.saturating_sub(1);
        for ((side, edge), wanted) in Side::ALL.into_iter().zip(&self.edges).zip(sides) {
            if !wanted {
                continue;
            }
            let buffer = buffer(edge, version);
            debug_assert!(
                edge.is_empty() || self.cells(buffer).len() >= layout.side(side),
                "the memory for an edge is too short"
            );
            match side {
                Side::Top => self.write(buffer, version, layout.row(cells, 0).unwrap_or_default()),
                Side::Bottom => {
                    let row = layout.row(cells, last(layout.rows()));
                    self.write(buffer, version, row.unwrap_or_default());
                }
                Side::Left => self.write(buffer, version, layout.column(cells, 0)),
                Side::Right => {
                    self.write(buffer, version, layout.column(cells, last(layout.columns())));
                }
            }
        }
    }

    #[inline(always)]
    fn write<'a>(
        &self,
        buffer: &[F::Shared],
        version: u64,
        cells: impl IntoIterator<Item = &'a F>,
    ) {
        match self.format {
            BufferFormat::Plain => write(buffer, cells),
            BufferFormat::Spaced => write(label::cells(buffer), cells),
            BufferFormat::Labelled => {
                let subdomain = self.writes.load(Ordering::Relaxed);
                label::write(buffer, (subdomain, version), cells);
            }
        }
    }

    /// The cells of a buffer.
    #[inline(always)]
    fn cells<'s>(&self, buffer: &'s [F::Shared]) -> &'s [F::Shared] {
        if self.format == BufferFormat::Plain { buffer } else { label::cells(buffer) }
    }

    /// Reads `subdomain`'s edge into the halo that a neighbour has on its `side`, and returns the
    /// version; none where the wanted version is not there, or where another subdomain lies here.
    ///
    /// `layout` and `cells` are the reader's. The newest version is always there. Reading goes on
    /// until it is undisturbed, and each disturbance means that this subdomain got two sweeps on, or
    /// that another one came, so readers end when writers do.
    #[inline(always)]
    pub fn read_into(
        &self,
        subdomain: SubdomainId,
        side: Side,
        layout: &Layout,
        cells: &mut [F],
        wanted: Wanted,
    ) -> Option<u64> {
        let [top, bottom, left, right] = &self.edges;
        loop {
            // In this order: a halo tag that is seen after its arrival is this arrival's, or a later
            // one's, and a version that is seen after its halo tag likewise; later ones are noticed.
            let arrivals = self.arrivals.load(Ordering::Acquire);
            let is_there = HaloTag::is_of(self.tag(), subdomain);
            let newest = self.version.load(Ordering::Acquire);
            let version = match wanted {
                Wanted::Newest => newest,
                Wanted::Exactly(version) => version,
            };
            if !is_there || version > newest || wanted.is_gone(newest) {
                return None;
            }
            let edge = match side {
                Side::Top => bottom,
                Side::Bottom => top,
                Side::Left => right,
                Side::Right => left,
            };
            read_buffer::<F>(self.cells(buffer(edge, version)), side, layout, cells);
            fence(Ordering::Acquire);
            let is_same = self.arrivals.load(Ordering::Relaxed) == arrivals;
            if is_same && !is_overtaken(version, self.version.load(Ordering::Relaxed)) {
                return Some(version);
            }
        }
    }
}

/// Whether the buffer of a version, or of a fetch by its number, may be written again while `newest` is
/// out: then the one after that is, which may be `EDGE_BUFFERS` after the first.
#[inline]
pub(super) const fn is_overtaken(version: u64, newest: u64) -> bool {
    newest.saturating_sub(version) >= EDGE_BUFFERS as u64 - 1
}

/// The part of an edge's memory that a version is in.
#[inline(always)]
pub(super) fn buffer<T>(edge: &[T], version: u64) -> &[T] {
    let length = edge.len() / EDGE_BUFFERS;
    let start = usize::try_from(version % EDGE_BUFFERS as u64).unwrap_or(0) * length;
    edge.get(start..).and_then(|rest| rest.get(..length)).unwrap_or_default()
}

/// Copies a neighbour's edge into the halo on `side`.
#[inline(always)]
pub(super) fn read_buffer<F: SharedReal>(
    buffer: &[F::Shared],
    side: Side,
    layout: &Layout,
    cells: &mut [F],
) {
    debug_assert!(buffer.len() >= layout.side(side), "an edge is read that has no memory");
    debug_assert!(cells.len() >= layout.len(), "there are fewer cells than a layout has");
    match side {
        Side::Top => row::read(buffer, layout.top_mut(cells)),
        Side::Bottom => row::read(buffer, layout.bottom_mut(cells)),
        Side::Left => row::one_by_one(buffer, layout.left_mut(cells)),
        Side::Right => row::one_by_one(buffer, layout.right_mut(cells)),
    }
}

#[inline(always)]
fn write<'a, F: SharedReal>(buffer: &[F::Shared], cells: impl IntoIterator<Item = &'a F>) {
    for (shared, cell) in buffer.iter().zip(cells) {
        F::store(shared, *cell);
    }
}
