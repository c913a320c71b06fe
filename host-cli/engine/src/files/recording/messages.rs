//! The messages from the tracks of a recording to its writer.

use tresse_core::run;
use tresse_files::field::FieldHash;

/// A full buffer.
pub(super) struct Chunk {
    pub(super) track: u32,
    /// Place of the buffer's track among those of the writer.
    pub(super) place: usize,
    pub(super) bytes: Vec<u8>,
    pub(super) events: u64,
    /// Number of the events that are sweeps.
    pub(super) sweeps: u64,
}

/// A message to the writer.
pub(super) enum Message {
    Chunk(Chunk),
    /// All tracks of a part have ended; cells of its band as bytes.
    Cells(Vec<u8>),
    /// All tracks have ended; the run left this field.
    End(FieldHash, Option<run::End>),
}
