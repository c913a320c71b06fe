//! A part's shares in the residuals of the versions that it has passed last.

use crate::base::SharedNumber;

/// Number of shares that are kept of each part, as many as [`Shares`] has room for.
pub(super) const KEPT: u64 = 4;

/// Sentinel for no share.
pub(super) const NONE: u64 = 0;

/// How a share of the residual of a version is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Taking {
    /// Fused with the sweep from this version, in the cells' own type: cheap, and rounded.
    Fused,
    /// Separate, before that sweep, as in a halt: the sum is to the bit what a halt at this version
    /// finds.
    Separate,
}

/// A sum of squares of the residual of one version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sum {
    /// The version.
    pub version: u64,
    /// How it was taken.
    pub taken: Taking,
    /// Sum of squares.
    pub squares: f64,
}

/// A sum that one thread writes at a time and all may read meanwhile, as with a seqlock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SharedSum<N> {
    /// The version and how the sum was taken, or [`NONE`] while the bits are written.
    tag: N,
    bits: N,
}

impl<N: SharedNumber> SharedSum<N> {
    /// Returns a sum that was never written.
    pub(super) fn none() -> Self {
        Self { tag: N::from(NONE), bits: N::from(0) }
    }

    /// Writes the sum. Versions never repeat, so a reader that sees the same tag before and after
    /// the bits has no torn read.
    pub(super) fn store(&self, sum: Sum) {
        self.tag.store(NONE);
        self.bits.store(sum.squares.to_bits());
        self.tag.store(tag(sum.version, sum.taken));
    }

    /// Reads the sum; none where there is none yet, or the read was torn.
    pub(super) fn load(&self) -> Option<Sum> {
        let tag = self.tag.load();
        let squares = f64::from_bits(self.bits.load());
        let (version, taken) = untag(tag).filter(|_| self.tag.load() == tag)?;
        Some(Sum { version, taken, squares })
    }
}

/// Returns the word of a version and of how its share is taken; later versions have greater words.
pub(super) const fn tag(version: u64, taken: Taking) -> u64 {
    version.saturating_add(1).saturating_mul(2).saturating_add(taken as u64)
}

/// Returns the version and the way of taking of a word; none for [`NONE`].
#[inline]
pub(super) fn untag(word: u64) -> Option<(u64, Taking)> {
    let taken = if word.is_multiple_of(2) { Taking::Fused } else { Taking::Separate };
    Some(((word / 2).checked_sub(1)?, taken))
}

/// The shares of one part, on a cache line of their own.
///
/// Whoever holds the part tells its shares, before it publishes the update of that version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(align(64))]
pub struct Shares<N>([SharedSum<N>; 4]);

impl<N: SharedNumber> Shares<N> {
    /// Returns the shares of a part that has told none.
    pub fn none() -> Self {
        Self(core::array::from_fn(|_| SharedSum::none()))
    }

    /// Returns the place of the share of this number; numbers repeat places modulo [`KEPT`].
    pub(super) fn at(&self, number: u64) -> &SharedSum<N> {
        let [first, second, third, fourth] = &self.0;
        match number % KEPT {
            0 => first,
            1 => second,
            2 => third,
            _ => fourth,
        }
    }
}
