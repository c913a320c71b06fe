//! The buffer of an edge: the part writes it, and its neighbour reads it or accepts a copy of it.
//!
//! An edge that is fetched is copied word by word, in any order, by somebody who sees nothing else
//! of the memory meanwhile. So its buffer begins with a label: the version, and a checksum of whose
//! edge it is, of the version and of all cells. What was copied while it was written has another
//! one.
//!
//! Why not the version before and after the copy, as in shared memory: what a get returns of memory
//! that is stored to meanwhile is undefined (MPI 4.1, section 12.7), and two gets are in order only
//! where the second begins after the first has completed. So each edge would cost one round trip
//! more, and a neighbour that gets two updates on within that time could never be read: with sweeps
//! shorter than the latency a reader would starve. A checksum promises nothing of the transport but
//! that it copies, and needs no time but the reader's own (Mitchell, Geng & Li 2013:
//! self-verifying data structures). Of 2⁶⁴ torn copies one is expected to be taken for a
//! whole one: that is what a sum of 64 bits gives, not a proof.

use core::ops::RangeInclusive;

use super::block_copy;
use crate::base::bug::OrBug;
use crate::base::id::SubdomainId;
use crate::base::table::At;
use crate::base::unit::Unit;

/// Number of buffer cells that the label occupies; each holds 32 bits of it, whatever the cell
/// type.
pub const LABEL_WORDS: usize = 4;

/// What the buffers of a publication begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferFormat {
    /// Nothing but the cells: no other machine copies the buffer.
    Plain,
    /// Unused words in place of a label, so that cells have the same offsets as in labelled
    /// buffers.
    Spaced,
    /// A label: version and checksum.
    Labelled,
}

/// The buffer into which a part writes the edge that one of its neighbours reads.
#[derive(Debug)]
pub struct EdgeWriter<'e, F: Unit> {
    format: BufferFormat,
    buffer: &'e [F::Shared],
    /// Number of the subdomain whose edge it is, and the version.
    label: (u64, u64),
    /// Whether an edge of another length stops the run, or what there is no room for is left out.
    is_exact: bool,
}

impl<'e, F: Unit> EdgeWriter<'e, F> {
    #[cfg(target_has_atomic = "64")]
    #[inline(always)]
    pub(super) const fn new(
        format: BufferFormat,
        buffer: &'e [F::Shared],
        label: (u64, u64),
    ) -> Self {
        Self { format, buffer, label, is_exact: false }
    }

    /// Returns a writer to memory for an edge that the next call reads.
    #[inline(always)]
    pub const fn through(buffer: &'e [F::Shared]) -> Self {
        Self { format: BufferFormat::Plain, buffer, label: (0, 0), is_exact: true }
    }

    /// Returns a writer to memory longer than the edge, to see how much is written.
    #[cfg(feature = "alloc")]
    pub(in crate::parts) const fn up_to(buffer: &'e [F::Shared]) -> Self {
        Self { format: BufferFormat::Plain, buffer, label: (0, 0), is_exact: false }
    }

    /// Returns the writer for an edge of exactly this many units, as its graph says: one of another
    /// length stops the run. A buffer without memory takes any: nobody reads it.
    #[inline(always)]
    pub fn exactly(self, units: u32) -> Self {
        if self.buffer.is_empty() {
            return self;
        }
        let buffer = self.buffer.stretch(..self.taken() + units as usize);
        Self { buffer, is_exact: true, ..self }
    }

    /// Returns the number of words before the units.
    #[inline(always)]
    const fn taken(&self) -> usize {
        match self.format {
            BufferFormat::Plain => 0,
            BufferFormat::Spaced | BufferFormat::Labelled => LABEL_WORDS,
        }
    }

    /// Whether the buffer has room for this number of units. A buffer without memory always has:
    /// nobody reads it.
    #[inline(always)]
    pub fn has_room(&self, units: usize) -> bool {
        self.buffer.is_empty() || self.buffer.len() >= self.taken() + units
    }

