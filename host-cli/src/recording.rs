//! The schedule of a run: recorded while it goes, replayed to the same field, shown as a trace.
//!
//! A recording is one file that needs no other. It begins with what was solved and how, has the
//! events of each track (a worker, or a parasite) in compressed chunks, and ends with the hash of
//! the field that came out; `recording/format.rs` has the bytes.
//!
//! What a run computes depends on nothing but its first field and, for each sweep, the versions of
//! the halos that it read. That is what is kept of a sweep, along with who made it and when.

mod chunk;
mod error;
mod event;
mod format;
mod head;
mod parts;
mod perfetto;
mod reader;
mod recorder;
mod replay;
mod since;
mod writer;

#[cfg(test)]
mod tests;

pub use error::RecordingError;
pub use event::{Event, Swept, What};
pub use head::{Head, Source};
pub use parts::{Part, join};
pub use perfetto::{ExportError, ExportedTrace, export_trace};
pub use reader::{Cursor, Recording};
pub use recorder::{NoiseTrack, WorkerTrack};
pub use replay::{Replayed, replay};
pub(crate) use since::Since;
pub use writer::{Recorder, Unfinished};
