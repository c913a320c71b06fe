//! The bytes of a piece: what one rank had.
//!
//! ```text
//! piece   head, record …, tail
//! head    mark (8 bytes), format (u32), bytes of a cell (u64), number of the checkpoint (u64),
//!         rank (u32), rows and columns of the grid (u64 each), checksum
//! record  1 (u8), update count (u64), first row, first column, rows, columns (u64 each), checksum,
//!         cells row after row, checksum
//! tail    0 (u8), number of records (u64), checksum
//! ```
//!
//! Integers and floats are little-endian. A checksum (XXH3, 64 bits) covers everything since the one
//! before it, which is its seed: so the last one is a checksum of the whole piece, and nothing can
//! change places. The head's seed is 0.

use twox_hash::XxHash3_64;

/// The first bytes of every piece: like PNG's, they do not survive a transfer as text.
pub(super) const MARK: [u8; 8] = *b"\x89TRESSC\n";
/// The format of pieces and manifests that is written and read.
pub(super) const VERSION: u32 = 1;
/// Bytes of the parts, checksums not counted.
pub(super) const HEAD: usize = 48;
pub(super) const RECORD: usize = 41;
pub(super) const TAIL: usize = 9;
/// Bytes of a checksum.
pub(super) const CHECKSUM: u64 = 8;
/// What a record and the tail begin with.
pub(super) const IS_RECORD: u8 = 1;
pub(super) const IS_TAIL: u8 = 0;

/// Bytes that are read or written at once, where a row is not longer.
pub(super) const BLOCK: usize = 1 << 20;

/// What a rank tells rank 0 of its piece, and the manifest everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceSummary {
    /// Whose it is.
    pub rank: u32,
    /// Its bytes.
    pub length: u64,
    /// Its last checksum.
    pub checksum: u64,
}

impl PieceSummary {
    /// As a message: three words.
    pub fn to_words(self) -> [u64; 3] {
        [self.rank.into(), self.length, self.checksum]
    }

    /// From a message; none where no rank has such a number.
    pub fn from_words([rank, length, checksum]: [u64; 3]) -> Option<Self> {
        Some(Self { rank: rank.try_into().ok()?, length, checksum })
    }
}

/// Returns the name of a rank's piece.
pub(super) fn file_name(rank: u32) -> String {
    format!("piece-{rank}")
}

/// Returns the checksum of `bytes` after the one before them.
pub(super) fn checksum(before: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(before, bytes)
}