    /// Writes the units by one block copy.
    #[inline(always)]
    pub fn copy_from(self, units: &[F]) {
        if self.format == BufferFormat::Labelled {
            return self.write(units.iter().copied());
        }
        let places = self.buffer.get(self.taken()..).unwrap_or_default();
        self.check(units.len() == places.len());
        block_copy::store_all(places, units);
    }

    /// Writes the units one by one.
    #[inline(always)]
    pub fn write(self, units: impl IntoIterator<Item = F>) {
        let mut units = units.into_iter();
        let places = self.buffer.get(self.taken()..).unwrap_or_default();
        let mut written = 0;
        let seen = units.by_ref().take(places.len()).inspect(|_| written += 1);
        if self.format == BufferFormat::Labelled {
            let (subdomain, version) = self.label;
            seal(self.buffer, Checksum::new(subdomain, version), version, seen);
        } else {
            for (place, unit) in places.iter().zip(seen) {
                F::store(place, unit);
            }
        }
        self.check(written == places.len() && units.next().is_none());
    }

    /// Stops where the edge must fill the buffer exactly, and `is_full` says that it does not.
    #[inline(always)]
    fn check(&self, is_full: bool) {
        (is_full || !self.is_exact)
            .or_bug("an edge has another number of units than its graph says");
    }
}

/// The buffer from which a part reads the edge that one of its neighbours has written.
#[derive(Debug)]
pub struct EdgeReader<'e, F: Unit> {
    cells: &'e [F::Shared],
}

impl<'e, F: Unit> EdgeReader<'e, F> {
    /// Returns the reader of an edge in memory.
    #[inline(always)]
    pub const fn new(cells: &'e [F::Shared]) -> Self {
        Self { cells }
    }

    /// Returns the reader of the first units, or of all where there are fewer.
    #[inline(always)]
    pub fn first(self, units: u32) -> Self {
        Self { cells: self.cells.get(..units as usize).unwrap_or(self.cells) }
    }

    /// Whether the buffer has at least this number of cells.
    #[inline(always)]
    pub const fn has(&self, cells: usize) -> bool {
        self.cells.len() >= cells
    }

    /// Copies cells by one block copy, as many as both sides have.
    #[inline(always)]
    pub fn copy_to(self, cells: &mut [F]) {
        block_copy::load_all(self.cells, cells);
    }

    /// Returns the cells one by one.
    #[inline(always)]
    pub fn cells(self) -> impl Iterator<Item = F> + use<'e, F> {
        self.cells.iter().map(F::load)
    }
}

/// Splits a buffer into its label and its cells; none where it is too short for a label.
fn split_label<T>(buffer: &[T]) -> Option<(&[T; LABEL_WORDS], &[T])> {
    buffer.split_first_chunk()
}

/// Writes cells and their label, version and checksum, into a buffer. `checksum` already covers the
/// identity. Does nothing where the buffer has no memory, as nobody reads that edge.
#[inline]
pub(crate) fn seal<F: Unit>(
    buffer: &[F::Shared],
    mut checksum: Checksum,
    version: u64,
    cells: impl IntoIterator<Item = F>,
) {
    let Some((label, places)) = split_label(buffer) else { return };
    for (place, cell) in places.iter().zip(cells) {
        F::store(place, cell);
        checksum.add(cell.bits());
    }
    for (place, half) in label.iter().zip([version, checksum.sum].into_iter().flat_map(halves)) {
        F::store_half(place, half);
    }
}

/// Returns the cells of a buffer, after its label or the words in place of one.
#[inline]
pub(super) fn after_label<T>(buffer: &[T]) -> &[T] {
    split_label(buffer).map_or(&[], |(_, cells)| cells)
}

