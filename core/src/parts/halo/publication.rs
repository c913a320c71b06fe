//! Halo exchange: a subdomain publishes its edges, one for each of its links, its neighbours read
//! the newest ones. What is in an edge is the business of the
//! [`Part`](crate::parts::Part).
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
//! What was fetched from afar is shown to this machine's readers as a [`Mirror`]. Whoever fetches
//! writes the buffer after the newest one, as a publication does; but versions that are fetched
//! have gaps, so each buffer has the number of its own beside it.
//!
//! All of it lies in words that the host lends, which may be those of a window that other processes
//! see as well. There a place may get another subdomain; so a reader says whose edge it wants, and
//! is told where it is not there any more (Zarins & Weiland 2020, section 3.2: the metadata of a
//! halo). A subdomain may also go and come back while a reader sleeps, with the version that it
//! had: so arrivals are counted as well.

use super::directory::HaloTag;
use super::edge::{self, BufferFormat, EdgeReader, EdgeWriter};
use crate::base::id::SubdomainId;
use crate::base::sync::{AtomicF64, AtomicU64, Ordering, fence};
use crate::base::table::At;
use crate::base::time::Duration;
use crate::base::unit::Unit;
use crate::run::schedule::Wanted;

/// Versions of an edge that are kept: the newest, the one before (which a synchronous neighbour
/// may still need), and the one being written.
pub const EDGE_BUFFERS: usize = 3;

/// The words of a publication beside its edges: two cache lines, so that no two subdomains ever
/// share one, nor a pair of them that is fetched together.
pub const HEAD_WORDS: usize = 16;

/// The index of each word in a head, for those who fetch it from another machine.
pub mod head {
    /// The number of updates so far.
    pub const VERSION: usize = 0;
    /// A [`HaloTag`](crate::parts::halo::HaloTag): who lies here, and who has it now.
    pub const HALO_TAG: usize = 1;
}

/// Memory for the head of one publication.
#[derive(Debug)]
#[repr(align(128))]
pub struct Head([AtomicU64; HEAD_WORDS]);

impl Head {
    /// Returns a head of nobody.
    pub fn new() -> Self {
        Self(core::array::from_fn(|_| AtomicU64::new(0)))
    }

    /// Returns its words.
    pub const fn words(&self) -> &[AtomicU64; HEAD_WORDS] {
        &self.0
    }
}

impl Default for Head {
    fn default() -> Self {
        Self::new()
    }
}

/// The view that others have of one subdomain: its update count, its residual, the time that its
/// sweeps took, where that is measured, and its edges.
///
/// Only the subdomain's holder publishes.
#[derive(Debug)]
pub struct Publication<'m, F: Unit, const N: usize = 4> {
    version: &'m AtomicU64,
    tag: &'m AtomicU64,
    residual: &'m AtomicF64,
    /// Time of all sweeps, in nanoseconds.
    sweep_time: &'m AtomicU64,
    /// Number of the subdomain whose edges are written; part of the checksum of labelled buffers.
    subdomain: &'m AtomicU64,
    /// Number of times that a subdomain has come to this memory; readers notice a change of tenant
    /// by it.
    arrivals: &'m AtomicU64,
    /// Memory of each link's edge, [`EDGE_BUFFERS`] times its length; empty where nobody reads it.
    edges: [&'m [F::Shared]; N],
    format: BufferFormat,
}

