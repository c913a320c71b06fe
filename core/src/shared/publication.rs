//! Halo exchange: a subdomain publishes its edges, its neighbours read the newest ones.
//!
//! Each edge has [`SLOTS`] slots, and version `v` is written to slot `v % SLOTS`, so a reader of
//! the newest version is disturbed only if the writer publishes two more versions meanwhile. The
//! reader sees that from the version number and reads again. Readers and the writer never wait for
//! each other, and every word is an atomic, so nothing is a data race; the fences make sure that a
//! disturbed reader notices (Boehm 2012, "Can seqlocks get along with programming language memory
//! models?").
//!
//! All of it lies in words that the host lends, which may be those of a window that other processes
//! see as well. There a place may get another subdomain; so a reader says whose edge it wants, and
//! is told where it is not there any more (Zarins & Weiland 2020, section 3.2: the metadata of a
//! halo).

use super::sync::{AtomicF32, AtomicF64, AtomicU64, Ordering, fence};
use super::{row, stamp};
use crate::grid::Side;
use crate::id::SubdomainId;
use crate::migration::Tenant;
use crate::schedule::Wanted;
use crate::stencil::{Layout, Real};
use crate::time::Duration;

/// Versions of an edge that are kept: the newest, the one before (which a synchronous neighbour
/// may still need), and the one being written.
pub const SLOTS: usize = 3;

/// A cell type that can be shared word by word.
pub trait SharedReal: Real {
    /// One shared cell.
    type Shared: Send + Sync;

    /// A shared cell of value zero.
    fn shared_zero() -> Self::Shared;
    /// Reads, without any ordering.
    fn load(shared: &Self::Shared) -> Self;
    /// Writes, without any ordering.
    fn store(shared: &Self::Shared, value: Self);
    /// Writes as much of a number as there is room for, without any ordering.
    fn store_stamp(shared: &Self::Shared, number: u64);
    /// Reads such a number, which is not far from `near`.
    fn load_stamp(shared: &Self::Shared, near: u64) -> u64;
}

macro_rules! shared_real {
    ($real:ty, $shared:ty, $bits:ty, $signed:ty) => {
        impl SharedReal for $real {
            type Shared = $shared;

            fn shared_zero() -> Self::Shared {
                <$shared>::new(0)
            }

            #[inline(always)]
            fn load(shared: &Self::Shared) -> Self {
                <$real>::from_bits(shared.load(Ordering::Relaxed))
            }

            #[inline(always)]
            fn store(shared: &Self::Shared, value: Self) {
                shared.store(value.to_bits(), Ordering::Relaxed);
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "what is cut off is put back")]
            fn store_stamp(shared: &Self::Shared, number: u64) {
                shared.store(number as $bits, Ordering::Relaxed);
            }

            #[inline]
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_possible_wrap,
                clippy::cast_lossless,
                reason = "the difference is small, whatever its sign"
            )]
            fn load_stamp(shared: &Self::Shared, near: u64) -> u64 {
                let ahead = shared.load(Ordering::Relaxed).wrapping_sub(near as $bits) as $signed;
                near.wrapping_add_signed(ahead as i64)
            }
        }
    };
}
shared_real!(f32, AtomicF32, u32, i32);
shared_real!(f64, AtomicF64, u64, i64);

/// The words of a publication beside its edges: two cache lines, so that no two subdomains ever
/// share one, nor a pair of them that is fetched together.
pub const HEAD_WORDS: usize = 16;

/// The place of each word in a head, for those who read it from afar.
pub mod head {
    /// The number of updates so far.
    pub const VERSION: usize = 0;
    /// A [`Tenant`](crate::migration::Tenant): who lies here, and who has it now.
    pub const TENANT: usize = 1;
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

/// What one subdomain lets the others see: its update count, its residual, the time that its sweeps
/// took, where that is measured, and its edges.
///
/// Only the subdomain's holder publishes.
#[derive(Debug)]
pub struct Publication<'m, F: SharedReal> {
    version: &'m AtomicU64,
    tenant: &'m AtomicU64,
    residual: &'m AtomicF64,
    /// In nanoseconds.
    sweep_time: &'m AtomicU64,
    /// Whose edges are written.
    writes: &'m AtomicU64,
    /// For each side, [`SLOTS`] times the edge; empty where nobody reads it.
    edges: [&'m [F::Shared]; 4],
    /// Whether each slot has stamps, for those who copy it from afar.
    is_stamped: bool,
}

impl<'m, F: SharedReal> Publication<'m, F> {
    /// What the words say: version 0 of nobody with all edges zero, where they are new.
    ///
    /// `edges` has, by [`Side::index`], at least [`SLOTS`] times the length of each side, or nothing
    /// where the side has no neighbour.
    pub const fn new(head: &'m [AtomicU64; HEAD_WORDS], edges: [&'m [F::Shared]; 4]) -> Self {
        let [version, tenant, residual, sweep_time, writes, ..] = head;
        Self { version, tenant, residual, sweep_time, writes, edges, is_stamped: false }
    }