/// The content of a labelled buffer whose checksum is right.
#[derive(Debug)]
pub struct FetchedEdge<'b, F: Unit> {
    /// The version in the label.
    pub version: u64,
    /// The cells after the label.
    pub cells: &'b [F::Shared],
}

/// Validates a fetched copy of a labelled buffer by its checksum; `buffer` is exactly the label and
/// the cells of the edge. Returns none where the copy is torn, of another subdomain, or of a
/// version that is not `wanted`.
///
/// The version may be newer than the one that the reader has seen in the head, as the writer goes
/// on meanwhile. It may be older where the other machine's memory is seen out of order.
#[inline]
pub fn accept<F: Unit>(
    buffer: &[F::Shared],
    subdomain: SubdomainId,
    wanted: RangeInclusive<u64>,
) -> Option<FetchedEdge<'_, F>> {
    let seed = |version| Checksum::new(subdomain.0.into(), version);
    unseal::<F>(buffer, seed).filter(|edge| wanted.contains(&edge.version))
}

/// Reads a labelled buffer; none where its checksum is wrong. `seed` returns the checksum that a
/// version starts with.
#[inline]
pub(crate) fn unseal<F: Unit>(
    buffer: &[F::Shared],
    seed: impl FnOnce(u64) -> Checksum,
) -> Option<FetchedEdge<'_, F>> {
    let (label, cells) = split_label(buffer)?;
    let [low, high, sum @ ..] = label.each_ref().map(|word| u64::from(F::load_half(word)));
    let version = high << u32::BITS | low;
    let [low, high] = sum;
    let mut checksum = seed(version);
    for cell in cells {
        checksum.add(F::load(cell).bits());
    }
    (checksum.sum == high << u32::BITS | low).then_some(FetchedEdge { version, cells })
}

/// Returns the low and the high 32 bits of a number.
#[expect(clippy::cast_possible_truncation, reason = "each half fits")]
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> u32::BITS) as u32]
}

/// A sum of one term for each word, which depends on all bits of the word and on its place: both
/// halves of a product of 128 bits. No term waits for the one before.
pub(crate) struct Checksum {
    sum: u64,
    key: u64,
}

impl Checksum {
    /// Odd, with bits all over: the golden ratio's and those of a square root.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    const MASK: u64 = 0xbb67_ae85_84ca_a73b;

    /// Starts a checksum seeded with the identity, so that the edge of another subdomain or version
    /// fails.
    #[inline]
    pub(crate) fn new(subdomain: u64, version: u64) -> Self {
        let mut checksum = Self { sum: 0, key: Self::STEP };
        checksum.add(subdomain);
        checksum.add(version);
        checksum
    }

    #[cfg(target_has_atomic = "64")]
    pub(crate) const fn sum(&self) -> u64 {
        self.sum
    }

