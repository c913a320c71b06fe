//! The bytes of a piece, which holds the subdomains of one rank.
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
//! A part of one's own is a record with one row, whose number is that of the part: its first word
//! is the number of units that follow, each of which has the bits of a double. The columns of such
//! a grid are 0, as rows are of any length.
//!
//! Integers and floats are little-endian. A checksum (XXH3, 64 bits) covers everything since the
//! one before it, which is its seed: so the last one is a checksum of the whole piece, and nothing
//! can change places. The head's seed is 0.

use twox_hash::XxHash3_64;

/// The first bytes of every piece: like PNG's, they do not survive a transfer as text.
pub(super) const MARK: [u8; 8] = *b"\x89TRESSC\n";
/// The format of pieces and manifests that is written and read.
pub(super) const VERSION: u32 = 1;
/// Number of bytes of a head, without its checksum.
pub(super) const HEAD: usize = 48;
/// The columns of a grid whose rows are of any length.
pub(super) const RAGGED: usize = 0;
pub(super) const RECORD: usize = 41;
pub(super) const TAIL: usize = 9;
/// Number of bytes of a checksum.
pub(super) const CHECKSUM: u64 = 8;
/// First byte of a record, which tells it from the tail.
pub(super) const IS_RECORD: u8 = 1;
pub(super) const IS_TAIL: u8 = 0;

/// Number of bytes that are read or written at once, where a row is not longer.
pub(super) const BLOCK: usize = 1 << 20;

/// The summary of a piece, which a rank sends to rank 0, and which the manifest has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceSummary {
    /// Rank of the piece.
    pub rank: u32,
    /// Number of the piece's bytes.
    pub length: u64,
    /// Last checksum of the piece.
    pub checksum: u64,
}

impl PieceSummary {
    /// Returns the summary as a message of three words.
    pub fn to_words(self) -> [u64; 3] {
        [self.rank.into(), self.length, self.checksum]
    }

    /// Returns the summary in a message, or `None` where no rank can have such a number.
    pub fn from_words([rank, length, checksum]: [u64; 3]) -> Option<Self> {
        Some(Self { rank: rank.try_into().ok()?, length, checksum })
    }
}

/// Returns the name of a rank's piece.
pub(super) fn file_name(rank: u32) -> String {
    format!("piece-{rank}")
}

/// Returns the checksum of `bytes`, continued from the checksum before.
pub(super) fn checksum(before: u64, bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(before, bytes)
}
