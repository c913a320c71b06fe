//! Files of runs and of applications, on the disk. What is in them, as bytes, is in
//! [`tresse_files`].
//!
//! - What people write: a [`problem`], a virtual machine ([`machine_files`]); both are a
//!   [`document`].
//! - What runs leave, and others go on with: a [`recording`], a [`checkpoint`].
//! - How any of them is written, so that nothing half-written ever has a final name: [`output`].
//! - What applications leave: `load_traces`; graphs: `graph_files`.

pub use tresse_engine::files::{
    checkpoint, document, machine_files, output, problem, recording, stored_cell,
};
#[cfg(feature = "tasks")]
pub use tresse_tasks::graph_files;
#[cfg(feature = "traces")]
pub use tresse_traces::load_traces;
