//! The bytes of a recording: a mark, and frames with checksums.
//!
//! ```text
//! file    mark (8 bytes), format (u32), frame …
//! frame   kind (u8), track (u32), length (u32), stored length (u32), checksum (u64), stored bytes
//! ```
//!
//! Integers are little-endian. A frame is stored compressed (LZ4 block), or as it is where that is
//! no longer. Its checksum (XXH3, 64 bits) covers the fields before it and the stored bytes, and is
//! seeded with the frame's place in the file, so that frames cannot change places. In this order:
//! one [`Kind::Head`], the [`Kind::Array`]s that it names, any number of [`Kind::Events`], of each
//! track in order of time, and one [`Kind::End`]; a pool's recording has others ([`super::pool`]).
//! A part of a recording (`parts.rs`) has no head, and the cells of its band in [`Kind::Array`]s
//! before its end.

use std::io::{self, Read, Write};

use twox_hash::XxHash3_64;

use super::error::RecordingError;

/// The first bytes of every recording: like PNG's, they do not survive a transfer as text.
pub const MARK: [u8; 8] = *b"\x89TRESSE\n";
/// Number of the format that is written and read.
pub const VERSION: u32 = 1;
/// Number of bytes before the first frame.
pub const PREFIX: u64 = 12;

/// Greatest number of an array's numbers in one frame.
pub const NUMBERS: usize = 32 << 10;
/// Greatest number of bytes in a frame; a longer frame is refused.
pub const FRAME_MOST: usize = 4 << 20;
const HEADER: usize = 21;

/// The kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The configuration and the problem of a run: JSON.
    Head = 1,
    /// Numbers of the problem (`f64`), or, in a part of a recording, cells.
    Array = 2,
    /// Events of one track: a chunk.
    Events = 3,
    /// The end of a run: JSON.
    End = 4,
    /// The subject and the configuration of a pool: JSON.
    Pool = 5,
    /// Spans of one track of a pool.
    Spans = 6,
    /// The configuration of a run of parts of one's own: JSON.
    Parts = 7,
}

impl Kind {
    /// Returns the kind that a byte stands for.
    fn of(byte: u8) -> Option<Self> {
        [Self::Head, Self::Array, Self::Events, Self::End, Self::Pool, Self::Spans, Self::Parts]
            .into_iter()
            .find(|&kind| kind as u8 == byte)
    }
}

/// Writes frames one after the other.
pub struct FrameWriter<'w> {
    to: &'w mut dyn Write,
    place: u64,
    compressed: Vec<u8>,
}

impl<'w> FrameWriter<'w> {
    /// Writes mark and format.
    pub fn begin(to: &'w mut dyn Write) -> io::Result<Self> {
        to.write_all(&MARK)?;
        to.write_all(&VERSION.to_le_bytes())?;
        Ok(Self { to, place: PREFIX, compressed: Vec::new() })
    }

    /// Writes one frame of at most [`FRAME_MOST`] bytes.
    pub fn write(&mut self, kind: Kind, track: u32, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() > FRAME_MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "too much for one frame"));
        }
        self.compressed.resize(lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
        let length = lz4_flex::block::compress_into(bytes, &mut self.compressed);
        let length = length.map_err(io::Error::other)?;
        let compressed = std::mem::take(&mut self.compressed);
        let stored = if length < bytes.len() { &compressed[..length] } else { bytes };
        let written = self.write_stored(kind, track, (bytes.len(), stored));
        self.compressed = compressed;
        written
    }

    /// Writes a frame that was read from another file.
    pub fn copy(&mut self, frame: &Frame) -> io::Result<()> {
        self.write_stored(frame.kind, frame.track, (frame.length, &frame.stored))
    }

    /// Writes a frame whose bytes may be compressed; `length` is that of the bytes before.
    fn write_stored(
        &mut self,
        kind: Kind,
        track: u32,
        (length, stored): (usize, &[u8]),
    ) -> io::Result<()> {
        let mut header = Vec::with_capacity(HEADER);
        header.push(kind as u8);
        header.extend(track.to_le_bytes());
        for length in [length, stored.len()] {
            header.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
        }
        header.extend(checksum(self.place, &header, stored).to_le_bytes());
        self.to.write_all(&header)?;
        self.to.write_all(stored)?;
        self.place += (HEADER + stored.len()) as u64;
        Ok(())
    }
}

