//! The files of Tresse, as bytes: nothing here opens a path or reads a clock, and work is shared
//! among threads only where there are some, so that a page in a browser reads the same files as the
//! programs.
//!
//! Each kind of file is a feature: `documents`, `graphs`, `recordings` and `traces`; all by
//! default.
//!
//! # Map
//!
//! - What people write: a [`problem`], a virtual machine ([`machine_files`]); both are a
//!   [`document`] in TOML.
//! - What programs write: [`npy`] is the head of `NumPy`'s arrays, [`config_form`] a configuration
//!   in JSON, [`stored_cell`] a cell as bytes, and a [`field`] is known by its hash.
//! - What runs leave: a [`recording`]; and what applications leave: [`load_traces`].
//! - What others have as a matrix or a list of edges: [`graph_files`].
//! - What a person asks of a run becomes one by [`choices`].
//! - Words for people go through [`escape`].

#[cfg(feature = "documents")]
pub mod choices;
#[cfg(feature = "recordings")]
pub mod config_form;
#[cfg(feature = "documents")]
pub mod document;
pub mod escape;
#[cfg(feature = "recordings")]
pub mod field;
pub mod field_name;
#[cfg(feature = "graphs")]
pub mod graph_files;
#[cfg(feature = "traces")]
pub mod load_traces;
#[cfg(feature = "documents")]
pub mod machine_files;
pub mod npy;
#[cfg(feature = "documents")]
pub mod problem;
#[cfg(feature = "recordings")]
pub mod recording;
pub mod stored_cell;