    /// The same with [`STAMP_WORDS`](super::STAMP_WORDS) more for each slot, so that an edge can be
    /// copied in one piece, see [`stamped`](super::stamped). [`Publication::vacate`] comes before
    /// anything is published.
    pub const fn with_stamps(
        head: &'m [AtomicU64; HEAD_WORDS],
        edges: [&'m [F::Shared]; 4],
    ) -> Self {
        Self { is_stamped: true, ..Self::new(head, edges) }
    }

    /// Who lies here, and who has it now: the word of a [`Tenant`].
    pub fn tenant(&self) -> u64 {
        self.tenant.load(Ordering::Acquire)
    }

    /// Says who lies here and who has it: at the start, when it has come with all that is published
    /// of it, or when it has gone to another owner. What is published before is seen by whoever sees
    /// this.
    pub fn admit(&self, tenant: Tenant) {
        self.tenant.store(tenant.encode(), Ordering::Release);
    }

    /// Makes room for another subdomain, of which so many updates are made; [`Publication::admit`]
    /// is to follow. Whoever reads meanwhile finds nobody.
    pub fn vacate(&self, subdomain: SubdomainId, version: u64) {
        self.tenant.store(0, Ordering::Relaxed);
        self.writes.store(subdomain.0.into(), Ordering::Relaxed);
        // Whoever sees a word of the next one must also see that the last one is gone.
        fence(Ordering::Release);
        self.version.store(version, Ordering::Release);
        self.sweep_time.store(0, Ordering::Relaxed);
        f64::store(self.residual, 0.0);
    }

    #[inline]
    fn is_of(&self, subdomain: SubdomainId) -> bool {
        Tenant::is_of(self.tenant.load(Ordering::Relaxed), subdomain)
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
    /// [`Side::index`]) that somebody reads.
    #[inline]
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

    #[inline]
    fn write_edges(&self, version: u64, layout: &Layout, cells: &[F], sides: [bool; 4]) {
        let last = |length: usize| length.saturating_sub(1);
        for ((side, edge), wanted) in Side::ALL.into_iter().zip(&self.edges).zip(sides) {
            if !wanted {
                continue;
            }
            let write = |slot: &[F::Shared]| match side {
                Side::Top => write(slot, layout.row(cells, 0).unwrap_or_default()),
                Side::Bottom => {
                    write(slot, layout.row(cells, last(layout.rows())).unwrap_or_default());
                }
                Side::Left => write(slot, layout.column(cells, 0)),
                Side::Right => write(slot, layout.column(cells, last(layout.columns()))),
            };
            let slot = slot(edge, version);
            if self.is_stamped {
                stamp::write::<F>(slot, version, self.writes.load(Ordering::Relaxed), write);
            } else {
                write(slot);
            }
        }
    }

    /// Reads `subdomain`'s edge into the halo that a neighbour has on its `side`, and returns the
    /// version; none where the wanted version is not there, or where another subdomain lies here.
    ///
    /// `layout` and `cells` are the reader's. The newest version is always there. Reading goes on
    /// until it is undisturbed, and each disturbance means that this subdomain got two sweeps on,
    /// so readers end when writers do.
    #[inline]
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
            let newest = self.version.load(Ordering::Acquire);
            let version = match wanted {
                Wanted::Newest => newest,
                Wanted::Exactly(version) => version,
            };
            // Slots hold the newest and the one before; the third may be half written.
            if !self.is_of(subdomain) || newest.checked_sub(version).is_none_or(|behind| behind > 1)
            {
                return None;
            }
            let edge = match side {
                Side::Top => bottom,
                Side::Bottom => top,
                Side::Left => right,
                Side::Right => left,
            };
            let slot = slot(edge, version);
            let slot = if self.is_stamped { stamp::cells(slot) } else { slot };
            read_slot::<F>(slot, side, layout, cells);
            fence(Ordering::Acquire);
            if self.version.load(Ordering::Relaxed) <= version.saturating_add(1) {
                // Here before and after: here all the time, or back with what it had.
                return self.is_of(subdomain).then_some(version);
            }
        }
    }
}

/// The part of an edge's memory that a version is in.
#[inline]
pub(super) fn slot<T>(edge: &[T], version: u64) -> &[T] {
    let length = edge.len() / SLOTS;
    let start = usize::try_from(version % SLOTS as u64).unwrap_or(0) * length;
    edge.get(start..).and_then(|rest| rest.get(..length)).unwrap_or_default()
}

/// Copies a neighbour's edge into the halo on `side`.
#[inline]
pub(super) fn read_slot<F: SharedReal>(
    slot: &[F::Shared],
    side: Side,
    layout: &Layout,
    cells: &mut [F],
) {
    match side {
        Side::Top => row::read(slot, layout.top_mut(cells)),
        Side::Bottom => row::read(slot, layout.bottom_mut(cells)),
        Side::Left => row::one_by_one(slot, layout.left_mut(cells)),
        Side::Right => row::one_by_one(slot, layout.right_mut(cells)),
    }
}

#[inline]
fn write<'a, F: SharedReal>(slot: &[F::Shared], cells: impl IntoIterator<Item = &'a F>) {
    for (shared, cell) in slot.iter().zip(cells) {
        F::store(shared, *cell);
    }
}