/// Returns the checksum of a frame, which depends on its place in the file too.
fn checksum(place: u64, fields: &[u8], stored: &[u8]) -> u64 {
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot_with_seed(place, fields), stored)
}

/// A frame whose checksum is right, with its bytes as they are stored.
pub struct Frame {
    /// Kind of the frame.
    pub kind: Kind,
    /// Track that the frame belongs to.
    pub track: u32,
    /// Place of the frame's first byte in the file.
    pub place: u64,
    /// Place of the first byte after the frame.
    pub end: u64,
    length: usize,
    stored: Vec<u8>,
}

impl Frame {
    /// Returns the frame's decompressed bytes.
    pub fn unpack(self) -> Result<Vec<u8>, RecordingError> {
        if self.stored.len() == self.length {
            return Ok(self.stored);
        }
        lz4_flex::block::decompress(&self.stored, self.length)
            .ok()
            .filter(|bytes| bytes.len() == self.length)
            .ok_or(RecordingError::Damaged(self.place))
    }
}

/// Reads the mark and the format.
pub fn read_prefix(from: &mut impl Read) -> Result<(), RecordingError> {
    let mut prefix = Vec::new();
    from.take(PREFIX).read_to_end(&mut prefix)?;
    let rest = prefix.strip_prefix(&MARK).ok_or(RecordingError::Foreign)?;
    let version = rest.try_into().map_err(|_| RecordingError::CutOff(prefix.len() as u64))?;
    match u32::from_le_bytes(version) {
        VERSION => Ok(()),
        found => Err(RecordingError::Format { found, read: VERSION }),
    }
}

/// Reads the mark, the format and the kind of the first frame; returns `None` where there is no
/// frame.
pub(super) fn first_kind(from: &mut impl Read) -> Result<Option<Kind>, RecordingError> {
    read_prefix(from)?;
    let mut kind = Vec::new();
    from.take(1).read_to_end(&mut kind)?;
    Ok(kind.first().and_then(|&kind| Kind::of(kind)))
}

/// Reads the frame at `place`, which is where `from` stands. Allocates no more than there are bytes
/// to read.
pub fn read_frame(from: &mut impl Read, place: u64) -> Result<Frame, RecordingError> {
    let mut header = Vec::with_capacity(HEADER);
    from.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    let cut_off = |read: usize| RecordingError::CutOff(place + read as u64);
    let (fields, check) = header.split_at_checked(13).ok_or_else(|| cut_off(header.len()))?;
    let check: [u8; 8] = check.try_into().map_err(|_| cut_off(header.len()))?;
    let field = |at: usize| {
        let bytes = fields.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_le_bytes)
    };
    let damaged = RecordingError::Damaged(place);
    let (length, stored_length) = (field(5) as usize, field(9) as usize);
    let Some(kind) = fields.first().and_then(|&kind| Kind::of(kind)) else { return Err(damaged) };
    if length > FRAME_MOST || stored_length > length {
        return Err(damaged);
    }
    let mut stored = Vec::new();
    from.by_ref().take(stored_length as u64).read_to_end(&mut stored)?;
    if stored.len() < stored_length {
        return Err(cut_off(HEADER + stored.len()));
    }
    if checksum(place, fields, &stored) != u64::from_le_bytes(check) {
        return Err(damaged);
    }
    let end = place + (HEADER + stored_length) as u64;
    Ok(Frame { kind, track: field(1), place, end, length, stored })
}
