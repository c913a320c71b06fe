//! The files of Tresse, as bytes: nothing here opens a path or reads a clock, and work is shared among
//! threads only where there are some, so that a page in a browser reads the same files as the programs.
//!
//! # Map
//!
//! - What people write: a [`problem`], a virtual machine ([`machine_files`]); both are a [`document`] in
//!   TOML.
//! - What programs write: [`npy`] is the head of `NumPy`'s arrays, [`config_form`] a configuration in
//!   JSON, [`stored_cell`] a cell as bytes, and a [`field`] is known by its hash.
//! - What runs leave: a [`recording`]; and what applications leave: [`load_traces`].
//! - What others have as a matrix or a list of edges: [`graph_files`].
//! - What pictures have in common on paper and on a page: [`palette`], and [`numbers`] at an axis.
//! - What a person asks of a run becomes one by [`choices`].
//! - Words for people go through [`escape`].

pub mod choices;
pub mod config_form;
pub mod document;
pub mod escape;
pub mod field;
pub mod graph_files;
pub mod load_traces;
pub mod machine_files;
pub mod npy;
pub mod numbers;
pub mod palette;
pub mod problem;
pub mod recording;
pub mod stored_cell;
