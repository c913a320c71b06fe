//! Load traces of real applications: how long each object took on each rank, phase by phase.
//!
//! Read and written are the load data of DARMA/vt, a JSON file a rank, plain or compressed, and its
//! older comma-separated lines. A [`LoadTrace`] keeps every object and communication as the text
//! that it was, beside the few figures that balancing needs, so that nothing is lost on the way
//! through.

mod assemble;
mod bytes;
mod comma;
mod document;
mod entity;
mod error;
pub mod generate;
mod load_trace;
mod metadata;
mod names;
mod placement;
mod read;
mod schema;
mod task;
mod text;
pub mod unit;
mod validate;
mod write;

pub use bytes::{Limits, limited};
pub use comma::Inexpressible;
pub use entity::EntityId;
pub use error::{Fault, Finding, LoadTraceError};
pub use load_trace::{LoadTrace, Part, Phase};
pub use names::{choose, stem_of};
pub use placement::{Link, PhaseObjects, PlacementError};
pub use read::{Load, Source, read, read_sources};
pub use task::{Communication, ObjectMemory, Task};
pub use validate::{Validation, validate, validate_sources};
pub use write::Encoding;