    /// Adds a word: both halves of its 128-bit product with a key that changes from word to word.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low half")]
    pub(crate) fn add(&mut self, word: u64) {
        self.key = self.key.wrapping_add(Self::STEP);
        let product = u128::from(word ^ Self::MASK) * u128::from(self.key);
        self.sum = self.sum.wrapping_add(product as u64 ^ (product >> u64::BITS) as u64);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    extern crate std;

    use self::std::collections::BTreeSet;
    use self::std::vec::Vec;
    use super::*;
    use crate::base::real::Real;

    const OWN: SubdomainId = SubdomainId(9);
    const ANY: RangeInclusive<u64> = 0..=u64::MAX;

    fn zeroed<F: Real>() -> Vec<F::Shared> {
        (0..3 + LABEL_WORDS).map(|_| F::shared_zero()).collect()
    }

    fn buffer<F: Real>(version: u64, cells: [f64; 3]) -> Vec<F::Shared> {
        let buffer = zeroed::<F>();
        let checksum = Checksum::new(OWN.0.into(), version);
        seal::<F>(&buffer, checksum, version, cells.map(F::from_f64));
        buffer
    }

    /// Returns what is accepted of a buffer, with the bits of its cells.
    fn read<F: Real>(
        buffer: &[F::Shared],
        subdomain: SubdomainId,
        wanted: RangeInclusive<u64>,
    ) -> Option<(u64, Vec<u64>)> {
        let FetchedEdge { version, cells } = accept::<F>(buffer, subdomain, wanted)?;
        Some((version, cells.iter().map(|cell| F::load(cell).bits()).collect()))
    }

    fn a_whole_copy_is_accepted<F: Real>() {
        let values = [0.5, -0.0, 3.0];
        let bits = values.map(|value| F::from_f64(value).bits()).to_vec();
        for version in [0, 1, 7, u64::from(u32::MAX), 1 << 40, u64::MAX] {
            let buffer = buffer::<F>(version, values);
            assert_eq!(read::<F>(&buffer, OWN, ANY), Some((version, bits.clone())));
            assert!(accept::<F>(&buffer, OWN, version..=version).is_some());
            assert!(accept::<F>(&buffer, SubdomainId(8), ANY).is_none());
            for length in 0..buffer.len() {
                let cut = buffer.get(..length).unwrap_or_default();
                assert!(accept::<F>(cut, OWN, ANY).is_none());
            }
        }
        assert!(accept::<F>(&buffer::<F>(7, [1.0; 3]), OWN, 8..=u64::MAX).is_none());
        assert!(accept::<F>(&buffer::<F>(7, [1.0; 3]), OWN, 0..=6).is_none());
        assert!(accept::<F>(&zeroed::<F>(), OWN, ANY).is_none());
        assert!(accept::<F>(&zeroed::<F>(), SubdomainId(0), ANY).is_none());
    }

    #[test]
    fn a_whole_copy_tells_its_version() {
        a_whole_copy_is_accepted::<f64>();
        a_whole_copy_is_accepted::<f32>();
    }

    /// Every mixture of two versions that is none of them, label included; and cells in another
    /// order.
    fn no_mixture_is_accepted<F: Real>() {
        for (older, newer) in [(4, 7), (1, 1 << 32)] {
            let (one, other) =
                (buffer::<F>(older, [1.0, 2.0, 4.0]), buffer::<F>(newer, [2.0, 1.0, 4.5]));
            let mut accepted = BTreeSet::new();
            for choice in 0..1_u32 << one.len() {
                let mix = |(place, (one, other)): (usize, (&F::Shared, &F::Shared))| {
                    let copy = F::shared_zero();
                    F::store(&copy, F::load(if choice & (1 << place) == 0 { one } else { other }));
                    copy
                };
                let mixed: Vec<_> = one.iter().zip(&other).enumerate().map(mix).collect();
                accepted.extend(accept::<F>(&mixed, OWN, ANY).map(|edge| (choice, edge.version)));
            }
            // Halves of versions that are equal make no difference.
            let versions: BTreeSet<_> = accepted.iter().map(|(_, version)| *version).collect();
            assert_eq!(versions, BTreeSet::from([older, newer]));
            assert_eq!(accepted.len(), if newer == 7 { 4 } else { 2 });
        }
    }

    #[test]
    fn no_mixture_of_versions_is_whole() {
        no_mixture_is_accepted::<f64>();
        no_mixture_is_accepted::<f32>();
    }

    /// Numbers of which only the first bits differ, as all in fields of powers of two.
    #[test]
    fn checksums_of_similar_edges_differ() {
        let sum = |words: [u64; 2]| {
            let mut checksum = Checksum::new(0, 0);
            for word in words {
                checksum.add(word);
            }
            checksum.sum
        };
        // Miri is slow.
        let number: u16 = if cfg!(miri) { 8 } else { 128 };
        let words = || (0..number).map(|number| f64::from(number).to_bits());
        let all = words().flat_map(|one| words().map(move |other| sum([one, other])));
        assert_eq!(all.collect::<BTreeSet<_>>().len(), usize::from(number).pow(2));
    }
}
