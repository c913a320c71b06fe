//! Files of runs, on the disk. What is in them, as bytes, is in [`tresse_files`].
//!
//! - What people write: a [`problem`], a virtual machine ([`machine_files`]); both are a
//!   [`document`].
//! - What runs leave, and others go on with: a [`recording`], a [`checkpoint`].
//! - How any of them is written, so that nothing half-written ever has a final name: [`output`].

pub mod checkpoint;
pub mod problem;
pub mod recording;

pub use tresse_console::files::{document, machine_files, output};
pub use tresse_files::stored_cell;