impl<'m, F: Unit, const N: usize> Publication<'m, F, N> {
    /// Returns the publication that lies in the words: version 0 of nobody with all edges zero,
    /// where they are new.
    ///
    /// `edges` has, by link, [`EDGE_BUFFERS`] times the length of the edge or somewhat more, or
    /// nothing where there is no neighbour.
    pub const fn new(head: &'m [AtomicU64; HEAD_WORDS], edges: [&'m [F::Shared]; N]) -> Self {
        Self::with_format(BufferFormat::Plain, head, edges)
    }

    /// Returns the publication in these words, as [`Publication::new`] does, with buffers of this
    /// format. Buffers that are not plain are longer by [`LABEL_WORDS`](super::LABEL_WORDS).
    /// Labelled ones need [`Publication::vacate`] before the first version is published.
    ///
    /// The words of the head, in order: version, halo tag, bits of the residual's sum of squares,
    /// sweep time in nanoseconds, number of the subdomain whose edges are written, number of
    /// arrivals; the others are unused.
    pub const fn with_format(
        format: BufferFormat,
        head: &'m [AtomicU64; HEAD_WORDS],
        edges: [&'m [F::Shared]; N],
    ) -> Self {
        let [version, tag, residual, sweep_time, subdomain, arrivals, ..] = head;
        Self { version, tag, residual, sweep_time, subdomain, arrivals, edges, format }
    }

    /// Returns the word of the [`HaloTag`]: the subdomain that lies here, and its owner now.
    pub fn tag(&self) -> u64 {
        self.tag.load(Ordering::Acquire)
    }

    /// Publishes the halo tag, which names the subdomain and its owner: at the start, when the
    /// subdomain has come with everything that is published of it, or when it has gone to another
    /// owner. Whoever sees the tag sees everything that was published before.
    pub fn admit(&self, tag: HaloTag) {
        self.tag.store(tag.encode(), Ordering::Release);
    }

    /// Removes the present subdomain and prepares for another one, which is at `version`;
    /// [`Publication::admit`] must follow. Readers find nobody in between.
    pub fn vacate(&self, subdomain: SubdomainId, version: u64) {
        self.tag.store(0, Ordering::Relaxed);
        self.subdomain.store(subdomain.0.into(), Ordering::Relaxed);
        // Whoever sees this arrival must also see that the last halo tag is gone, and whoever sees
        // a word of the next one must also see this arrival.
        let arrivals = self.arrivals.load(Ordering::Relaxed).wrapping_add(1);
        self.arrivals.store(arrivals, Ordering::Release);
        fence(Ordering::Release);
        self.version.store(version, Ordering::Release);
        self.sweep_time.store(0, Ordering::Relaxed);
        f64::store(self.residual, 0.0);
    }

    /// Returns the number of updates so far, which is the version of the newest edges.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Returns the subdomain's sum of squares of the residual, as last published.
    pub fn residual(&self) -> f64 {
        f64::load(self.residual)
    }

    /// Publishes the sum of squares of the subdomain's residual.
    pub fn publish_residual(&self, sum_of_squares: f64) {
        f64::store(self.residual, sum_of_squares);
    }

    /// Returns the time that all its sweeps took together, where they are measured.
    pub fn sweep_time(&self) -> Duration {
        Duration(self.sweep_time.load(Ordering::Relaxed))
    }

    /// Adds the time of a sweep to the published sum.
    #[inline]
    pub fn add_sweep_time(&self, time: Duration) {
        // Only the holder writes, so that nothing is lost between the two.
        let before = self.sweep_time.load(Ordering::Relaxed);
        self.sweep_time.store(before.saturating_add(time.0), Ordering::Relaxed);
    }

    /// Publishes the next version as the writer of a seqlock: writes the edges, then raises the
    /// version. `write` writes the edge of a link; it is called for those `links` that are set, on
    /// which somebody reads.
    #[inline(always)]
    pub fn publish(&self, links: [bool; N], write: impl Fn(usize, EdgeWriter<'_, F>)) {
        let version = self.version.load(Ordering::Relaxed) + 1;
        // Whoever sees a word of this version must also see, after its own fence, that the
        // version before is out.
        fence(Ordering::Release);
        self.write_edges(version, links, write);
        self.version.store(version, Ordering::Release);
    }

    /// Writes the edges of the present version on `links` that nobody reads at the moment.
    pub fn publish_again(&self, links: [bool; N], write: impl Fn(usize, EdgeWriter<'_, F>)) {
        self.write_edges(self.version.load(Ordering::Relaxed), links, write);
    }

    /// Calls `write` with the buffer of `version` for each link that is set in `links`.
    #[inline(always)]
    fn write_edges(
        &self,
        version: u64,
        links: [bool; N],
        write: impl Fn(usize, EdgeWriter<'_, F>),
    ) {
        let subdomain = self.subdomain.load(Ordering::Relaxed);
        for ((link, edge), wanted) in self.edges.iter().enumerate().zip(links) {
            if wanted && !edge.is_empty() {
                let buffer = buffer(edge, version);
                write(link, EdgeWriter::new(self.format, buffer, (subdomain, version)));
            }
        }
    }

    /// Reads, as the reader of a seqlock, the edge that `subdomain` publishes on its `link`.
    /// Returns the version that was read; none where the wanted version is not kept, or another
    /// subdomain lies here. `read` is called again after a torn read.
    ///
    /// The newest version is always there. A read is torn only where this subdomain has got two
    /// sweeps on meanwhile, or another one has come, so readers end when writers do.
    #[inline(always)]
    pub fn read(
        &self,
        subdomain: SubdomainId,
        link: usize,
        wanted: Wanted,
        mut read: impl FnMut(EdgeReader<'_, F>),
    ) -> Option<u64> {
        let edge = self.edges.at(link);
        loop {
            // The order of these loads matters: a halo tag that is seen after its arrival is this
            // arrival's, or a later one's, and a version that is seen after its halo tag likewise;
            // later ones are noticed.
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
            read(EdgeReader::new(self.cells(buffer(edge, version))));
            fence(Ordering::Acquire);
            let is_same = self.arrivals.load(Ordering::Relaxed) == arrivals;
            if is_same && !is_overtaken(version, self.version.load(Ordering::Relaxed)) {
                return Some(version);
            }
        }
    }

    /// Returns the memory for the version that is out of an edge that nobody reads at the moment.
    #[inline(always)]
    pub(crate) fn unread(&self, link: usize) -> &'m [F::Shared] {
        let edge: &'m [F::Shared] = self.edges.at(link);
        self.cells(buffer(edge, self.version()))
    }

    /// Returns the cells of a buffer, without its label.
    #[inline(always)]
    fn cells<'s>(&self, buffer: &'s [F::Shared]) -> &'s [F::Shared] {
        if self.format == BufferFormat::Plain { buffer } else { edge::after_label(buffer) }
    }
}

/// A local copy of one edge of a subdomain on another machine, as it was last fetched. Any number
/// of threads may read it; one at a time publishes.
#[derive(Debug)]
pub struct Mirror<'m, F: Unit> {
    /// Number of fetches published so far; the last one is in buffer `fetched % EDGE_BUFFERS`.
    fetched: &'m AtomicU64,
    /// The number of the subdomain whose edge it is, plus 1; 0 for none.
    subdomain: &'m AtomicU64,
    /// Number of times that the subdomain has changed.
    changes: &'m AtomicU64,
    /// The version in each buffer.
    versions: [&'m AtomicU64; EDGE_BUFFERS],
    /// [`EDGE_BUFFERS`] times the edge.
    edge: &'m [F::Shared],
}

impl<'m, F: Unit> Mirror<'m, F> {
    /// Returns a mirror on lent memory: nobody's edge, where the words are zero; `edge` has at
    /// least [`EDGE_BUFFERS`] times its length.
    pub const fn new(words: &'m [AtomicU64; HEAD_WORDS], edge: &'m [F::Shared]) -> Self {
        let [fetched, subdomain, first, second, third, changes, ..] = words;
        Self { fetched, subdomain, changes, versions: [first, second, third], edge }
    }

    /// Returns the version that was fetched last.
    pub fn version(&self) -> u64 {
        self.version_in_buffer(self.fetched.load(Ordering::Relaxed)).load(Ordering::Relaxed)
    }

    /// Publishes a fetched version of `subdomain`'s edge to local readers, as the writer of a
    /// seqlock does. Where the subdomain is another one than before, all old versions are void.
    pub fn publish(&self, subdomain: SubdomainId, version: u64, edge: &[F::Shared]) {
        let is_new = !self.is_of(subdomain);
        if is_new {
            self.subdomain.store(0, Ordering::Relaxed);
            let changes = self.changes.load(Ordering::Relaxed).wrapping_add(1);
            self.changes.store(changes, Ordering::Release);
        }
        let next = self.fetched.load(Ordering::Relaxed).wrapping_add(1);
        // Whoever sees a word of this one must also see that the one before is out, and that
        // another subdomain's is gone.
        fence(Ordering::Release);
        if is_new {
            // No buffer holds a version that somebody may want of this one.
            self.versions.iter().for_each(|version| version.store(u64::MAX, Ordering::Relaxed));
        }
        let buffer = buffer(self.edge, next);
        debug_assert!(buffer.len() >= edge.len(), "a mirror is shorter than the edge in it");
        for (to, from) in buffer.iter().zip(edge) {
            F::store(to, F::load(from));
        }
        self.version_in_buffer(next).store(version, Ordering::Relaxed);
        self.fetched.store(next, Ordering::Release);
        self.subdomain.store(u64::from(subdomain.0) + 1, Ordering::Release);
    }

    /// Reads a version of `subdomain`'s edge, as [`Publication::read`] does, and returns which one.
    /// An exact version is there if it was fetched last, or last but one.
    #[inline(always)]
    pub fn read(
        &self,
        subdomain: SubdomainId,
        wanted: Wanted,
        mut read: impl FnMut(EdgeReader<'_, F>),
    ) -> Option<u64> {
        loop {
            // The order is that of a publication's reader, for the same reason.
            let changes = self.changes.load(Ordering::Acquire);
            if !self.is_of(subdomain) {
                return None;
            }
            let newest = self.fetched.load(Ordering::Acquire);
            let has = |&fetched: &u64| match wanted {
                Wanted::Newest => true,
                Wanted::Exactly(version) => {
                    self.version_in_buffer(fetched).load(Ordering::Relaxed) == version
                }
            };
            let fetched = [newest, newest.wrapping_sub(1)].into_iter().find(has)?;
            let version = self.version_in_buffer(fetched).load(Ordering::Relaxed);
            read(EdgeReader::new(buffer(self.edge, fetched)));
            fence(Ordering::Acquire);
            let is_same = self.changes.load(Ordering::Relaxed) == changes;
            if is_same && !is_overtaken(fetched, self.fetched.load(Ordering::Relaxed)) {
                return Some(version);
            }
        }
    }

    /// Whether the mirror shows an edge of this subdomain.
    #[inline]
    fn is_of(&self, subdomain: SubdomainId) -> bool {
        self.subdomain.load(Ordering::Acquire) == u64::from(subdomain.0) + 1
    }

    /// Returns the word with the version in the buffer of fetch number `fetched`.
    #[inline]
    fn version_in_buffer(&self, fetched: u64) -> &AtomicU64 {
        let [first, second, third] = self.versions;
        match fetched % EDGE_BUFFERS as u64 {
            0 => first,
            1 => second,
            _ => third,
        }
    }
}

/// Where the edge of a neighbour in other hands is read from.
#[derive(Clone, Copy)]
pub enum Edges<'r, 'm, F: Unit, const N: usize = 4> {
    /// The memory that the neighbour's holder writes.
    Published(&'r Publication<'m, F, N>),
    /// The local copy of the edge that was fetched last.
    Fetched(&'r Mirror<'m, F>),
}

impl<F: Unit, const N: usize> Edges<'_, '_, F, N> {
    /// Returns the neighbour's update count, as it is known here.
    #[inline]
    pub fn version(&self) -> u64 {
        match self {
            Self::Published(publication) => publication.version(),
            Self::Fetched(mirror) => mirror.version(),
        }
    }

    /// Reads the edge that `subdomain` publishes on its `link`, as [`Publication::read`] does, and
    /// returns the version. A mirror has one edge only, so it ignores the link.
    #[inline(always)]
    pub fn read(
        &self,
        subdomain: SubdomainId,
        link: usize,
        wanted: Wanted,
        read: impl FnMut(EdgeReader<'_, F>),
    ) -> Option<u64> {
        match self {
            Self::Published(publication) => publication.read(subdomain, link, wanted, read),
            Self::Fetched(mirror) => mirror.read(subdomain, wanted, read),
        }
    }
}

/// Whether the writer may already overwrite the buffer of `version` while `newest` is published: a
/// torn read is possible. Also takes the numbers of fetches in a [`Mirror`].
#[inline]
const fn is_overtaken(version: u64, newest: u64) -> bool {
    newest.saturating_sub(version) >= EDGE_BUFFERS as u64 - 1
}

/// Returns the buffer of a version within the memory of one edge.
#[inline(always)]
fn buffer<T>(edge: &[T], version: u64) -> &[T] {
    let length = edge.len() / EDGE_BUFFERS;
    let start = usize::try_from(version % EDGE_BUFFERS as u64).unwrap_or(0) * length;
    edge.get(start..).and_then(|rest| rest.get(..length)).unwrap_or_default()
}
