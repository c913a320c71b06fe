//! The schedule of a run: replayed to the same field, shown as a trace. That of a [`pool`] of tasks
//! is only shown.
//!
//! A recording is one file that needs no other. It begins with what was solved and how, has the
//! events of each track (a worker, or a parasite) in compressed chunks, and ends with the hash of
//! the field that came out; [`mod@format`] has the bytes, and [`chunk`] those of the events. That
//! of [`parts`] of one's own has no problem.
//!
//! What a run computes depends on nothing but its first field and, for each sweep, the versions of
//! the halos that it read. That is what is kept of a sweep, along with who made it and when.

pub mod chunk;
mod error;
mod event;
pub mod format;
mod head;
pub mod parts;
mod perfetto;
pub mod pool;
mod reader;
mod replay;

pub use error::RecordingError;
pub use event::{Activity, Event, Swept, What};
pub use head::{End, Head, Source};
pub use parts::{PartsHead, ReplayedParts};
pub use perfetto::{ExportError, ExportedTrace, export_trace};
pub use pool::{PoolHead, PoolRecording};
pub use reader::{AnyRecording, Cursor, Recording};
pub use replay::{Replayed, replay};
